/** The first page: is it healthy, and if not, what does it wait for? */
import type { ComponentChild } from 'preact'
import { useMemo } from 'preact/hooks'
import type { InstanceFrame, OverviewFrame, PartitionFrame } from '../../frames.ts'
import { type Ask, changeConcurrency } from '../actions.ts'
import { BesidePanel } from '../beside.ts'
import { Chart } from '../chart.ts'
import { age, bytes, count, duration, rate, short, unknown, visible } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { PartitionRow } from '../partition-row.ts'
import { Button, type Column, Meter, Section, Table, Text } from '../parts.ts'
import { linkTo } from '../route.ts'
import { type Point, spanMs } from '../series.ts'
import { Legend } from '../strip.ts'
import { healthOf, isHeld, nameOf, pausesOf, said, things, trendOf } from '../words.ts'

const stuckShownMax = 5

export function Overview({ hello, frame, series, replay, ask }: PageProps): View {
  const past = replay.moment
  const overview = past?.overview ?? frame.overview
  const now = past?.at ?? frame.at
  const beside = past === null ? frame.beside : past.beside
  const stuck = past?.partitions ?? (frame.detail.page === 'overview' ? frame.detail.stuck : [])
  const held = stuck.filter(({ blocking }) => isHeld(blocking))
  const names = new Map(frame.instances.map(({ id, name }) => [id, name]))
  return h(
    'div',
    { class: 'page' },
    h(HealthLine, { overview, instances: frame.instances, worst: held[0] ?? null, now }),
    beside === null ? null : h(BesidePanel, { beside, series, at: past?.at ?? null }),
    h(Tiles, {
      overview,
      series,
      ask,
      isOutside: hello.source === 'outside',
      concurrency: Math.max(...frame.instances.map((instance) => instance.concurrency), 1),
    }),
    h(Charts, { series, at: past?.at ?? null, isOutside: hello.source === 'outside' }),
    h(
      Section,
      {
        title: 'Held back longest',
        aside: h('a', { href: linkTo('partitions') }, `All ${things(overview.partitions, 'partition')}`),
      },
      h(Legend, null),
      held.length === 0
        ? h('p', { class: 'empty' }, 'No partition is held back: what was read is finished, or has just begun.')
        : h(
            'ul',
            { class: 'partitions' },
            held
              .slice(0, stuckShownMax)
              .map((partition, i) =>
                h(PartitionRow, { key: i, partition, now, ask, instance: instanceOf(names, partition) }),
              ),
          ),
    ),
    frame.instances.length > 1
      ? h(
          Section,
          { title: 'Instances' },
          h(Table<InstanceFrame>, {
            caption: 'Instances of the group',
            columns: instanceColumns(ask, frame.at),
            rows: frame.instances,
            empty: '',
          }),
        )
      : null,
  )
}

export const instanceOf = (names: ReadonlyMap<string, string>, { instance }: PartitionFrame): string | null =>
  names.size > 1 ? visible(names.get(instance) ?? instance) : null

function HealthLine(props: {
  readonly overview: OverviewFrame
  readonly instances: readonly InstanceFrame[]
  readonly worst: PartitionFrame | null
  readonly now: number
}): View {
  const { overview, instances, worst, now } = props
  const silent = instances.filter(({ state }) => state === 'silent')
  const { mood, headline } = healthOf(overview, silent.length)
  const pauses = pausesOf(overview.paused)
  const because =
    worst !== null && isHeld(worst.blocking)
      ? `${nameOf(worst)}: ${said(worst.blocking, now)}`
      : silent[0] !== undefined
        ? `${visible(silent[0].name)}: ${visible(silent[0].problem ?? 'no answer')}`
        : 'No record holds a partition back for long.'
  return h(
    'div',
    { class: `health health-${mood}` },
    h('span', { class: 'health-sign', 'aria-hidden': 'true' }, mood === 'good' ? '✓' : mood === 'busy' ? '•' : '!'),
    h(
      'div',
      { class: 'health-words' },
      h('p', { class: 'health-head', role: 'status' }, headline),
      h('p', { class: 'health-because', title: because }, because),
      h(
        'p',
        { class: 'health-pauses faint' },
        pauses.length === 0 ? 'All partitions are being read.' : `Not reading · ${pauses.join(' · ')}`,
      ),
    ),
  )
}

