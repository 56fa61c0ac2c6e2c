/**
 * Every admitted record lives in a slot: a row of typed-array columns, found by number.
 *
 * Slots are bounded by the in-flight limit (I5), so memory does not grow with how far completions run ahead, and the
 * hot path writes numbers into arrays instead of allocating objects. A slot is in at most three lists at a time, each
 * with its own link columns: the tracker's list of unfinished records, its lane, and the ready list.
 */
import type { FetchedBatch, Output } from './events.ts'
import { asEpoch, asOffset, type Epoch, type Offset } from './ids.ts'
import type { Lease } from './lease.ts'

export const NONE = -1

/** The life of a record. A lane's head is the only one of its lane that can be past `QUEUED` (batches aside). */
export const FREE = 0
/** At-most-once: waits for the commit that lets it run. */
export const STAGED = 1
/** In its lane, behind others. */
export const QUEUED = 2
/** May run now; in the ready list. */
export const READY = 3
export const RUNNING = 4
/** The handler returned, the result comes later: no slot of the engine, but the key is held. */
export const DEFERRED = 5
/** Failed; runs again at `due`. */
export const WAITING = 6
/** Failed for good; its dead letter is being written. */
export const EXHAUSTING = 7
/** Handled; waits for earlier records before its output is released (`output: 'input'`). */
export const HANDLED = 8
/** Handled; its output is being written. */
export const PUBLISHING = 9
/** Exactly-once: handled, not yet in a transaction. */
export const FINISHED = 10
/** Exactly-once: in the transaction under way. */
export const JOINED = 11
/** Its lease ended while its handler ran: holds its key and its place in the engine until it settles. */
export const ZOMBIE = 12
/** Its lease ended while it was deferred: holds its key until it settles. */
export const ZOMBIE_DEFERRED = 13
/** Its lease drains and it had not started: no longer counted, but unfinished in the final commit. */
export const RELEASED = 14

/** Values of `told`. */
export const TOLD_TIMEOUT = 1
export const TOLD_SKIP = 2

export const STATE_NAMES: readonly string[] = [
  'free',
  'staged',
  'queued',
  'ready',
  'running',
  'deferred',
  'waiting',
  'exhausting',
  'handled',
  'publishing',
  'finished',
  'joined',
  'zombie',
  'zombie-deferred',
  'released',
]

/** A run names its slot: run = number × SPAN + slot. Numbers start again some day; epoch and offset are compared as well. */
const SPAN = 2 ** 24
const NUMBERS = 2 ** 29

export function slotOfRun(run: number): number {
  return run % SPAN
}

export class Slots {
  capacity: number
  inUse: number = 0
  offset: Float64Array
  epoch: Float64Array
  bytes: Float64Array
  /** Counts records of the lease, so that "how many lie between" is a subtraction. */
  ordinal: Float64Array
  /** When the present state began. */
  since: Float64Array
  due: Float64Array
  /** Names the present execution: results of an earlier one are recognised by it. */
  run: Float64Array
  state: Uint8Array
  attempt: Int32Array
  lane: Int32Array
  nextInLane: Int32Array
  older: Int32Array
  newer: Int32Array
  readyBefore: Int32Array
  readyAfter: Int32Array
  /** Row within `batch`. */
  index: Int32Array
  /** Changes whenever a timer of this slot becomes void. */
  stamp: Int32Array
  /** The batch call that this record runs in, or NONE. */
  task: Int32Array
  /** One of the columns below was written: most records go through without, and are spared the cleaning. */
  unusual: Uint8Array
  /** How often its way out (dead letter …) was tried, as far as it is known what came of it. */
  exitTries: Int32Array
  /** What the handler was told: 0 nothing, or one of the flags below. */
  told: Uint8Array
  /** 1: nothing is left to do for it but to be in a transaction. It counts among those. */
  resting: Uint8Array
  /** The key it goes on holding after its lane is gone. */
  readonly heldKey: (string | null)[] = []
  readonly lease: (Lease | null)[] = []
  readonly batch: (FetchedBatch | null)[] = []
  readonly error: unknown[] = []
  /** Why its way out did not work the last time. */
  readonly exitError: unknown[] = []
  readonly sends: (readonly Output[] | null)[] = []
  /** The free list is threaded through `nextInLane`. */
  #firstFree: number = NONE
  #runs = 0

