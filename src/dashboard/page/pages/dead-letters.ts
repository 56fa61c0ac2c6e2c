/** What failed for good. Letters are listed without what is in them: that is shown when somebody asks for it. */
import type { ComponentChild } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DeadLetter, DeadLetterContent, DeadLetters } from '../../frames.ts'
import { type Ask, redriveAll, redriveOne } from '../actions.ts'
import { type Answer, get } from '../api.ts'
import { Modal } from '../dialog.ts'
import { count, cut, timeOfDay, visible } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { Button, type Column, Section, Table, Text } from '../parts.ts'
import { nameOf } from '../words.ts'

const perPage = 50

interface Loaded {
  readonly topics: DeadLetters['topics']
  readonly letters: readonly DeadLetter[]
  readonly before: string | null
  readonly problem: string | null
}

export function DeadLettersPage({ frame, group, ask, changes }: PageProps): View {
  const [topic, setTopic] = useState('')
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [shown, setShown] = useState<DeadLetter | null>(null)
  const exhausted = frame.overview.totals.exhausted ?? 0

  const load = async (before: string | null): Promise<void> => {
    const query = { group, count: String(perPage), ...(topic === '' ? {} : { topic }) }
    const answer = await get<DeadLetters>('api/dead-letters', before === null ? query : { ...query, before })
    setLoaded((known) => afterAnswer(known, answer, before !== null))
  }
  // New letters show up by themselves, as long as nobody has gone further back.
  useEffect(() => {
    void load(null)
  }, [group, topic, changes, exhausted])

  // A topic is always chosen, if there is one.
  const first = loaded?.topics[0]?.topic ?? ''
  useEffect(() => {
    if (topic === '' && first !== '') setTopic(first)
  }, [topic, first])

  if (loaded === null) return h('p', { class: 'empty' }, 'Reading the dead-letter topics…')
  const chosen = loaded.topics.find((one) => one.topic === topic) ?? loaded.topics[0]
  return h(
    'div',
    { class: 'page' },
    loaded.problem === null
      ? null
      : h('p', { class: 'problem', role: 'alert' }, `Not read: ${visible(loaded.problem)}`),
    h(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Dead-letter topics' },
      loaded.topics.map((one) =>
        h(
          'button',
          {
            key: one.topic,
            type: 'button',
            class: 'chip',
            'aria-pressed': one.topic === chosen?.topic ? 'true' : 'false',
            onClick: () => setTopic(one.topic),
          },
          cut(one.topic),
          h('span', { class: 'chip-count' }, count(one.letters)),
        ),
      ),
      h(Button, { onClick: () => void load(null) }, 'Refresh'),
    ),
    h(
      Section,
      {
        title: chosen === undefined ? 'Letters' : cut(chosen.topic),
        aside:
          ask === null || chosen === undefined || loaded.letters.length === 0
            ? null
            : h(Button, { onClick: () => ask(redriveAll(chosen.topic, chosen.letters)) }, 'Redrive all…'),
      },
      h(Table<DeadLetter>, {
        caption: 'Dead letters, newest first',
        columns: columns(frame.at, ask, setShown),
        rows: loaded.letters,
        empty: 'No dead letters. Nothing has failed for good.',
      }),
      loaded.before === null ? null : h(Button, { onClick: () => void load(loaded.before) }, 'Older letters'),
    ),
    shown === null ? null : h(Content, { group, letter: shown, close: () => setShown(null) }),
  )
}

function afterAnswer(known: Loaded | null, answer: Answer<DeadLetters>, isMore: boolean): Loaded {
  if (!answer.ok) return { topics: [], letters: [], before: null, ...known, problem: answer.message }
  const { topics, letters, before } = answer.value
  return { topics, letters: isMore ? [...(known?.letters ?? []), ...letters] : letters, before, problem: null }
}

function columns(now: number, ask: Ask | null, show: (letter: DeadLetter) => void): Column<DeadLetter>[] {
  const action = (letter: DeadLetter): ComponentChild =>
    h(
      'span',
      { class: 'row-actions' },
      h(Button, { onClick: () => show(letter) }, 'Show'),
      ask === null
        ? null
        : h(Button, { onClick: () => ask(redriveOne(letter, letter.offset, sourceTopic(letter))) }, 'Redrive…'),
    )
  return [
    { title: 'When', width: '12%', cell: (row) => timeOfDay(row.at, now) },
    { title: 'From', width: '17%', cell: (row) => h(Text, { value: sourceOf(row) }) },
    { title: 'Key', width: '15%', cell: (row) => h(Text, { value: row.key }) },
    {
      title: 'Error',
      width: '30%',
      cell: (row) =>
        h(Text, {
          value: [row.errorCode, row.errorMessage].filter((part) => part !== null).join(': ') || null,
          max: 140,
        }),
    },
    {
      title: 'Attempts',
      width: '8%',
      isNumber: true,
      cell: (row) => (row.attempts === null ? '–' : count(row.attempts)),
    },
    {
      title: ' ',
      width: '18%',
      cell: (row) => [row.redriven ? h('span', { class: 'tag tag-good' }, 'redriven') : null, action(row)],
    },
  ]
}

const sourceOf = ({ source }: DeadLetter): string | null =>
  source === null ? null : `${nameOf(source)}@${source.offset}`
const sourceTopic = ({ source }: DeadLetter): string => (source === null ? 'where it came from' : cut(source.topic))

/** What is in a letter: somebody asked for it. */
function Content({
  group,
  letter,
  close,
}: {
  readonly group: string
  readonly letter: DeadLetter
  readonly close: () => void
}): View {
  const [answer, setAnswer] = useState<Answer<DeadLetterContent> | null>(null)
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { topic, partition, offset } = letter
      setAnswer(await get('api/dead-letter', { group, topic, partition: String(partition), offset: String(offset) }))
    }
    void load()
  }, [letter])
  return h(
    Modal,
    { title: `Letter ${nameOf(letter)}@${letter.offset}`, isWide: true, close },
    answer === null
      ? h('p', { class: 'empty' }, 'Reading it…')
      : answer.ok
        ? [
            h('h3', null, 'Key'),
            h('pre', null, shownText(answer.value.key)),
            h('h3', null, 'Value'),
            h('pre', { class: 'payload', tabIndex: 0 }, shownText(answer.value.value)),
            h('h3', null, 'Headers'),
            h(Table<DeadLetterContent['headers'][number]>, {
              caption: 'Headers',
              columns: [
                { title: 'Name', width: '35%', cell: (row) => h(Text, { value: row.key, max: 80 }) },
                { title: 'Value', width: '65%', cell: (row) => h(Text, { value: row.value, max: 200 }) },
              ],
              rows: answer.value.headers,
              empty: 'It has no headers.',
            }),
          ]
        : h('p', { class: 'problem', role: 'alert' }, visible(answer.message)),
    h('div', { class: 'dialog-buttons' }, h('button', { type: 'button', onClick: close }, 'Close')),
  )
}

const shownText = (text: string | null): string =>
  text === null ? '(null)' : text === '' ? '(empty)' : visible(text, true)
