/**
 * Lanes: what must run one after the other.
 *
 * A lane is (topic, partition, key bytes). When its last record has left, it is kept for a while, because keys come
 * back; but only a bounded number of idle lanes is kept, so a million distinct keys pass through in bounded memory.
 * Records without a key (or with `order: 'none'`) have no lane at all.
 *
 * A lane is blocked while one of its records is under way, while a handler of an earlier lease still holds the key
 * (I8), or while the user paused it. The head leaves the lane only when it is finished: a record that waits for its
 * retry stays at the head and blocks its own key and nobody else (R4).
 */
import type { Lease } from './lease.ts'
import { NONE, QUEUED, type Slots } from './slots.ts'

const HELD = 1
const PARKED = 2

/** Idle lanes that are kept, over all partitions; each may keep a few, however many they are. */
const IDLE_MAX = 16_384
const IDLE_MIN_PER_LEASE = 64

/** The lane of a partition where `order: 'partition'` puts everything. */
export const PARTITION_LANE = '*'

export class Lanes {
  readonly #slots: Slots
  #head: Int32Array = new Int32Array(64)
  #tail: Int32Array = new Int32Array(64)
  #depth: Int32Array = new Int32Array(64)
  /** Records under way; the lane offers nothing until it is zero. */
  #active: Int32Array = new Int32Array(64)
  #blocks: Uint8Array = new Uint8Array(64)
  readonly #key: (string | null)[] = []
  readonly #free: number[] = []
  #top = 0
  #idle = 0
  #idleMaxPerLease = IDLE_MAX

  constructor(slots: Slots) {
    this.#slots = slots
  }

  /** So many partitions share the room for idle lanes. */
  shareIdle(leases: number): void {
    this.#idleMaxPerLease = Math.max(IDLE_MIN_PER_LEASE, Math.floor(IDLE_MAX / Math.max(1, leases)))
  }

  /** Lanes with records. */
  get count(): number {
    return this.#top - this.#free.length - this.#idle
  }

