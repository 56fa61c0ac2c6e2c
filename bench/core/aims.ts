/** What this project set out to reach, held against what was measured. Missed aims are shown as such. */
import {
  type ContenderResult,
  type GoodRound,
  isGood,
  type Results,
  shareOfIdeal,
  type VariantResult,
  valuesOf,
} from './results.ts'
import { ratioOf, type Spread, shown, shownSpread, spreadOf } from './stats.ts'

export interface Aim {
  readonly workload: string
  readonly text: string
  /** Null: not measured. */
  readonly met: boolean | null
  readonly measured: string
}

type Pick = (round: GoodRound) => number | null | undefined

export function aimsOf(results: Results): Aim[] {
  const aims = all(results)
  // Tiny sizes decide nothing: most of such a run is connecting and compiling.
  return results.about.quick ? aims.map(({ workload, text }) => notMeasured(workload, text)) : aims
}

function all(results: Results): Aim[] {
  return [
    ...[1, 2].flatMap((n) => [
      ofTheIdeal(results, `W${n}`, 'c100'),
      ...['c100', 'c1000'].flatMap((variant) => againstPc(results, `W${n}`, variant)),
    ]),
    ofTheIdeal(results, 'W3', 'p8'),
    ...aboveLoops(results),
    ...straggler(results),
    versus(
      results,
      { workload: 'W7', variant: 'copy', ours: 'ours-copy', other: 'copier', atLeast: 1 },
      'at least Kafka’s own way of copying',
    ),
    latency(results),
    ...flat(results),
  ]
}

const find = ({ variants }: Results, workload: string, variant: string): VariantResult | undefined =>
  variants.find((each) => each.workload === workload && each.variant === variant && each.broker === 'kafka')

const named = (variant: VariantResult | undefined, name: string): ContenderResult | undefined =>
  variant?.contenders.find((each) => each.name === name)

/** Null where it was not run, or failed in any round. */
function spread(one: ContenderResult | undefined, pick: Pick): Spread | null {
  if (one === undefined || one.rounds.length === 0 || !one.rounds.every(isGood)) return null
  return spreadOf(valuesOf(one, pick).filter((value) => value !== null))
}

function ratio(ours: ContenderResult | undefined, other: ContenderResult | undefined, pick: Pick): Spread | null {
  return ours === undefined || other === undefined ? null : ratioOf(valuesOf(ours, pick), valuesOf(other, pick))
}

const notMeasured = (workload: string, text: string): Aim => ({ workload, text, met: null, measured: 'not measured' })

function ofTheIdeal(results: Results, workload: string, name: string): Aim {
  const variant = find(results, workload, name)
  const text = `${name}: at least 90 % of the ideal, from the first handler until all is committed`
  const found = variant && spread(named(variant, 'ours'), (round) => shareOfIdeal(variant, round))
  if (!found) return notMeasured(workload, text)
  const share = (value: number): string => `${Math.round(value * 100)} %`
  const range = found.rounds === 1 ? '' : ` (${share(found.min)}–${share(found.max)})`
  return { workload, text, met: found.median >= 0.9, measured: `${share(found.median)}${range}` }
}

interface Versus {
  readonly workload: string
  readonly variant: string
  readonly ours?: string
  readonly other: string
  readonly pick?: Pick
  readonly atLeast?: number
  readonly atMost?: number
}

function versus(results: Results, asked: Versus, text: string): Aim {
  const { workload, ours = 'ours', other, pick = (round) => round.rate, atLeast = 0, atMost = Infinity } = asked
  const variant = find(results, workload, asked.variant)
  const found = ratio(named(variant, ours), named(variant, other), pick)
  const whole = `${asked.variant}: ${text}`
  if (found === null) return notMeasured(workload, whole)
  return {
    workload,
    text: whole,
    met: found.median >= atLeast && found.median <= atMost,
    measured: `${shownSpread(found)} ×`,
  }
}

function againstPc(results: Results, workload: string, variant: string): Aim[] {
  const pc = { workload, variant, other: 'pc' }
  return [
    versus(results, { ...pc, atLeast: 1 }, 'ahead of Confluent Parallel Consumer'),
    versus(results, { ...pc, pick: (round) => round.cpuSeconds, atMost: 1 / 3 }, 'at most ⅓ of its CPU'),
    versus(results, { ...pc, pick: (round) => round.peakRssMb, atMost: 1 / 2 }, 'at most ½ of its memory'),
  ]
}

/** Not ours: the loops of other clients. */
const loops = ['kafkajs', 'platformatic', 'platformatic-fetch', 'confluent', 'java'] as const

function aboveLoops(results: Results): Aim[] {
  const variant = find(results, 'W4', 'p8')
  const ran = loops.filter((name) => named(variant, name)?.absent === null)
  const asked = { workload: 'W4', variant: 'p8' }
  return [
    ...ran.map((other) => {
      const title = named(variant, other)?.title ?? other
      return versus(results, { ...asked, other, atLeast: 1.5 }, `at least 1.5 × ${title}`)
    }),
    versus(results, { ...asked, other: 'pc', atLeast: 20 }, 'at least 20 × Confluent Parallel Consumer'),
  ]
}

