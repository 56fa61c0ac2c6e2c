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
  Sums,
  Used,
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
  /** Nobody else is asked. */
  readonly isAlone: boolean
}

/** What adds up; times as counts of buckets, because percentiles do not add up. */
export interface Figures extends Sums {
  readonly handlerCounts: readonly number[]
  readonly commitCounts: readonly number[]
}

const NONE_USED: Used = { used: 0, limit: 0 }

/** Of somebody who tells nothing. */
export const NO_FIGURES: Figures = {
  partitions: 0,
  stalled: 0,
  rates: { finished: 0, admitted: 0, retries: 0 },
  lag: 0,
  lagMs: null,
  inFlight: NONE_USED,
  bytes: NONE_USED,
  running: NONE_USED,
  lanes: 0,
  waiting: 0,
  parked: 0,
  handlerCounts: [],
  commitCounts: [],
  eventLoopMs: null,
  paused: {},
  totals: {},
}

export interface Answer {
  readonly instance: InstanceFrame
  readonly figures: Figures
  /** After `find`; the first `from + count` of them, in order, without those that were left out in front. */
  readonly partitions: readonly PartitionFrame[]
  /** As many as the question is `from`, where nobody else is asked: there is nothing to merge them with. Else 0. */
  readonly leftOut: number
  readonly total: number
  readonly hottest: readonly LaneFrame[]
  readonly waiting: readonly WaitingFrame[]
  readonly parked: readonly ParkedFrame[]
  readonly rebalances: readonly RebalanceFrame[]
  readonly errors: readonly ErrorFrame[]
  /** Itself, with what it holds, on the page of the group: for when the brokers do not answer. */
  readonly members: readonly MemberFrame[]
}

/** What it does not tell about itself, because it cannot or was not asked. */
export const NO_ANSWER: Omit<Answer, 'instance'> = {
  figures: NO_FIGURES,
  partitions: [],
  leftOut: 0,
  total: 0,
  hottest: [],
  waiting: [],
  parked: [],
  rebalances: [],
  errors: [],
  members: [],
}

/** What only the process itself knows of an instance. */
export const NO_PROCESS: Omit<InstanceFrame, 'id' | 'name' | 'state' | 'at' | 'problem'> = {
  partitions: 0,
  finishedPerSecond: 0,
  inFlight: 0,
  running: 0,
  concurrency: 0,
  engine: '',
  rssBytes: 0,
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
