/** Keys that hold most of the work. One key is one lane: no concurrency makes a lane faster. */

import type { LaneFrame } from '../../frames.ts'
import { type Ask, pauseKey } from '../actions.ts'
import { count, short, unknown } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { Button, FromOutside, Section, Text, Waiting } from '../parts.ts'
import { nameOf } from '../words.ts'

/** Of every instance the server tells as many; what comes after them is not hot. */
const shownMax = 20

export function Lanes({ frame, ask, hello }: PageProps): View {
  const { detail, overview } = frame
  if (detail.page !== 'lanes') return h(Waiting, null)
  if (hello.source === 'outside') return h(FromOutside, { what: 'Lanes' })
  const deepest = detail.hottest[0]?.depth ?? 0
  const mean = detail.count > 0 ? overview.inFlight.used / detail.count : 0
  const skew = mean > 0 ? deepest / mean : 0
  const part = overview.inFlight.used > 0 ? deepest / overview.inFlight.used : 0
  const facts: readonly (readonly [string, string])[] = [
    ['Lanes', count(detail.count)],
    ['Deepest', count(deepest)],
    ['Mean depth', mean === 0 ? unknown : mean.toFixed(1)],
    ['Skew', skew === 0 ? unknown : `${short(skew)} ×`],
  ]
  return h(
    'div',
    { class: 'page' },
    h(
      'dl',
      { class: 'facts' },
      facts.map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
    ),
    h('p', { class: 'note' }, advice(skew, part, deepest)),
    h(
      Section,
      { title: 'Hottest keys' },
      detail.hottest.length === 0
        ? h('p', { class: 'empty' }, 'No lanes: nothing is in flight, or records have no key.')
        : h(
            'ol',
            { class: 'lanes' },
            detail.hottest.slice(0, shownMax).map((lane, i) => h(Lane, { key: i, lane, deepest, ask })),
          ),
    ),
  )
}

/** Skew is hottest ÷ mean. */
function advice(skew: number, part: number, deepest: number): string {
  if (deepest < 10 || skew < 5)
    return 'Skew is the deepest lane divided by the mean. The work is spread well over the keys.'
  return `Skew is the deepest lane divided by the mean. One key holds ${Math.round(part * 100)} % of what is in flight, and its records run one after the other: more concurrency does not help it. A finer key (keyOf), or faster handling of this key, does.`
}

function Lane(props: { readonly lane: LaneFrame; readonly deepest: number; readonly ask: Ask | null }): View {
  const { lane, deepest, ask } = props
  const wish = lane.paused === null ? 'pause' : 'resume'
  return h(
    'li',
    { class: 'lane' },
    h('span', { class: 'lane-key' }, h(Text, { value: lane.key, max: 40 })),
    h(
      'span',
      { class: 'lane-place faint ellipsis', title: nameOf(lane) },
      lane.paused === null
        ? null
        : h(
            'span',
            { class: 'tag tag-warn', title: stopped[lane.paused] },
            lane.paused === 'user' ? 'paused' : 'parked',
          ),
      lane.paused === null ? '' : ' ',
      nameOf(lane),
    ),
    h(
      'span',
      { class: 'lane-bar', 'aria-hidden': 'true' },
      h('span', { style: { transform: `scaleX(${deepest > 0 ? lane.depth / deepest : 0})` } }),
    ),
    h('span', { class: 'lane-depth' }, count(lane.depth)),
    ask === null
      ? null
      : h(
          'span',
          { class: 'row-actions' },
          h(Button, { onClick: () => ask(pauseKey(lane, lane.key, wish)) }, wish === 'pause' ? 'Pause…' : 'Resume…'),
        ),
  )
}

const stopped: Readonly<Record<'user' | 'parked', string>> = {
  user: 'paused by hand: nothing of this key starts',
  parked: 'its breaker has stopped it: nothing of this key starts',
}
