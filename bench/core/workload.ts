/** The shape of a workload: variants, each with contenders that are measured in turn, round by round. */
import type { Contender, ContenderName } from '../contenders/index.ts'
import type { BrokerKind } from './brokers.ts'
import type { Round, VariantResult } from './results.ts'
import type { Stage } from './stage.ts'

export interface Entry {
  readonly name: ContenderName
  /** It is slow: so large a part of the records is enough to know its rate. */
  readonly part?: number
}

export interface Variant {
  readonly name: string
  readonly title: string
  readonly order: VariantResult['order']
  readonly brokers: readonly BrokerKind[]
  readonly contenders: readonly Entry[]
  readonly about: Readonly<Record<string, string | number>>
  readonly idealRate?: number
  readonly records: number
  /** Instead of those that were asked for. */
  readonly rounds?: number
  /** About how long one contender takes for one round. */
  readonly seconds: number
  /** What is needed before the first round, and not timed. */
  prepare?(stage: Stage): Promise<void>
  measure(stage: Stage, contender: Contender, entry: Entry, round: number): Promise<Round>
}

export interface Scale {
  /** Small sizes: to see that it works. */
  readonly quick: boolean
  /** For W6: how long handlers burn CPU. */
  readonly handlerUs: readonly number[]
}

export interface Workload {
  /** P: producing, which is beside the point of a consumer. */
  readonly id: `${'W' | 'P'}${number}`
  readonly title: string
  /** For the page: what is done, and what counts. */
  readonly what: string
  variants(scale: Scale): readonly Variant[]
}
