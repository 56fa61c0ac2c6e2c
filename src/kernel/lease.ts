/**
 * A lease: one stay of one partition with this process, from assignment to the end.
 *
 *   opening     its committed position is being read
 *   open        records are fetched, run and committed
 *   draining    revoked: nothing new starts, running and deferred work may end within the drain time
 *   committing  drained: the final commit is under way
 *   fenced      over. Whatever still comes back from it is counted and changes nothing (I6)
 *
 * Lease epoch, group generation and member epoch are three different things: a partition that is kept through a
 * rebalance keeps its lease.
 */
import type { FetchedBatch, PauseReason } from './events.ts'
import type { Epoch, Position } from './ids.ts'
import { LaneTable } from './lane-table.ts'
import { NONE, type Slots } from './slots.ts'
import { Tracker } from './tracker.ts'

export type LeaseState = 'opening' | 'open' | 'draining' | 'committing' | 'fenced'
export type LeaseEvent = 'opened' | 'revoke' | 'drained' | 'committed' | 'lose'

/** Complete by type: a missing cell does not compile. */
export const LEASE_TABLE: Readonly<Record<LeaseState, Readonly<Record<LeaseEvent, LeaseState>>>> = {
  opening: { opened: 'open', revoke: 'fenced', drained: 'opening', committed: 'opening', lose: 'fenced' },
  open: { opened: 'open', revoke: 'draining', drained: 'open', committed: 'open', lose: 'fenced' },
  draining: { opened: 'draining', revoke: 'draining', drained: 'committing', committed: 'draining', lose: 'fenced' },
  committing: {
    opened: 'committing',
    revoke: 'committing',
    drained: 'committing',
    committed: 'fenced',
    lose: 'fenced',
  },
  fenced: { opened: 'fenced', revoke: 'fenced', drained: 'fenced', committed: 'fenced', lose: 'fenced' },
}

/** A key that its breaker has stopped. */
export interface Parked {
  readonly sinceMs: number
  readonly poisons: number
  /** Of the record that broke it. */
  readonly error: unknown
}

export interface Breaker {
  /** Failures in a row, oldest first. */
  readonly counts: Map<string, number>
  readonly parked: Map<string, Parked>
  /** Records of parked keys take up most of what the partition may hold. */
  isFull: boolean
}

/** What outlives a lease: the partition's keys that are held by handlers which have not settled yet (I8). */
export interface Home {
  readonly topic: string
  readonly partition: number
  lease: Lease | null
  readonly heldKeys: Map<string, number>
  readonly pausedKeys: Set<string>
  readonly breaker: Breaker
  userPaused: boolean
}

/** What is known of the commits of a lease. A version counts every change of what a commit would say. */
export interface CommitState {
  version: number
  ackedVersion: number
  acked: Position | null
  /** The one commit under way: the version it carries. Never two, or a late one could undo a newer one (I4). */
  flight: {
    readonly version: number
    readonly position: Position
    readonly chars: number
    readonly sentMs: number
  } | null
  /** A request without an answer may still land, and undo what is stored: a commit is owed, even if nothing is new. */
  healOwed: boolean
  /** Until then it may land. Only a commit that is sent later, and stored, pays the debt. */
  lateUntilMs: number
  listed: boolean
  /** Length of the metadata that this lease started from: the broker has taken that much once. */
  restoredChars: number
  mapChars: number
  mapEntries: number
  mapEncoding: string
  truncated: number
}

export class Lease {
  readonly home: Home
  readonly epoch: Epoch
  state: LeaseState = 'opening'
  tracker: Tracker
  readonly lanes: LaneTable = new LaneTable()
  /** Lanes that have no record now, kept because keys come back. */
  idleLanes = 0
  /** The ready list, threaded through the slots. */
  readyHead: number = NONE
  readyTail: number = NONE
  readyCount = 0
  inReadyQueue = false
  inBlockingQueue = false
  /** Admitted: queued, running, deferred, waiting … but not zombies. */
  records = 0
  bytes = 0
  /** Exactly-once: handled, and only waits for its transaction. Counts in bytes, but not in `records`. */
  resting = 0
  /** Records that a drain waits for: running, deferred, or on their way out. */
  active = 0
  /** Fetched but not admitted yet: at most what one response brought. */
  readonly backlog: FetchedBatch[] = []
  backlogAt = 0
  backlogRecords = 0
  inRoomQueue = false
  inPoolQueue = false
  inResumeQueue = false
  readonly pauses: Set<PauseReason> = new Set()
  fetchPaused = false
  fetchPosition: Position
  leaderEpoch = -1
  logEnd: Position
  drainUntilMs: number = Number.POSITIVE_INFINITY
  finalUntilMs: number = Number.POSITIVE_INFINITY
  /** A late request may have undone the last commit: the final one is sent even if nothing is new. */
  mustHeal = false
  /** After a refused final commit: not before this time again. */
  finalRetryAtMs = 0
  readonly revocations: number[] = []
  /** Exactly-once: handled records in the order in which they were finished. */
  readonly finished: number[] = []
  /** At-most-once: committed records that have not started. */
  unstarted = 0
  /** At-most-once: records that no commit covers yet, in admission order. */
  readonly staged: number[] = []
  /** At-most-once: how many of `staged` the commit under way covers. */
  chunk = 0
  blockingSince = 0
  readonly commit: CommitState = {
    version: 0,
    ackedVersion: 0,
    acked: null,
    flight: null,
    healOwed: false,
    lateUntilMs: 0,
    listed: false,
    restoredChars: 0,
    mapChars: 0,
    mapEntries: 0,
    mapEncoding: 'none',
    truncated: 0,
  }

  constructor(home: Home, epoch: Epoch, slots: Slots, position: Position) {
    this.home = home
    this.epoch = epoch
    this.tracker = new Tracker(slots, position, [])
    this.fetchPosition = position
    this.logEnd = position
  }

  /** Dispatch, fetching and ordinary commits happen in this state alone. */
  get isOpen(): boolean {
    return this.state === 'open'
  }

  get isDirty(): boolean {
    return this.commit.version !== this.commit.ackedVersion
  }

  apply(event: LeaseEvent): LeaseState {
    this.state = LEASE_TABLE[this.state][event]
    return this.state
  }
}
