/** Two ways to do the same work, next to each other: how much the second one gains, and whether it keeps what it promises. */
import { useMemo } from 'preact/hooks'
import type { Beside, BesideRun } from '../frames.ts'
import { Chart } from './chart.ts'
import { count, rate, unknown, visible } from './format.ts'
import { h, type View } from './h.ts'
import { type Point, spanMs } from './series.ts'

export function BesidePanel(props: {
  readonly beside: Beside
  readonly series: readonly Point[]
  readonly at: number | null
}): View {
  const { beside, series, at } = props
  const { runs, ratio, check } = beside
  const names = runs.map(({ name }) => name).join()
  const most = Math.max(1, ...runs.map(({ perSecond }) => perSecond ?? 0))
  const { times, lines } = useMemo(
    () => ({
      times: series.map((point) => point.at),
      // The last one is the one that matters.
      lines: runs
        .map(({ name }, i) => ({
          label: visible(name),
          values: series.map((point) => point.beside?.runs[i]?.perSecond ?? null),
        }))
        .toReversed(),
    }),
    [series, names],
  )
  return h(
    'section',
    { class: 'beside', 'aria-label': visible(beside.title) },
    h(
      'div',
      { class: 'beside-figures' },
      h('h2', null, visible(beside.title)),
      h(
        'p',
        { class: 'beside-gain' },
        h('span', { class: 'beside-ratio' }, ratio === null ? unknown : timesOf(ratio)),
        h('span', { class: check.ok ? 'tag tag-good' : 'tag tag-bad', role: 'status' }, visible(check.words)),
      ),
      h(
        'ul',
        { class: 'beside-runs' },
        runs.map((run) => h(Run, { key: run.name, run, most })),
      ),
    ),
    h(Chart, { title: 'Records a second', times, lines, format: rate, spanMs, at }),
  )
}

function Run({ run, most }: { readonly run: BesideRun; readonly most: number }): View {
  const { name, records, perSecond, isOver } = run
  const words = perSecond === null ? 'its turn comes' : `${count(records)} records${isOver ? ', over' : ''}`
  return h(
    'li',
    { class: 'beside-run' },
    h('span', { class: 'ellipsis' }, visible(name)),
    h('span', { class: 'faint ellipsis' }, words),
    h('span', { class: 'beside-rate' }, perSecond === null ? unknown : rate(perSecond)),
    h(
      'span',
      { class: 'lane-bar', 'aria-hidden': 'true' },
      h('span', { style: { transform: `scaleX(${(perSecond ?? 0) / most})` } }),
    ),
  )
}

/** 4.2 ×, 17 × */
const timesOf = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)} ×`
