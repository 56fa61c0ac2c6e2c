/** Everything the control plane knows. Changed only inside a step, by the rooms that it is handed to. */
import { AdaptiveLimit } from './adaptive.ts'
import { type Budget, newBudget } from './budget.ts'
import { Deque } from './deque.ts'
import { DueQueue } from './due-queue.ts'
import type { LeaseName, Work, WorkId } from './events.ts'
import { asEpoch, type Epoch, type TopicPartition } from './ids.ts'
import { keyAt, laneKey } from './lane-key.ts'
import { Lanes } from './lanes.ts'
import type { Home, Lease } from './lease.ts'
import type { KernelOptions } from './options.ts'
import { Outbox } from './outbox.ts'
import { RateWatch } from './rates.ts'
import { Slots } from './slots.ts'
import { PickedWork } from './work.ts'

/** Counted since start; never reset, never negative (I12). */
export interface Totals {
  admitted: number
  done: number
  skipped: number
  exhausted: number
  retries: number
  /** Results of an older lease, or of no record we know: they changed nothing (I6). */
  stale: number
  /** Results that were given before. */
  duplicates: number
  /** Finished in an earlier lease: fetched again, not run again. */
  restored: number
  /** At-most-once: committed, but never started. */
  dropped: number
  commits: number
  /** Finished entries left out of a map because it was full. */
  truncated: number
  transactions: number
  transactionAborts: number
}

export interface CommitClock {
  /** Leases with something to commit. */
  readonly listed: Lease[]
  dueMs: number
  lastRoundMs: number
  /** Leases that were in it. */
  lastRoundLeases: number
  /** Records finished since the last round. */
  pending: number
  nextId: number
  readonly flights: Map<number, readonly Lease[]>
  /** Callers of `commit()` and what they wait for: every lease's version at the time of the call. */
  readonly tickets: Map<number, Map<Lease, number>>
}

/** At most one transaction at a time; `resetting` = the producer is being renewed, nothing may be written. */
export type TransactionState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly id: number; readonly members: readonly TransactionMember[] }
  | { readonly kind: 'resetting' }

export interface TransactionMember {
  readonly lease: Lease
  readonly slots: readonly number[]
  readonly version: number
}

/** Somebody who measures. The control plane works the same with and without. */
export interface Watch {
  /** A handler call has ended. On the hot path. */
  handled(durationMs: number, isFailed: boolean): void
}

export class KernelState {
  readonly options: KernelOptions
  watch: Watch | null = null
  readonly rates: RateWatch = new RateWatch()
  readonly slots: Slots
  readonly lanes: Lanes
  readonly due: DueQueue
  readonly out: Outbox = new Outbox()
  /** topic → partition → home. */
  readonly homes: Map<string, Map<number, Home>> = new Map()
  /** Leases that are not fenced. */
  readonly leases: Map<Epoch, Lease> = new Map()
  readonly pausedTopics: Set<string> = new Set()
  readonly pausedTopicKeys: Map<string, Set<string>> = new Map()
  readonly adaptive: AdaptiveLimit | null
  #fixedLimit: number
  /** Handler calls under way, zombies included. */
  running = 0
  /** Admitted over all leases. */
  records = 0
  bytes = 0
  /** Over all leases: handled, and only wait for their transaction. */
  resting = 0
  readonly readyQueue: Deque<Lease> = new Deque()
  readonly blockingQueue: Deque<Lease> = new Deque()
  readonly budget: Budget = newBudget()
  /** Leases that have a backlog, and may have room of their own for it. */
  readonly roomQueue: Deque<Lease> = new Deque()
  /** Leases that have a backlog and wait for the pool. */
  readonly poolQueue: Deque<Lease> = new Deque()
  /** Leases whose fetching is paused. */
  fetchPaused = 0
  /** Leases that have no backlog, and whose fetching is paused for want of room alone. */
  readonly resumeQueue: Deque<Lease> = new Deque()
  /** Records that have ended since those were looked at: there may be room for more. */
  freed = 0
  /** When they are looked at again at the latest. */
  lookDueMs: number = Number.POSITIVE_INFINITY
  readyTotal = 0
  /** Batches by any key: do not start a small one before this time. */
  lingerUntilMs = 0
  /** A small batch was put back: look again then. */
  lingerWakeMs: number = Number.POSITIVE_INFINITY
  blockingPicks = 0
  /** Batch calls under way: id → records that have not settled. */
  readonly tasks: Map<number, number> = new Map()
  nextTask = 0
  readonly commits: CommitClock
  transaction: TransactionState = { kind: 'idle' }
  nextTransaction = 1
  /** Revocations that wait: id → leases still to be fenced. */
  readonly revocations: Map<number, number> = new Map()
  draining = 0
  closing = false
  stopped = false
  mapAlphabet: 'wide' | 'base64' = 'wide'
  mapMaxChars: number
  readonly totals: Totals = {
    admitted: 0,
    done: 0,
    skipped: 0,
    exhausted: 0,
    retries: 0,
    stale: 0,
    duplicates: 0,
    restored: 0,
    dropped: 0,
    commits: 0,
    truncated: 0,
    transactions: 0,
    transactionAborts: 0,
  }
  #nextEpoch = 1

