/** From runs to a table and to JSON. Who failed once gets no rate in the table, only the reasons. */
import { type Contender, contenders, measures } from './contenders.ts'
import type { Outcome } from './task.ts'

export interface Series {
  readonly contender: Contender
  readonly partitions: number
  readonly records: number
  /** One for each round; a string is why it failed. */
  readonly rounds: (Outcome | string)[]
}

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface Row {
  readonly name: string
  readonly title: string
  readonly kind: 'consume' | 'produce'
  readonly partitions: number
  /** Records a second. The headline: from the start until all is committed, or seen where nothing is committed. */
  readonly rate: Spread | null
  /** From the start until the last record was seen, or acknowledged. */
  readonly seenRate: Spread | null
  /** From the first record to the last: without connecting and joining. */
  readonly steadyRate: Spread | null
  /** From the start until all is committed. */
  readonly committedRate: Spread | null
  readonly cpuSecondsPerMillion: Spread | null
  readonly peakRssMb: Spread | null
  readonly failures: readonly string[]
}

export interface Ratio {
  readonly name: string
  readonly to: string
  readonly partitions: number
  readonly by: 'rate' | 'steadyRate'
  /** Round by round, so that a slow minute of the machine hits both. */
  readonly ratio: Spread
}

export function rowOf({ contender, partitions, records, rounds }: Series): Row {
  const good = rounds.filter((round) => typeof round !== 'string')
  const rate = (of: (outcome: Outcome) => number | null): Spread | null => {
    const values = good.map(of).filter((ms) => ms !== null)
    return spreadOf(
      values.map((ms) => (records / ms) * 1_000),
      0,
    )
  }
  const { name, title, kind } = contender
  return {
    name,
    title,
    kind,
    partitions,
    rate: rate(headlineMs),
    seenRate: rate(({ lastMs }) => lastMs),
    steadyRate: rate(steadyMs),
    committedRate: rate(({ committedMs }) => committedMs),
    cpuSecondsPerMillion: spreadOf(
      good.map(({ cpuSeconds }) => (cpuSeconds / records) * 1e6),
      2,
    ),
    peakRssMb: spreadOf(
      good.map(({ peakRssMb }) => peakRssMb),
      0,
    ),
    failures: rounds.filter((round) => typeof round === 'string'),
  }
}

const headlineMs = ({ committedMs, lastMs }: Outcome): number => committedMs ?? lastMs
const steadyMs = ({ firstMs, lastMs }: Outcome): number | null => (firstMs === null ? null : lastMs - firstMs)

/** Ours against each other one, by kind and number of partitions. */
export function ratiosOf(all: readonly Series[]): Ratio[] {
  return all.flatMap((other) => {
    const { kind, name } = other.contender
    const ours = all.find((one) => one.contender.name === measures[kind] && one.partitions === other.partitions)
    if (ours === undefined || ours === other) return []
    return (['rate', 'steadyRate'] as const).flatMap((by): Ratio[] => {
      const ms = by === 'rate' ? headlineMs : steadyMs
      const ratio = spreadOf(
        ours.rounds.flatMap((round, index) => {
          const against = other.rounds[index]
          if (typeof round === 'string' || typeof against !== 'object') return []
          const [own, theirs] = [ms(round), ms(against)]
          return own === null || theirs === null ? [] : [theirs / own]
        }),
        3,
      )
      const { partitions } = other
      return ratio === null ? [] : [{ name: ours.contender.name, to: name, partitions, by, ratio }]
    })
  })
}

function spreadOf(values: readonly number[], digits: number): Spread | null {
  const sorted = values.map((value) => Number(value.toFixed(digits))).sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  const [min, max] = [sorted[0], sorted.at(-1)]
  return median === undefined || min === undefined || max === undefined ? null : { median, min, max }
}

const thousands = ({ median, min, max }: Spread): string =>
  `${(median / 1e3).toFixed(0)} (${(min / 1e3).toFixed(0)}–${(max / 1e3).toFixed(0)})`
const cell = (spread: Spread | null, digits: number): string => (spread === null ? '–' : spread.median.toFixed(digits))

const heads = {
  consume: 'Consume: thousand records/s, median (min–max)',
  produce: 'Produce: thousand records/s until all are acknowledged, idempotent, acks=all',
} as const

/** Plain text that fits in 100 columns. */
export function table(rows: readonly Row[], ratios: readonly Ratio[]): string {
  const lines: string[] = []
  for (const kind of ['consume', 'produce'] as const) {
    for (const partitions of [...new Set(rows.map((row) => row.partitions))]) {
      const chosen = rows.filter((row) => row.kind === kind && row.partitions === partitions)
      if (chosen.length === 0) continue
      lines.push('', `${heads[kind]} · ${partitions} partition${partitions === 1 ? '' : 's'}`)
      const ours = contenders.find(({ name }) => name === measures[kind])?.title ?? ''
      const steady = kind === 'consume' ? 'steady' : ''
      lines.push(
        line('', kind === 'consume' ? 'headline ¹' : 'acknowledged', steady, 'CPU s/M', 'RSS MB', 'ours ÷ it ²'),
      )
      for (const row of chosen) lines.push(...rowLines(row, ratios))
      lines.push(`² ${ours} ÷ this one, by the headline, round by round: median (min–max)`)
    }
  }
  lines.push('¹ from connecting until all is committed; where nothing is committed (·), until the last record was seen')
  lines.push('steady: from the first record to the last, without connecting and joining')
  return lines.join('\n')
}

function rowLines(row: Row, ratios: readonly Ratio[]): string[] {
  const failures = row.failures.map((text) => `  FAILED: ${text.replaceAll(/\s+/g, ' ').slice(0, 86)}`)
  if (row.rate === null || failures.length > 0) {
    return [line(row.title, `FAILED ${row.failures.length} ×`, '', '', '', ''), ...failures]
  }
  const mark = row.kind === 'consume' && row.committedRate === null ? ' ·' : ''
  const found = ratios.find((each) => each.to === row.name && each.partitions === row.partitions && each.by === 'rate')
  const ratio =
    found === undefined
      ? ''
      : `${found.ratio.median.toFixed(2)} (${found.ratio.min.toFixed(2)}–${found.ratio.max.toFixed(2)})`
  const steady = row.steadyRate === null ? '' : thousands(row.steadyRate)
  const cpu = cell(row.cpuSecondsPerMillion, 2)
  return [line(row.title, thousands(row.rate) + mark, steady, cpu, cell(row.peakRssMb, 0), ratio)]
}

function line(title: string, rate: string, steady: string, cpu: string, rss: string, ratio: string): string {
  const cells = [title.padEnd(33), rate.padEnd(17), steady.padEnd(17), cpu.padStart(7), rss.padStart(7), ` ${ratio}`]
  return cells.join('').trimEnd()
}
