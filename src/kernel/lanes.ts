/**
 * Lanes: what must run one after the other.
 *
 * A lane is (topic, partition, key bytes). When its last record has left, it is kept for a while, because keys come
 * back; but only a bounded number of idle lanes is kept, so a million distinct keys pass through in bounded memory.
 * Records without a key (or with `order: 'none'`) have no lane at all.
 *
 * A lane is blocked while one of its records is under way, while a handler of an earlier lease still holds the key
 * (I8), or while the user or its breaker paused it. The head leaves the lane only when it is finished: a record that waits for its
 * retry stays at the head and blocks its own key and nobody else (R4).
 */
import { hashKey } from './lane-hash.ts'
import type { Lease } from './lease.ts'
import { NONE, QUEUED, type Slots } from './slots.ts'

const HELD = 1
const PARKED = 2

/** Idle lanes that are kept, over all partitions; each may keep a few, however many they are. */
const IDLE_MAX = 16_384
const IDLE_MIN_PER_LEASE = 64

/** One row for each lane, together in memory, because they are used together. */
const WIDTH = 8
const HEAD = 0
const TAIL = 1
const DEPTH = 2
/** Records under way; the lane offers nothing until it is zero. */
const ACTIVE = 3
const BLOCKS = 4

export class Lanes {
  readonly #slots: Slots
  /** The name of the lane that the record in a slot belongs to. Asked for only when somebody holds or pauses keys, or looks. */
  readonly #nameOf: (slot: number) => string | null
  #rows: Int32Array = new Int32Array(64 * WIDTH)
  readonly #hash: Int32Array = new Int32Array(2)
  readonly #free: number[] = []
  #top = 0
  #idle = 0
  #idleMaxPerLease = IDLE_MAX

  constructor(slots: Slots, nameOf: (slot: number) => string | null) {
    this.#slots = slots
    this.#nameOf = nameOf
  }

  /** So many partitions share the room for idle lanes. */
  shareIdle(leases: number): void {
    this.#idleMaxPerLease = Math.max(IDLE_MIN_PER_LEASE, Math.floor(IDLE_MAX / Math.max(1, leases)))
  }

  /** Lanes with records. */
  get count(): number {
    return this.#top - this.#free.length - this.#idle
  }

  /**
   * Append a record to the lane with this hash. Returns the record that may run now (a new head, or a lane that reached
   * batch size), or NONE.
   */
  push(lease: Lease, slot: number, a: number, b: number): number {
    const slots = this.#slots
    slots.state[slot] = QUEUED
    slots.nextInLane[slot] = NONE
    const known = lease.lanes.get(a, b)
    const lane = known === NONE ? this.#allocate(lease, slot, a, b) : known
    slots.lane[slot] = lane
    const rows = this.#rows
    const row = lane * WIDTH
    if (rows[row + DEPTH]!++ === 0) {
      this.#idle--
      lease.idleLanes--
      rows[row + HEAD] = slot
    } else slots.nextInLane[rows[row + TAIL]!] = slot
    rows[row + TAIL] = slot
    return this.#offer(lane)
  }

  /** One of the lane's records starts. */
  begin(slot: number): void {
    const lane = this.#slots.lane[slot]!
    if (lane !== NONE) this.#rows[lane * WIDTH + ACTIVE]!++
  }

  /**
   * Handled, but held back by earlier records: it keeps its place, and is not under way. An earlier record of its lane may
   * have to run again before it, if the outputs of a batch could be written only in part.
   */
  rest(slot: number): void {
    const lane = this.#slots.lane[slot]!
    if (lane !== NONE) this.#rows[lane * WIDTH + ACTIVE]!--
  }

  /** The record stays in the lane but is no longer under way. Returns the head if the lane may go on, else NONE. */
  pauseWork(slot: number): number {
    const lane = this.#slots.lane[slot]!
    if (lane === NONE) return slot
    this.#rows[lane * WIDTH + ACTIVE]!--
    return this.#offer(lane)
  }