  constructor(options: KernelOptions) {
    this.options = options
    this.slots = new Slots(Math.min(options.limits.records, 1 << 16))
    this.lanes = new Lanes(this.slots, (slot) => this.laneKeyOf(slot))
    this.due = new DueQueue(this.slots)
    const { min, max } = options.concurrency
    this.adaptive = min === max ? null : new AdaptiveLimit({ min, max })
    this.#fixedLimit = max
    this.mapMaxChars = options.commit.mapMaxChars
    this.commits = {
      listed: [],
      dueMs: Number.POSITIVE_INFINITY,
      lastRoundMs: Number.NEGATIVE_INFINITY,
      lastRoundLeases: 0,
      pending: 0,
      nextId: 1,
      flights: new Map(),
      tickets: new Map(),
    }
  }

  get concurrencyLimit(): number {
    return this.adaptive === null ? this.#fixedLimit : Math.min(this.adaptive.limit, this.#fixedLimit)
  }

  set concurrencyLimit(limit: number) {
    this.#fixedLimit = limit
  }

  takeEpoch(): Epoch {
    return asEpoch(this.#nextEpoch++)
  }

  /** The lease of a partition that we hold, or null. Asking leaves no trace. */
  leaseOf({ topic, partition }: TopicPartition): Lease | null {
    return this.homes.get(topic)?.get(partition)?.lease ?? null
  }

  homeOf({ topic, partition }: TopicPartition): Home {
    let partitions = this.homes.get(topic)
    if (partitions === undefined) {
      partitions = new Map()
      this.homes.set(topic, partitions)
    }
    let home = partitions.get(partition)
    if (home === undefined) {
      home = {
        topic,
        partition,
        lease: null,
        heldKeys: new Map(),
        pausedKeys: new Set(this.pausedTopicKeys.get(topic)),
        userPaused: this.pausedTopics.has(topic),
        breaker: { counts: new Map(), parked: new Map(), isFull: false },
      }
      partitions.set(partition, home)
    }
    return home
  }

  /** The name of the lane that a record belongs to. Strings of keys may have to be made for it: not for the hot path. */
  laneKeyOf(slot: number): string | null {
    return laneKey(this.options, keyAt(this.slots.batch[slot], this.slots.index[slot]!))
  }

  workId(slot: number): WorkId {
    const { topic, partition } = this.slots.lease[slot]!.home
    return {
      topic,
      partition,
      offset: this.slots.offsetOf(slot),
      epoch: this.slots.epochOf(slot),
      attempt: this.slots.attempt[slot]!,
      run: this.slots.run[slot]!,
    }
  }

  work(slot: number): Work {
    const { slots } = this
    const { topic, partition } = slots.lease[slot]!.home
    return new PickedWork(
      topic,
      partition,
      slots.offsetOf(slot),
      slots.epochOf(slot),
      slots.attempt[slot]!,
      slots.run[slot]!,
      slots.batch[slot]!,
      slots.index[slot]!,
    )
  }
}

export function nameOf(lease: Lease): LeaseName {
  return { topic: lease.home.topic, partition: lease.home.partition, epoch: lease.epoch }
}
