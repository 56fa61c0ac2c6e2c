/** The options that this consumer runs with, and which of them are defaults. Secrets never get here. */

import { useEffect, useState } from 'preact/hooks'
import type { ConfigAnswer } from '../../frames.ts'
import { type Answer, get } from '../api.ts'
import { visible } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { Section, Table, Text } from '../parts.ts'

type Option = ConfigAnswer['options'][number]

export function Config({ group, changes }: PageProps): View {
  const [answer, setAnswer] = useState<Answer<ConfigAnswer> | null>(null)
  const [find, setFind] = useState('')
  useEffect(() => {
    const load = async (): Promise<void> => setAnswer(await get<ConfigAnswer>('api/config', { group }))
    void load()
  }, [group, changes])
  if (answer === null) return h('p', { class: 'empty' }, 'Reading the options…')
  if (!answer.ok) return h('p', { class: 'problem', role: 'alert' }, visible(answer.message))
  const wanted = find.toLowerCase()
  const found = answer.value.options.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted))
  const columns = [
    { title: 'Option', width: '22%', cell: (row: Option) => h('code', { class: 'option-name' }, visible(row.name)) },
    { title: 'Value', width: '26%', cell: (row: Option) => h(Text, { value: row.value, max: 120 }) },
    {
      title: 'Set',
      width: '10%',
      cell: (row: Option) =>
        row.isDefault ? h('span', { class: 'faint' }, 'default') : h('span', { class: 'tag tag-accent' }, 'by you'),
    },
    { title: 'About', width: '42%', cell: (row: Option) => visible(row.about) },
  ]
  const input = h(
    'label',
    { class: 'field' },
    'Find',
    h('input', {
      type: 'search',
      value: find,
      onInput: (event: Event) => {
        if (event.target instanceof HTMLInputElement) setFind(event.target.value)
      },
    }),
  )
  return h(
    'div',
    { class: 'page page-config' },
    h(
      Section,
      { title: 'Options', aside: input },
      h(Table<Option>, {
        caption: 'Options',
        columns,
        rows: found.toSorted((a, b) => Number(a.isDefault) - Number(b.isDefault)),
        empty:
          find === '' ? 'The options of a consumer cannot be seen from outside.' : 'No option has that in its name.',
      }),
    ),
  )
}