  /** The record is over and leaves its lane. Returns the next record that may run, or NONE. */
  finish(lease: Lease, slot: number): number {
    const lane = this.#slots.lane[slot]!
    if (lane === NONE) return NONE
    this.#slots.lane[slot] = NONE
    const rows = this.#rows
    const row = lane * WIDTH
    rows[row + ACTIVE]!--
    if (--rows[row + DEPTH]! === 0) {
      rows[row + HEAD] = NONE
      this.#idle++
      if (++lease.idleLanes > this.#idleMaxPerLease) this.#sweep(lease)
      return NONE
    }
    if (rows[row + HEAD] === slot) rows[row + HEAD] = this.#slots.nextInLane[slot]!
    else this.#unlink(row, slot)
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
    return lane === NONE ? 1 : this.#depth(lane)
  }

  depthOfKey(lease: Lease, key: string): number {
    const lane = this.#find(lease, key)
    return lane === NONE ? 0 : this.#depth(lane)
  }

  keyOf(slot: number): string | null {
    return this.#slots.lane[slot] === NONE ? null : this.#nameOf(slot)
  }

  /** The user pauses a key, or its breaker does. Returns its head, which may be ready and must then be taken back, or NONE. */
  park(lease: Lease, key: string): number {
    const lane = this.#find(lease, key)
    if (lane === NONE) return NONE
    this.#rows[lane * WIDTH + BLOCKS]! |= PARKED
    return this.#rows[lane * WIDTH + HEAD]!
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
    for (const lane of lease.lanes) {
      if (this.#depth(lane) === 0) this.#idle--
      this.#rows[lane * WIDTH + DEPTH] = 0
      this.#free.push(lane)
    }
    lease.lanes.clear()
    lease.idleLanes = 0
  }

  /** The deepest lanes, by their first record: where key skew shows (R6). One look at every row, nothing made but the answer. */
  deepest(max: number): readonly { readonly head: number; readonly depth: number }[] {
    const rows = this.#rows
    const top: { readonly head: number; readonly depth: number }[] = []
    let least = 0
    for (let row = 0; row < this.#top * WIDTH; row += WIDTH) {
      const depth = rows[row + DEPTH]!
      if (depth <= least) continue
      top.push({ head: rows[row + HEAD]!, depth })
      if (top.length <= max) continue
      top.sort((a, b) => b.depth - a.depth).pop()
      least = top[max - 1]!.depth
    }
    return top.sort((a, b) => b.depth - a.depth)
  }

  #depth(lane: number): number {
    return this.#rows[lane * WIDTH + DEPTH]!
  }

  #find(lease: Lease, key: string): number {
    hashKey(key, this.#hash, 0)
    return lease.lanes.get(this.#hash[0]!, this.#hash[1]!)
  }

  /** Only records of one batch, or one that the user skips, leave from the middle: few steps. */
  #unlink(row: number, slot: number): void {
    const { nextInLane } = this.#slots
    const rows = this.#rows
    let before = rows[row + HEAD]!
    while (nextInLane[before] !== slot) before = nextInLane[before]!
    nextInLane[before] = nextInLane[slot]!
    if (rows[row + TAIL] === slot) rows[row + TAIL] = before
  }

  #offer(lane: number): number {
    const rows = this.#rows
    const row = lane * WIDTH
    if (rows[row + ACTIVE] !== 0 || rows[row + BLOCKS] !== 0) return NONE
    const head = rows[row + HEAD]!
    return this.#slots.state[head] === QUEUED ? head : NONE
  }

  #unblock(lease: Lease, key: string, reason: number): number {
    const lane = this.#find(lease, key)
    if (lane === NONE) return NONE
    const at = lane * WIDTH + BLOCKS
    if ((this.#rows[at]! & reason) === 0) return NONE
    this.#rows[at]! &= ~reason
    return this.#offer(lane)
  }

  #allocate(lease: Lease, slot: number, a: number, b: number): number {
    const lane = this.#free.pop() ?? this.#append()
    const row = lane * WIDTH
    this.#rows.fill(0, row, row + WIDTH)
    this.#rows[row + HEAD] = NONE
    this.#rows[row + BLOCKS] = this.#blocksFor(lease, slot)
    this.#idle++
    lease.idleLanes++
    lease.lanes.add(a, b, lane)
    return lane
  }

  #blocksFor(lease: Lease, slot: number): number {
    const { heldKeys, pausedKeys, breaker } = lease.home
    if (heldKeys.size === 0 && pausedKeys.size === 0 && breaker.parked.size === 0) return 0
    const key = this.#nameOf(slot)
    if (key === null) return 0
    return (heldKeys.has(key) ? HELD : 0) | (pausedKeys.has(key) || breaker.parked.has(key) ? PARKED : 0)
  }

  #append(): number {
    if (this.#top * WIDTH === this.#rows.length) {
      const rows = new Int32Array(this.#rows.length * 2)
      rows.set(this.#rows)
      this.#rows = rows
    }
    return this.#top++
  }

  /** Too many lanes wait for a record that may never come: forget those of this lease. */
  #sweep(lease: Lease): void {
    // Worth a walk over all lanes only if most of them go.
    if (lease.idleLanes * 2 < lease.lanes.size) return
    lease.idleLanes = 0
    for (const lane of lease.lanes) {
      if (this.#depth(lane) > 0) continue
      this.#idle--
      this.#free.push(lane)
    }
    lease.lanes.keep((lane) => this.#depth(lane) > 0)
  }
}
