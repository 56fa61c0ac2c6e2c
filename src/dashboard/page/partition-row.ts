/** One partition: its name, its map, its figures, and what it waits for. Its height never changes. */

import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import type { PartitionFrame } from '../frames.ts'
import { type Ask, pauseKey, pausePartition, skipRecord } from './actions.ts'
import { count, short, unknown } from './format.ts'
import { h, type View } from './h.ts'
import { Button, Text } from './parts.ts'
import { StripView } from './strip.ts'
import { useVisible } from './visible.ts'
import { isHeld, maybe, nameOf, pauseWords, said, sentence } from './words.ts'

export interface PartitionRowProps {
  readonly partition: PartitionFrame
  /** Of the server, when the frame was made. */
  readonly now: number
  /** Null: nothing can be done, or nothing may be. */
  readonly ask: Ask | null
  /** Named where there are several. */
  readonly instance: string | null
}

/** States that need no word. */
const ordinary: ReadonlySet<string> = new Set(['open', 'outside', ''])

/**
 * A row that is not on the screen keeps what it last said, until it comes near: two hundred rows cost no more than those that
 * are seen. A row that stands for another partition now says so at once, for those who read it without seeing it.
 */
export function PartitionRow(props: PartitionRowProps): View {
  const place = useRef<HTMLLIElement>(null)
  const isVisible = useVisible(place)
  const last = useRef<{ readonly name: string; readonly mayAct: boolean; readonly view: View } | null>(null)
  const name = nameOf(props.partition)
  const mayAct = props.ask !== null
  if (isVisible || last.current === null || last.current.name !== name || last.current.mayAct !== mayAct) {
    last.current = { name, mayAct, view: h(Row, { ...props, place }) }
  }
  return last.current.view
}

interface RowProps extends PartitionRowProps {
  readonly place: RefObject<HTMLLIElement | null>
}

function Row({ partition, now, ask, instance, place }: RowProps): View {
  const { blocking, paused } = partition
  const name = nameOf(partition)
  return h(
    'li',
    { ref: place, class: `partition${blocking?.stalled === true ? ' is-stalled' : ''}` },
    h(
      'div',
      { class: 'partition-name' },
      h('h3', { title: name }, name),
      h(
        'p',
        { class: 'tags' },
        ordinary.has(partition.state) ? null : h('span', { class: 'tag' }, partition.state),
        paused.map((reason) =>
          h('span', { key: reason, class: 'tag tag-warn', title: pauseWords[reason] ?? reason }, reason),
        ),
        instance === null ? null : h('span', { class: 'faint ellipsis', title: instance }, instance),
      ),
    ),
    h(StripView, { partition }),
    h(Figures, { partition }),
    h(
      'div',
      { class: 'partition-line' },
      h(Blocking, { partition, now }),
      ask === null ? null : h(RowActions, { partition, ask }),
    ),
  )
}

function Figures({ partition }: { readonly partition: PartitionFrame }): View {
  const { map, committed } = partition
  const isMapFull = map.limit > 0 && map.chars / map.limit > 0.8
  const figures: readonly (readonly [string, string, string, string?])[] = [
    ['lag', short(partition.lag), `${count(partition.lag)} records behind the end of the log`],
    ['oldest', maybe(partition.lagMs), 'age of the oldest record that is not finished'],
    ['gap', short(partition.gap), `${count(partition.gap)} records finished after the position`],
    [
      'map',
      `${short(map.chars)} / ${short(map.limit)}`,
      `${count(map.chars)} of ${count(map.limit)} characters (${map.encoding}, ${count(map.entries)} entries, ${count(map.truncated)} dropped)`,
      isMapFull ? 'warn' : '',
    ],
  ]
  const offsets: readonly (readonly [string, string, string])[] = [
    ['committed', committed === null ? unknown : count(committed), 'the position that the group has committed'],
    ['position', count(partition.position), 'everything before it is finished'],
    ['end', count(partition.logEnd), 'the offset that the next record will get'],
  ]
  return h(
    'div',
    { class: 'partition-figures' },
    h(
      'dl',
      { class: 'figures' },
      figures.map(([name, value, title, mood]) =>
        h('div', { key: name, title }, h('dt', null, name), h('dd', { class: mood ?? '' }, value)),
      ),
    ),
    h(
      'dl',
      { class: 'offsets' },
      offsets.map(([name, value, title]) =>
        h('div', { key: name, title }, h('dt', null, name), ' ', h('dd', null, value)),
      ),
    ),
  )
}

/** One plain sentence. */
function Blocking({ partition, now }: { readonly partition: PartitionFrame; readonly now: number }): View {
  const { blocking } = partition
  if (blocking === null) {
    const words = partition.lag === 0 ? 'Everything is finished.' : 'Nothing holds it back.'
    return h('p', { class: 'sentence faint' }, words)
  }
  const { offset, key, rest, error } = sentence(blocking, now)
  return h(
    'p',
    { class: isHeld(blocking) ? 'sentence' : 'sentence faint', title: said(blocking, now) },
    h('span', { class: isHeld(blocking) ? 'marker-sign' : 'faint', 'aria-hidden': 'true' }, '▼ '),
    h('strong', null, offset),
    key === null ? ' ' : [' (key ', h(Text, { value: key, max: 32 }), ') '],
    rest,
    error === null ? null : [': ', h('span', { class: 'error-text' }, h(Text, { value: error, max: 160 }))],
  )
}

function RowActions({ partition, ask }: { readonly partition: PartitionFrame; readonly ask: Ask }): View {
  const { blocking } = partition
  const isPaused = partition.paused.includes('user')
  // What will have gone before a button is found needs none.
  const held = isHeld(blocking) ? blocking : null
  const key = held?.key ?? null
  return h(
    'div',
    { class: 'row-actions', role: 'group', 'aria-label': `Actions on ${nameOf(partition)}` },
    held === null ? null : h(Button, { onClick: () => ask(skipRecord(partition, held.offset)) }, 'Skip record…'),
    key === null ? null : h(Button, { onClick: () => ask(pauseKey(partition, key, 'pause')) }, 'Pause key…'),
    h(
      Button,
      { onClick: () => ask(pausePartition(partition, isPaused ? 'resume' : 'pause')) },
      isPaused ? 'Resume…' : 'Pause…',
    ),
  )
}
