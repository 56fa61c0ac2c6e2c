/** The result of a whole run, as it is kept in bench/results and as the page is made from: plain JSON. */
import type { BrokerKind } from './brokers.ts'

/** One round of one contender. */
export type Round =
  | {
      /** Records a second: from before connecting until all is committed (or seen, where nothing is committed). */
      readonly rate: number | null
      /** Records a second from the first handler's start until all is committed (or seen). */
      readonly steadyRate: number | null
      readonly cpuSeconds: number | null
      readonly peakRssMb: number | null
      readonly lost: number
      readonly reordered: number
      readonly duplicated: number
      /** What else the workload measures, by name. */
      readonly more: Readonly<Record<string, number>>
      /** Why this is no result: records were lost, or came out of an order that was promised. */
      readonly broken: string | null
    }
  | { readonly failed: string }

export interface ContenderResult {
  readonly name: string
  readonly title: string
  readonly note: string | null
  /** So many records were in its run; fewer than in the others' where it is slow. */
  readonly records: number
  readonly rounds: readonly Round[]
  /** Not run at all, and why. */
  readonly absent: string | null
}

export interface Taken {
  readonly date: string
  readonly commit: string
  /** With changes that are in no commit. */
  readonly changed: boolean
  readonly command: string
}

export interface VariantResult {
  readonly workload: string
  readonly variant: string
  readonly title: string
  readonly broker: BrokerKind
  readonly order: 'key' | 'partition' | 'none'
  /** Fastest possible rate by arithmetic, where handlers wait. */
  readonly idealRate: number | null
  readonly about: Readonly<Record<string, string | number>>
  readonly contenders: readonly ContenderResult[]
  /** When and of what: a workload may be measured again alone. */
  readonly taken: Taken
}

/** A later measurement replaces that of the same variant; what was not measured again stays, if it is from this machine and no quick look. */
export function mergeResults(earlier: Results | null, later: Results): Results {
  if (earlier === null || earlier.about.quick || earlier.about.machine !== later.about.machine) return later
  const nameOf = ({ workload, variant, broker }: VariantResult): string => `${workload} ${variant} ${broker}`
  const replaced = new Set(later.variants.map(nameOf))
  const kept = earlier.variants.filter((each) => !replaced.has(nameOf(each)))
  return { ...later, variants: [...kept, ...later.variants].sort(byWorkload) }
}

/** W1 to W10, then what is beside them. */
const placeOf = ({ workload }: VariantResult): number =>
  Number(workload.slice(1)) + (workload.startsWith('W') ? 0 : 100)
const byWorkload = (a: VariantResult, b: VariantResult): number => placeOf(a) - placeOf(b)

export interface Results {
  readonly format: 1
  readonly about: {
    readonly date: string
    readonly commit: string
    readonly changed: boolean
    readonly command: string
    readonly quick: boolean
    readonly rounds: number
    readonly minutes: number
    readonly machine: string
    readonly system: string
    readonly versions: Readonly<Record<string, string>>
  }
  readonly variants: readonly VariantResult[]
}

export type GoodRound = Exclude<Round, { readonly failed: string }>

export const isGood = (round: Round): round is GoodRound => !('failed' in round) && round.broken === null

/** One number of each round; null where it failed. */
export const valuesOf = (
  { rounds }: ContenderResult,
  of: (round: GoodRound) => number | null | undefined,
): (number | null)[] => rounds.map((round) => (isGood(round) ? (of(round) ?? null) : null))

/** In what else a round measures: how long its handlers waited, on average. */
export const handlerMsName = 'handler ms'

/**
 * The part of the fastest possible rate that a round reached. A timer of 5 ms is over after 6 in one runtime and after 5.1 in another:
 * the time that handlers did take counts, not the time that they were asked to.
 */
export function shareOfIdeal({ idealRate, about }: VariantResult, { steadyRate, more }: GoodRound): number | null {
  if (idealRate === null || steadyRate === null) return null
  const asked = about[handlerMsName]
  const took = more[handlerMsName]
  const ideal = typeof asked === 'number' && took !== undefined ? (idealRate * asked) / took : idealRate
  return steadyRate / ideal
}
