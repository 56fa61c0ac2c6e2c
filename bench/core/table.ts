/** From results to the table that is printed, and to the same rows for the page. Who failed in any round gets no rate. */
import { type ContenderResult, type GoodRound, isGood, shareOfIdeal, type VariantResult, valuesOf } from './results.ts'
import { ratioOf, shown, shownSpread, spreadOf } from './stats.ts'

export interface Row {
  readonly title: string
  /** The numbers, column by column; one text over all columns where there are none. */
  readonly cells: readonly string[] | string
}

export interface Table {
  readonly heads: readonly string[]
  readonly rows: readonly Row[]
}

const isOurs = ({ name }: ContenderResult): boolean => name === 'ours' || name.startsWith('ours-')
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Ours that all others are set against: the first of ours. */
const measureOf = ({ contenders }: VariantResult): ContenderResult | undefined => contenders.find(isOurs)

export function tableOf(variant: VariantResult): Table {
  const names = moreNames(variant)
  const hasRates = variant.contenders.some((one) => one.rounds.some((round) => 'rate' in round && round.rate !== null))
  const hasSteady = variant.contenders.some((one) => valuesOf(one, (round) => round.steadyRate).some((v) => v !== null))
  const ideal = variant.idealRate
  const heads = [
    ...(hasRates ? ['records/s'] : []),
    ...(hasSteady ? ['steady records/s'] : []),
    ...(ideal !== null && hasSteady ? ['of the ideal'] : []),
    ...names,
    hasRates ? 'CPU s per million' : 'CPU s',
    'peak MB',
    'lost',
    'reordered',
    'duplicated',
    ...(hasRates ? ['ours ÷ it'] : []),
  ]
  const rows = variant.contenders.map((one): Row => {
    const why = whyNone(one)
    if (why !== null) return { title: one.title, cells: why }
    const of = (pick: (round: GoodRound) => number | null | undefined): string =>
      shownSpread(spreadOf(valuesOf(one, pick).filter((value) => value !== null)))
    const total = (pick: (round: GoodRound) => number): string => shown(sum(one.rounds.filter(isGood).map(pick)))
    const share = spreadOf(valuesOf(one, (round) => shareOfIdeal(variant, round)).filter((value) => value !== null))
    const cells = [
      ...(hasRates ? [of((round) => round.rate)] : []),
      ...(hasSteady ? [of((round) => round.steadyRate)] : []),
      ...(ideal !== null && hasSteady ? [share === null ? '–' : `${Math.round(share.median * 100)} %`] : []),
      ...names.map((name) => of((round) => round.more[name])),
      of((round) => (round.cpuSeconds === null ? null : round.cpuSeconds * (hasRates ? 1e6 / one.records : 1))),
      of((round) => round.peakRssMb),
      total((round) => round.lost),
      variant.order === 'none' ? '–' : total((round) => round.reordered),
      total((round) => round.duplicated),
      ...(hasRates ? [againstOurs(variant, one)] : []),
    ]
    return { title: one.records < mostRecords(variant) ? `${one.title} ¹` : one.title, cells }
  })
  return { heads, rows }
}

function againstOurs(variant: VariantResult, one: ContenderResult): string {
  const ours = measureOf(variant)
  if (ours === undefined || ours === one) return ''
  return shownSpread(
    ratioOf(
      valuesOf(ours, (round) => round.rate),
      valuesOf(one, (round) => round.rate),
    ),
  )
}

export const mostRecords = ({ contenders }: VariantResult): number =>
  Math.max(...contenders.map(({ records }) => records))

const moreNames = ({ contenders }: VariantResult): string[] => [
  ...new Set(
    contenders.flatMap(({ rounds }) => rounds.flatMap((round) => ('more' in round ? Object.keys(round.more) : []))),
  ),
]

/** Why a contender has no numbers, in one line; null: it has. */
export function whyNone({ absent, rounds }: ContenderResult): string | null {
  if (absent !== null) return `not run: ${absent}`
  const bad = rounds.filter((round) => !isGood(round))
  if (bad.length === 0) return rounds.length === 0 ? 'not run' : null
  const reasons = [...new Set(bad.map((round) => ('failed' in round ? round.failed : (round.broken ?? ''))))]
  const text = reasons.join('; ').replaceAll(/\s+/g, ' ').slice(0, 300)
  return `FAILED in ${bad.length} of ${rounds.length} rounds: ${text}`
}

/** Plain text, columns set apart by two spaces. */
export function textOf(variant: VariantResult): string {
  const { heads, rows } = tableOf(variant)
  const lines = [
    ['', ...heads],
    ...rows.map(({ title, cells }) => [title, ...(typeof cells === 'string' ? [] : cells)]),
  ]
  const widths = lines.reduce<number[]>(
    (most, cells) => cells.map((cell, at) => Math.max(cell.length, most[at] ?? 0)).concat(most.slice(cells.length)),
    [],
  )
  const text = lines.map((cells, at) => {
    const padded = cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    const why = at === 0 ? undefined : rows[at - 1]?.cells
    return (typeof why === 'string' ? `${padded[0]}  ${why}` : padded.join('  ')).trimEnd()
  })
  const about = Object.entries(variant.about).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? shown(value) : value}`,
  )
  const broker = variant.broker === 'kafka' ? 'Apache Kafka' : 'embedded broker'
  const ideal = variant.idealRate === null ? [] : [`ideal ${shown(variant.idealRate)} records/s`]
  const part = variant.contenders.some(({ records }) => records < mostRecords(variant))
    ? ['¹ with fewer records: it is slow']
    : []
  return [
    `${variant.workload} ${variant.variant} · ${variant.title} · ${broker}`,
    [...about, ...ideal].join(', '),
    ...text,
    ...part,
  ].join('\n')
}