  constructor(capacity: number) {
    this.capacity = 0
    this.offset = new Float64Array(0)
    this.epoch = new Float64Array(0)
    this.bytes = new Float64Array(0)
    this.ordinal = new Float64Array(0)
    this.since = new Float64Array(0)
    this.due = new Float64Array(0)
    this.run = new Float64Array(0)
    this.state = new Uint8Array(0)
    this.attempt = new Int32Array(0)
    this.lane = new Int32Array(0)
    this.nextInLane = new Int32Array(0)
    this.older = new Int32Array(0)
    this.newer = new Int32Array(0)
    this.readyBefore = new Int32Array(0)
    this.readyAfter = new Int32Array(0)
    this.index = new Int32Array(0)
    this.stamp = new Int32Array(0)
    this.task = new Int32Array(0)
    this.unusual = new Uint8Array(0)
    this.exitTries = new Int32Array(0)
    this.told = new Uint8Array(0)
    this.resting = new Uint8Array(0)
    this.#grow(capacity)
  }

  allocate(): number {
    // Zombies keep their slots beyond the admitted limit, so the arena may have to grow past it.
    if (this.#firstFree === NONE) this.#grow(this.capacity * 2)
    const slot = this.#firstFree
    this.#firstFree = this.nextInLane[slot]!
    this.inUse++
    return slot
  }

  /** A new execution of the record in this slot begins. */
  nextRun(slot: number): void {
    this.#runs = (this.#runs + 1) % NUMBERS
    this.run[slot] = this.#runs * SPAN + slot
  }

  release(slot: number): void {
    this.state[slot] = FREE
    this.stamp[slot]!++
    this.lease[slot] = null
    this.batch[slot] = null
    if (this.unusual[slot] !== 0) this.#clear(slot)
    this.nextInLane[slot] = this.#firstFree
    this.#firstFree = slot
    this.inUse--
  }

  noteError(slot: number, error: unknown): void {
    this.unusual[slot] = 1
    this.error[slot] = error
  }

  keepSends(slot: number, sends: readonly Output[] | null): void {
    this.unusual[slot] = 1
    this.sends[slot] = sends
  }

  keepKey(slot: number, key: string | null): void {
    this.unusual[slot] = 1
    this.heldKey[slot] = key
  }

  tell(slot: number, what: number): void {
    this.unusual[slot] = 1
    this.told[slot] = what
  }

  rest(slot: number): void {
    this.unusual[slot] = 1
    this.resting[slot] = 1
  }

  /** Returns how often by now. */
  exitTried(slot: number): number {
    this.unusual[slot] = 1
    return ++this.exitTries[slot]!
  }

  #clear(slot: number): void {
    this.unusual[slot] = 0
    this.exitTries[slot] = 0
    this.told[slot] = 0
    this.resting[slot] = 0
    this.error[slot] = null
    this.exitError[slot] = null
    this.sends[slot] = null
    this.heldKey[slot] = null
  }

  offsetOf(slot: number): Offset {
    return asOffset(this.offset[slot]!)
  }

  epochOf(slot: number): Epoch {
    return asEpoch(this.epoch[slot]!)
  }

  #grow(capacity: number): void {
    const from = this.capacity
    this.offset = wider(this.offset, new Float64Array(capacity))
    this.epoch = wider(this.epoch, new Float64Array(capacity))
    this.bytes = wider(this.bytes, new Float64Array(capacity))
    this.ordinal = wider(this.ordinal, new Float64Array(capacity))
    this.since = wider(this.since, new Float64Array(capacity))
    this.due = wider(this.due, new Float64Array(capacity))
    this.run = wider(this.run, new Float64Array(capacity))
    this.state = wider(this.state, new Uint8Array(capacity))
    this.attempt = wider(this.attempt, new Int32Array(capacity))
    this.lane = wider(this.lane, new Int32Array(capacity))
    this.nextInLane = wider(this.nextInLane, new Int32Array(capacity))
    this.older = wider(this.older, new Int32Array(capacity))
    this.newer = wider(this.newer, new Int32Array(capacity))
    this.readyBefore = wider(this.readyBefore, new Int32Array(capacity))
    this.readyAfter = wider(this.readyAfter, new Int32Array(capacity))
    this.index = wider(this.index, new Int32Array(capacity))
    this.stamp = wider(this.stamp, new Int32Array(capacity))
    this.task = wider(this.task, new Int32Array(capacity))
    this.unusual = wider(this.unusual, new Uint8Array(capacity))
    this.exitTries = wider(this.exitTries, new Int32Array(capacity))
    this.told = wider(this.told, new Uint8Array(capacity))
    this.resting = wider(this.resting, new Uint8Array(capacity))
    for (let slot = capacity - 1; slot >= from; slot--) {
      this.lease[slot] = null
      this.batch[slot] = null
      this.error[slot] = null
      this.exitError[slot] = null
      this.sends[slot] = null
      this.heldKey[slot] = null
      this.nextInLane[slot] = this.#firstFree
      this.#firstFree = slot
    }
    this.capacity = capacity
  }
}

function wider<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