function Tiles(props: {
  readonly overview: OverviewFrame
  readonly series: readonly Point[]
  readonly ask: Ask | null
  readonly isOutside: boolean
  /** Of one instance. */
  readonly concurrency: number
}): View {
  const { overview, series, ask, isOutside } = props
  const { rates, handlerMs, inFlight, running, commitMs } = overview
  const before = series.find(({ at }) => at >= (series.at(-1)?.at ?? 0) - 60_000)
  const trend = trendOf(overview.lag, before?.overview.lag ?? overview.lag)
  return h(
    'div',
    { class: isOutside ? 'tiles few' : 'tiles' },
    h(Tile, {
      title: 'Throughput',
      value: rate(rates.finished),
      below: isOutside ? ['as it is committed'] : [`${rate(rates.admitted)} read · ${rate(rates.retries)} retried`],
    }),
    h(Tile, {
      title: 'Lag',
      value: short(overview.lag),
      tone: trend === 'rising' ? 'warn' : '',
      below: [
        h(
          'span',
          { class: `trend trend-${trend}`, title: `${trend} over the last minute` },
          { rising: '▲', falling: '▼', steady: '■' }[trend],
          h('span', { class: 'trend-word' }, ` ${trend}`),
        ),
        ` · oldest ${overview.lagMs === null ? unknown : age(overview.lagMs)}`,
      ],
    }),
    // What only the consumer itself knows.
    isOutside
      ? null
      : [
          h(Tile, {
            title: 'Handler p50 · p99',
            value: handlerMs === null ? unknown : `${duration(handlerMs.p50)} · ${duration(handlerMs.p99)}`,
            isLong: true,
            below: [`commit p99 ${commitMs === null ? unknown : duration(commitMs.p99)}`],
          }),
          h(Tile, {
            title: 'In flight',
            value: short(inFlight.used),
            of: short(inFlight.limit),
            meter: h(Meter, { ...inFlight, label: 'In flight' }),
            below: [`${bytes(overview.bytes.used)} of ${bytes(overview.bytes.limit)}`],
          }),
          h(Tile, {
            title: 'Running',
            value: short(running.used),
            of: short(running.limit),
            meter: h(Meter, { ...running, label: 'Running' }),
            below: [`${short(overview.lanes)} lanes · ${short(overview.waiting)} waiting`],
            action:
              ask === null
                ? null
                : h(Button, { onClick: () => ask(changeConcurrency(props.concurrency, null)) }, 'Change…'),
          }),
        ],
  )
}

function Tile(props: {
  readonly title: string
  readonly value: string
  readonly of?: string
  readonly tone?: string
  readonly isLong?: boolean
  readonly meter?: View
  readonly below: readonly ComponentChild[]
  readonly action?: View | null
}): View {
  return h(
    'div',
    { class: 'tile' },
    h('div', { class: 'tile-head' }, h('h2', null, props.title), props.action ?? null),
    h(
      'p',
      { class: `tile-value ${props.tone ?? ''}${props.isLong === true ? ' tile-long' : ''}` },
      props.value,
      props.of === undefined ? null : h('span', { class: 'tile-of' }, ` of ${props.of}`),
    ),
    props.meter ?? null,
    h('p', { class: 'tile-below' }, props.below),
  )
}

function Charts(props: {
  readonly series: readonly Point[]
  readonly at: number | null
  readonly isOutside: boolean
}): View {
  const { series, at, isOutside } = props
  const data = useMemo(
    () => ({
      times: series.map((point) => point.at),
      throughput: [
        { label: 'finished', values: series.map(({ overview }) => overview.rates.finished) },
        { label: 'read', values: series.map(({ overview }) => overview.rates.admitted) },
      ],
      lag: [{ label: 'records behind', values: series.map(({ overview }) => overview.lag) }],
      latency: [
        { label: 'p50', values: series.map(({ overview }) => overview.handlerMs?.p50 ?? null) },
        { label: 'p99', values: series.map(({ overview }) => overview.handlerMs?.p99 ?? null) },
      ],
    }),
    [series],
  )
  const { times } = data
  return h(
    'div',
    { class: isOutside ? 'charts few' : 'charts' },
    h(Chart, { title: 'Throughput', times, lines: data.throughput, format: rate, spanMs, at }),
    h(Chart, { title: 'Lag', times, lines: data.lag, format: short, spanMs, at }),
    isOutside ? null : h(Chart, { title: 'Handler latency', times, lines: data.latency, format: duration, spanMs, at }),
  )
}

function instanceColumns(ask: Ask | null, now: number): Column<InstanceFrame>[] {
  const columns: Column<InstanceFrame>[] = [
    { title: 'Instance', width: '26%', cell: (row) => h(Text, { value: row.name }) },
    {
      title: 'State',
      width: '18%',
      cell: (row) =>
        row.state === 'up'
          ? h('span', { class: 'tag tag-good' }, 'up')
          : h(
              'span',
              { title: visible(row.problem ?? '') },
              h('span', { class: 'tag tag-bad' }, row.state),
              ` ${age(now - row.at)}`,
            ),
    },
    { title: 'Partitions', width: '10%', isNumber: true, cell: (row) => count(row.partitions) },
    { title: 'Finished', width: '11%', isNumber: true, cell: (row) => rate(row.finishedPerSecond) },
    { title: 'In flight', width: '10%', isNumber: true, cell: (row) => count(row.inFlight) },
    {
      title: 'Running',
      width: '12%',
      isNumber: true,
      cell: (row) => `${count(row.running)} of ${count(row.concurrency)}`,
    },
    { title: 'Memory', width: '13%', isNumber: true, cell: (row) => bytes(row.rssBytes) },
  ]
  if (ask === null) return columns
  const change = (row: InstanceFrame): ComponentChild =>
    h(Button, { onClick: () => ask(changeConcurrency(row.concurrency, row)) }, 'Change…')
  return [...columns, { title: 'Concurrency', width: '11%', cell: change }]
}
