/**
 * One consumer, as the dashboard asks it: in this process, in another one, or nobody at all, where only the brokers are asked.
 *
 * Every one answers the same question, and answers are merged: so a group of several processes is shown as one.
 */
import type {
  Action,
  ConfigAnswer,
  ErrorFrame,
  InstanceFrame,
  LaneFrame,
  MemberFrame,
  PageName,
  ParkedFrame,
  PartitionFrame,
  RebalanceFrame,
  WaitingFrame,
} from './frames.ts'

export type Sort = 'stuck' | 'lag' | 'name'

export interface Question {
  readonly page: PageName
  /** Of the partitions, in the order of `sort`. */
  readonly from: number
  readonly count: number
  readonly sort: Sort
  readonly find: string
  /** Cells of a strip at most. */
  readonly cells: number
}

/** What adds up; times as counts of buckets, because percentiles do not add up. */
export interface Figures {
  readonly partitions: number
  readonly stalled: number
  readonly rates: { readonly finished: number; readonly admitted: number; readonly retries: number }
  readonly lag: number
  readonly lagMs: number | null
  readonly inFlight: { readonly used: number; readonly limit: number }
  readonly bytes: { readonly used: number; readonly limit: number }
  readonly running: { readonly used: number; readonly limit: number }
  readonly lanes: number
  readonly waiting: number
  readonly parked: number
  readonly handlerCounts: readonly number[]
  readonly commitCounts: readonly number[]
  readonly eventLoopMs: number | null
  readonly paused: Readonly<Record<string, number>>
  readonly totals: Readonly<Record<string, number>>
}

export interface Answer {
  readonly instance: InstanceFrame
  readonly figures: Figures
  /** After `find`; the first `from + count` of them, in order. */
  readonly partitions: readonly PartitionFrame[]
  readonly total: number
  readonly hottest: readonly LaneFrame[]
  readonly waiting: readonly WaitingFrame[]
  readonly parked: readonly ParkedFrame[]
  readonly rebalances: readonly RebalanceFrame[]
  readonly errors: readonly ErrorFrame[]
  /** Only where nobody else can be asked for them. */
  readonly members: readonly MemberFrame[] | null
}

export interface Instance {
  readonly group: string
  /** A process that shows several consumers answers for each of them. */
  look(question: Question): Promise<readonly Answer[]>
  /** Rejects with what is wrong. Resolves to false if it is about something that is not here. */
  act(action: Action): Promise<boolean>
  /** Null: it cannot be told from here. */
  config(): Promise<ConfigAnswer | null>
}

/** The order that a page asks for. Stuck: held back for longest first. */
export function ordering(sort: Sort): (a: PartitionOrder, b: PartitionOrder) => number {
  const byName = (a: PartitionOrder, b: PartitionOrder): number =>
    a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition
  if (sort === 'name') return byName
  if (sort === 'lag') return (a, b) => b.lag - a.lag || byName(a, b)
  return (a, b) => b.heldForMs - a.heldForMs || b.lag - a.lag || byName(a, b)
}

export interface PartitionOrder {
  readonly topic: string
  readonly partition: number
  readonly lag: number
  readonly heldForMs: number
}

export function orderOf({ topic, partition, lag, blocking }: PartitionFrame): PartitionOrder {
  return { topic, partition, lag, heldForMs: blocking === null ? -1 : heldFor(blocking.forMs) }
}

/** Full seconds, so that partitions which move do not change places all the time. */
export function heldFor(ms: number): number {
  return Math.floor(ms / 1_000)
}
