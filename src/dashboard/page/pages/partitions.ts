/** Every partition with its offset map. A page of them at a time, so that a thousand cost no more than twenty-five. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { PartitionFrame } from '../../frames.ts'
import { type Ask, pauseTopic } from '../actions.ts'
import { count, cut } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { PartitionRow } from '../partition-row.ts'
import { Button, Waiting } from '../parts.ts'
import { type Route, replaceQuery } from '../route.ts'
import { Legend } from '../strip.ts'
import { things } from '../words.ts'
import { instanceOf } from './overview.ts'

const sorts = { stuck: 'Held back longest', lag: 'Lag', name: 'Name' } as const
type Sort = keyof typeof sorts

const perPageChoices = [25, 50, 100, 200] as const
const typingMs = 250
/** The server asks for no more. */
const fromMax = 1_000_000

export interface Window {
  readonly from: number
  readonly count: number
  readonly sort: Sort
  readonly find: string
}

/** What the address says is looked at; rubbish in it is the default. */
export function windowOf({ query }: Route): Window {
  const from = Number(query.from ?? 0)
  const wanted = Number(query.count ?? 25)
  const sort = query.sort ?? 'stuck'
  return {
    from: Number.isSafeInteger(from) && from > 0 ? Math.min(from, fromMax) : 0,
    count: perPageChoices.find((choice) => choice === wanted) ?? 25,
    sort: sort === 'lag' || sort === 'name' ? sort : 'stuck',
    find: query.find ?? '',
  }
}

export function Partitions({ frame, route, replay, ask }: PageProps): View {
  const view = windowOf(route)
  const past = replay.moment
  const names = new Map(frame.instances.map(({ id, name }) => [id, name]))
  const list = past === null ? liveList(frame.detail) : pastList(past.partitions, view)
  return h(
    'div',
    { class: 'page' },
    h(Toolbar, { route, view, total: list?.total ?? 0, ask, partitions: list?.partitions ?? [] }),
    h(Legend, null),
    past === null || past.partitions.length >= past.overview.partitions
      ? null
      : h(
          'p',
          { class: 'note' },
          `Of the past, the ${things(past.partitions.length, 'partition')} held back longest are kept.`,
        ),
    list === null
      ? h(Waiting, null)
      : list.partitions.length === 0
        ? h('p', { class: 'empty' }, nothingFound(view.find))
        : h(
            'ul',
            { class: 'partitions' },
            list.partitions.map((partition, i) =>
              h(PartitionRow, {
                key: i,
                partition,
                now: past?.at ?? frame.at,
                ask,
                instance: instanceOf(names, partition),
              }),
            ),
          ),
  )
}

interface List {
  readonly total: number
  readonly partitions: readonly PartitionFrame[]
}

const liveList = (detail: PageProps['frame']['detail']): List | null => (detail.page === 'partitions' ? detail : null)

const nothingFound = (find: string): string =>
  find === ''
    ? 'No partition is assigned. They appear when the group has given some to this consumer: see Group.'
    : `No partition is named like “${cut(find)}”, or held back by a key or an offset like it.`

/** The server keeps whole lists for the past: found, sorted and cut here. */
export function pastList(all: readonly PartitionFrame[], { from, count: many, sort, find }: Window): List {
  const wanted = find.toLowerCase()
  const found = all.filter(
    ({ topic, partition, blocking }) =>
      `${topic}-${partition}`.toLowerCase().includes(wanted) ||
      (blocking?.key ?? '').toLowerCase().includes(wanted) ||
      String(blocking?.offset ?? '') === wanted,
  )
  const sorted = found.toSorted(
    sort === 'name'
      ? (a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition
      : sort === 'lag'
        ? (a, b) => b.lag - a.lag
        : (a, b) => (b.blocking?.forMs ?? -1) - (a.blocking?.forMs ?? -1),
  )
  return { total: found.length, partitions: sorted.slice(from, from + many) }
}

function Toolbar(props: {
  readonly route: Route
  readonly view: Window
  readonly total: number
  readonly ask: Ask | null
  readonly partitions: readonly PartitionFrame[]
}): View {
  const { route, view, total, ask } = props
  const [typed, setTyped] = useState(view.find)
  const wait = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(wait.current), [])
  const last = Math.min(total, view.from + view.count)
  const find = (text: string): void => {
    setTyped(text)
    clearTimeout(wait.current)
    wait.current = setTimeout(() => replaceQuery(route, { find: text, from: '' }), typingMs)
  }
  const choose = (name: string) => (event: Event) => {
    if (event.target instanceof HTMLSelectElement) replaceQuery(route, { [name]: event.target.value, from: '' })
  }
  return h(
    'div',
    { class: 'toolbar' },
    h(
      'label',
      { class: 'field' },
      'Find',
      h('input', {
        type: 'search',
        value: typed,
        placeholder: 'partition, key or offset',
        onInput: (event: Event) => {
          if (event.target instanceof HTMLInputElement) find(event.target.value)
        },
      }),
    ),
    h(
      'label',
      { class: 'field' },
      'Sort',
      h(
        'select',
        { value: view.sort, onChange: choose('sort') },
        Object.entries(sorts).map(([value, name]) => h('option', { key: value, value }, name)),
      ),
    ),
    h(
      'label',
      { class: 'field' },
      'Show',
      h(
        'select',
        { value: String(view.count), onChange: choose('count') },
        perPageChoices.map((value) => h('option', { key: value, value: String(value) }, String(value))),
      ),
    ),
    h(
      'div',
      { class: 'pager', role: 'group', 'aria-label': 'Pages' },
      h(
        Button,
        {
          isDisabled: view.from === 0,
          onClick: () => replaceQuery(route, { from: String(Math.max(0, Math.min(view.from, total) - view.count)) }),
        },
        '‹ Previous',
      ),
      h(
        'span',
        { class: 'pager-words' },
        last <= view.from ? `none of ${count(total)}` : `${count(view.from + 1)}–${count(last)} of ${count(total)}`,
      ),
      h(
        Button,
        { isDisabled: last >= total, onClick: () => replaceQuery(route, { from: String(view.from + view.count) }) },
        'Next ›',
      ),
    ),
    ask === null ? null : h(TopicActions, { ask, partitions: props.partitions }),
  )
}

/** Topics of what is shown. */
function TopicActions({
  ask,
  partitions,
}: {
  readonly ask: Ask
  readonly partitions: readonly PartitionFrame[]
}): View {
  const topics = [...new Set(partitions.map(({ topic }) => topic))].sort()
  const [wanted, setWanted] = useState('')
  const topic = topics.includes(wanted) ? wanted : (topics[0] ?? '')
  return h(
    'div',
    { class: 'field', role: 'group', 'aria-label': 'Actions on a topic' },
    h(
      'select',
      {
        'aria-label': 'Topic',
        value: topic,
        onChange: (event: Event) => {
          if (event.target instanceof HTMLSelectElement) setWanted(event.target.value)
        },
      },
      topics.map((name) => h('option', { key: name, value: name }, cut(name, 32))),
    ),
    h(Button, { isDisabled: topic === '', onClick: () => ask(pauseTopic(topic, 'pause')) }, 'Pause topic…'),
    h(Button, { isDisabled: topic === '', onClick: () => ask(pauseTopic(topic, 'resume')) }, 'Resume topic…'),
  )
}