function straggler(results: Results): Aim[] {
  const ours = named(find(results, 'W5', 'mid-flight'), 'ours')
  const never = 'mid-flight: nothing is never processed'
  const twice = 'mid-flight: at most 1 % of what was done is done twice'
  if (ours === undefined || ours.rounds.length === 0) return [notMeasured('W5', never), notMeasured('W5', twice)]
  const lost = ours.rounds.reduce((sum, round) => sum + ('lost' in round ? round.lost : 0), 0)
  const isWhole = ours.rounds.every((round) => 'lost' in round)
  const share = spread(ours, (round) => round.more['done twice %'])
  return [
    {
      workload: 'W5',
      text: never,
      met: isWhole && lost === 0,
      measured: `${shown(lost)} in ${ours.rounds.length} rounds`,
    },
    share === null
      ? notMeasured('W5', twice)
      : { workload: 'W5', text: twice, met: share.median <= 1, measured: `${shownSpread(share)} %` },
  ]
}

function latency(results: Results): Aim {
  const variant = find(results, 'W8', 'paced')
  const p99: Pick = (round) => round.more['p99 ms']
  const [ours, bare] = [spread(named(variant, 'ours'), p99), spread(named(variant, 'ours-bare'), p99)]
  const text = 'paced: p99 within 1 ms of the bare loop of the same client'
  if (ours === null || bare === null) return notMeasured('W8', text)
  const measured = `${shownSpread(ours)} ms, bare ${shownSpread(bare)} ms`
  return { workload: 'W8', text, met: ours.median - bare.median <= 1, measured }
}

/** Each step of ten times more. */
const steps = [
  ['p10-k100000', 'p100-k100000', '10 → 100 partitions'],
  ['p100-k100000', 'p1000-k100000', '100 → 1,000 partitions'],
  ['p100-k10000', 'p100-k100000', '10,000 → 100,000 keys'],
  ['p100-k100000', 'p100-k1000000', '100,000 → 1,000,000 keys'],
] as const

function flat(results: Results): Aim[] {
  return steps.map(([from, to, title]) => {
    const text = `${title}: CPU per record within 20 %`
    const costs = [from, to].map((name) =>
      spread(named(find(results, 'W9', name), 'ours-reading'), (round) => round.cpuSeconds),
    )
    const [before, after] = costs
    if (!before || !after) return notMeasured('W9', text)
    const growth = after.median / before.median
    return { workload: 'W9', text, met: growth <= 1.2, measured: `× ${shown(growth)}` }
  })
}

export interface Loss {
  readonly place: string
  readonly text: string
}

/** Where somebody else is better: the rate, and what else a workload measures where less is better. */
export function lossesOf({ variants, about }: Results): Loss[] {
  if (about.quick) return []
  return variants.flatMap((variant) => {
    const ours = variant.contenders.find(({ name }) => name.startsWith('ours'))
    if (ours === undefined) return []
    const place = `${variant.workload} ${variant.variant}${variant.broker === 'kafka' ? '' : ', embedded broker'}`
    return variant.contenders
      .filter((other) => !other.name.startsWith('ours') && other.rounds.length > 0 && other.rounds.every(isGood))
      .flatMap((other) => lossesTo(ours, other).map((text) => ({ place, text })))
  })
}

/** In all these less is better. */
const costs: Readonly<Record<string, Pick>> = {
  'peak memory': (round) => round.peakRssMb,
  'p50 latency': (round) => round.more['p50 ms'],
  'p99 latency': (round) => round.more['p99 ms'],
  'p99.9 latency': (round) => round.more['p99.9 ms'],
  'share of records done twice': (round) => round.more['done twice %'],
  'standstill when a member joins': (round) => round.more['standstill at join ms'],
  'standstill when a member leaves': (round) => round.more['standstill at leave ms'],
}

function lossesTo(ours: ContenderResult, other: ContenderResult): string[] {
  const rate = ratio(other, ours, (round) => round.rate)
  const perRecord =
    ({ records }: ContenderResult): Pick =>
    (round) =>
      round.rate === null || round.cpuSeconds === null ? null : round.cpuSeconds / records
  const cpu = ratioOf(valuesOf(other, perRecord(other)), valuesOf(ours, perRecord(ours)))
  const points = [
    ...(rate !== null && rate.median > 1 ? [`${shown(rate.median)} × as fast`] : []),
    ...(cpu !== null && cpu.median < 1 ? [`${shown(cpu.median)} × our CPU for a record`] : []),
    ...Object.entries(costs).flatMap(([name, pick]) => {
      const found = ratio(other, ours, pick)
      return found !== null && found.median < 1 ? [`${shown(found.median)} × our ${name}`] : []
    }),
  ]
  return points.length === 0 ? [] : [`${other.title}: ${points.join(', ')}`]
}