  /** Append a record. Returns the record that may run now (a new head, or a lane that reached batch size), or NONE. */
  push(lease: Lease, key: string, slot: number): number {
    const slots = this.#slots
    slots.state[slot] = QUEUED
    slots.nextInLane[slot] = NONE
    const lane = lease.lanes.get(key) ?? this.#allocate(lease, key)
    slots.lane[slot] = lane
    if (this.#depth[lane]!++ === 0) {
      this.#idle--
      lease.idleLanes--
      this.#head[lane] = slot
    } else slots.nextInLane[this.#tail[lane]!] = slot
    this.#tail[lane] = slot
    return this.#offer(lane)
  }

  /** One of the lane's records starts. */
  begin(slot: number): void {
    const lane = this.#slots.lane[slot]!
    if (lane !== NONE) this.#active[lane]!++
  }

  /**
   * Handled, but held back by earlier records: it keeps its place, and is not under way. An earlier record of its lane may
   * have to run again before it, if the outputs of a batch could be written only in part.
   */
  rest(slot: number): void {
    const lane = this.#slots.lane[slot]!
    if (lane !== NONE) this.#active[lane]!--
  }

  /** The record stays in the lane but is no longer under way. Returns the head if the lane may go on, else NONE. */
  pauseWork(slot: number): number {
    const lane = this.#slots.lane[slot]!
    if (lane === NONE) return slot
    this.#active[lane]!--
    return this.#offer(lane)
  }

  /** The record is over and leaves its lane. Returns the next record that may run, or NONE. */
  finish(lease: Lease, slot: number): number {
    const lane = this.#slots.lane[slot]!
    if (lane === NONE) return NONE
    this.#slots.lane[slot] = NONE
    this.#active[lane]!--
    if (--this.#depth[lane]! === 0) {
      this.#head[lane] = NONE
      this.#idle++
      if (++lease.idleLanes > this.#idleMaxPerLease) this.#sweep(lease)
      return NONE
    }
    if (this.#head[lane] === slot) this.#head[lane] = this.#slots.nextInLane[slot]!
    else this.#unlink(lane, slot)
    return this.#offer(lane)
  }

  /** Up to `max` records from the head on, for one batch call. */
  collect(slot: number, max: number, into: number[]): void {
    const { lane, nextInLane, state } = this.#slots
    if (lane[slot] === NONE) {
      into.push(slot)
      return
    }
    let at = slot
    for (let taken = 0; taken < max && at !== NONE; taken++) {
      into.push(at)
      at = nextInLane[at]!
      if (at !== NONE && state[at] !== QUEUED) return
    }
  }

  depthOf(slot: number): number {
    const lane = this.#slots.lane[slot]!
    return lane === NONE ? 1 : this.#depth[lane]!
  }

  keyOf(slot: number): string | null {
    const lane = this.#slots.lane[slot]!
    return lane === NONE ? null : this.#key[lane]!
  }

  /** The user pauses a key. Returns its head, which may be ready and must then be taken back, or NONE. */
  park(lease: Lease, key: string): number {
    const lane = lease.lanes.get(key)
    if (lane === undefined) return NONE
    this.#blocks[lane]! |= PARKED
    return this.#head[lane]!
  }

  /** The user resumes a key. Returns the record that may run now, or NONE. */
  unpark(lease: Lease, key: string): number {
    return this.#unblock(lease, key, PARKED)
  }

  /** The last handler of an earlier lease has let go of the key. Returns the record that may run now, or NONE. */
  unhold(lease: Lease, key: string): number {
    return this.#unblock(lease, key, HELD)
  }

  /** The lease is over: all its lanes are. */
  dropAll(lease: Lease): void {
    for (const lane of lease.lanes.values()) {
      if (this.#depth[lane] === 0) this.#idle--
      this.#recycle(lane)
    }
    lease.lanes.clear()
    lease.idleLanes = 0
  }

  /** The deepest lanes of a lease: where key skew shows (R6). */
  *depths(lease: Lease): Generator<{ readonly key: string; readonly depth: number }> {
    for (const [key, lane] of lease.lanes) if (this.#depth[lane]! > 0) yield { key, depth: this.#depth[lane]! }
  }

  /** Only records of one batch, or one that the user skips, leave from the middle: few steps. */
  #unlink(lane: number, slot: number): void {
    const { nextInLane } = this.#slots
    let before = this.#head[lane]!
    while (nextInLane[before] !== slot) before = nextInLane[before]!
    nextInLane[before] = nextInLane[slot]!
    if (this.#tail[lane] === slot) this.#tail[lane] = before
  }

  #offer(lane: number): number {
    if (this.#active[lane] !== 0 || this.#blocks[lane] !== 0) return NONE
    const head = this.#head[lane]!
    return this.#slots.state[head] === QUEUED ? head : NONE
  }

  #unblock(lease: Lease, key: string, reason: number): number {
    const lane = lease.lanes.get(key)
    if (lane === undefined || (this.#blocks[lane]! & reason) === 0) return NONE
    this.#blocks[lane]! &= ~reason
    return this.#offer(lane)
  }

  #allocate(lease: Lease, key: string): number {
    const lane = this.#free.pop() ?? this.#append()
    this.#active[lane] = 0
    this.#depth[lane] = 0
    this.#head[lane] = NONE
    this.#blocks[lane] = 0
    this.#idle++
    lease.idleLanes++
    const { heldKeys, pausedKeys } = lease.home
    if (heldKeys.size > 0 && heldKeys.has(key)) this.#blocks[lane] = HELD
    if (pausedKeys.size > 0 && pausedKeys.has(key)) this.#blocks[lane]! |= PARKED
    this.#key[lane] = key
    lease.lanes.set(key, lane)
    return lane
  }

  #append(): number {
    if (this.#top === this.#head.length) {
      const length = this.#top * 2
      this.#head = longer(this.#head, length)
      this.#tail = longer(this.#tail, length)
      this.#depth = longer(this.#depth, length)
      this.#active = longer(this.#active, length)
      const blocks = new Uint8Array(length)
      blocks.set(this.#blocks)
      this.#blocks = blocks
    }
    return this.#top++
  }

  /** Too many lanes wait for a record that may never come: forget those of this lease. */
  #sweep(lease: Lease): void {
    // Worth a walk over all lanes only if most of them go.
    if (lease.idleLanes * 2 < lease.lanes.size) return
    lease.idleLanes = 0
    for (const [key, lane] of lease.lanes) {
      if (this.#depth[lane]! > 0) continue
      lease.lanes.delete(key)
      this.#idle--
      this.#recycle(lane)
    }
  }

  #recycle(lane: number): void {
    this.#key[lane] = null
    this.#free.push(lane)
  }
}

function longer(column: Int32Array, length: number): Int32Array {
  const next = new Int32Array(length)
  next.set(column)
  return next
}
