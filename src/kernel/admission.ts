/** From fetched to admitted: into the tracker, into a slot, into a lane, as far as the budget goes. */
import { type Budget, budgetOf, count, enqueuePool, enqueueRoom, isEmpty, isFull, roomInMemory } from './budget.ts'
import { dueAt, touch } from './commit.ts'
import type { FetchedBatch } from './events.ts'
import { asOffset, type Offset } from './ids.ts'
import { hashKey } from './lane-hash.ts'
import { NULL_LANE_HASH, PARTITION_LANE_HASH } from './lane-key.ts'
import type { Lease } from './lease.ts'
import { enqueueResume } from './pressure.ts'
import { offer } from './ready.ts'
import { NONE, QUEUED, STAGED } from './slots.ts'
import { type KernelState, nameOf } from './state.ts'

/** Records of one partition admitted in a row before another partition has its turn. */
const TURN = 256

/** A response arrived. It waits in the backlog until there is room; nothing of it is dropped. */
export function polled(state: KernelState, batch: FetchedBatch): void {
  const lease = state.leases.get(batch.epoch)
  if (lease === undefined || !lease.isOpen) return
  // The epoch of the highest record known: a map restored from a later epoch must not look older than it is.
  if (batch.leaderEpoch > lease.leaderEpoch) lease.leaderEpoch = batch.leaderEpoch
  if (batch.logEnd > lease.logEnd) lease.logEnd = batch.logEnd
  if (batch.nextPosition > lease.fetchPosition) lease.fetchPosition = batch.nextPosition
  lease.backlog.push(batch)
  lease.backlogRecords += batch.count
  enqueueRoom(state, lease)
}

/**
 * First those who wait for the pool, then everybody who has room of their own, then the pool again for those who want more
 * than that. A step costs what it admits: nobody who has been refused is asked again before there is room for them.
 */
export function admit(state: KernelState, nowMs: number): void {
  const { roomQueue, poolQueue } = state
  if ((roomQueue.size === 0 && poolQueue.size === 0) || isFull(state)) return
  const budget = budgetOf(state)
  if (servePool(state, budget, nowMs) === 'alone') return
  while (roomQueue.size > 0 && !isFull(state)) {
    const lease = roomQueue.shift()!
    lease.inRoomQueue = false
    const outcome = lease.isOpen ? admitTurn(state, lease, budget, 0, 0, nowMs) : 'empty'
    if (outcome === 'more') enqueueRoom(state, lease)
    else if (outcome === 'full' && !isMapFull(lease)) enqueuePool(state, lease)
  }
  servePool(state, budget, nowMs)
}

/**
 * The pool, first come first served. Whoever is first stays first until something of it fits, and nobody behind it is given
 * any of the pool meanwhile: otherwise a large record would wait for ever while small ones of others fill every gap. One that
 * is larger than anything it could be given runs `alone`: until then nobody else is let in at all.
 */
function servePool(state: KernelState, budget: Budget, nowMs: number): 'served' | 'alone' {
  const { poolQueue } = state
  while (poolQueue.size > 0 && !isFull(state)) {
    const records = Math.max(0, budget.poolRecords - budget.usedRecords)
    const bytes = Math.max(0, budget.poolBytes - budget.usedBytes)
    const lease = poolQueue.first()!
    const { admitted } = state.totals
    const outcome = lease.isOpen ? admitTurn(state, lease, budget, records, bytes, nowMs) : 'empty'
    // Where the map is full it comes back when something of its own has ended.
    const isOut = outcome === 'empty' || isMapFull(lease)
    if (!isOut && outcome === 'full' && state.totals.admitted === admitted) {
      return nextSize(lease) > budget.guaranteedBytes + budget.poolBytes ? 'alone' : 'served'
    }
    poolQueue.shift()
    lease.inPoolQueue = false
    if (!isOut) enqueuePool(state, lease)
  }
  return 'served'
}

function nextSize({ backlog, backlogAt }: Lease): number {
  return backlog[0]?.sizes[backlogAt] ?? 0
}

/** What is left of its own share, and what it may have of the pool. */
function admitTurn(
  state: KernelState,
  lease: Lease,
  { guaranteedRecords, guaranteedBytes }: Budget,
  ofPoolRecords: number,
  ofPoolBytes: number,
  nowMs: number,
): 'empty' | 'full' | 'more' {
  const { limits } = state.options
  const records = Math.max(0, guaranteedRecords - lease.records) + ofPoolRecords
  const bytes = Math.max(0, guaranteedBytes - lease.bytes) + ofPoolBytes
  return admitUpTo(
    state,
    lease,
    Math.min(limits.records - state.records, records, roomInMemory(state, lease)),
    Math.min(limits.bytes - state.bytes, bytes),
    nowMs,
  )
}

function admitUpTo(
  state: KernelState,
  lease: Lease,
  recordsLeft: number,
  bytesLeft: number,
  nowMs: number,
): 'empty' | 'full' | 'more' {
  const { tracker, backlog } = lease
  let left = TURN
  while (backlog.length > 0) {
    const batch = backlog[0]!
    for (; lease.backlogAt < batch.count; lease.backlogAt++) {
      const index = lease.backlogAt
      const offset = asOffset(batch.offsets[index]!)
      if (!tracker.reach(offset)) {
        // Progress without work: the position may have moved over what an earlier lease finished.
        touch(state, lease, nowMs)
        state.totals.restored++
        lease.backlogRecords--
        continue
      }
      if (left-- === 0) return 'more'
      const size = batch.sizes[index]!
      // No room for it. Where nothing is admitted at all it runs alone, however large it is.
      if ((recordsLeft-- <= 0 || size > bytesLeft) && !isEmpty(state)) return 'full'
      if (isMapFull(lease)) return 'full'
      bytesLeft -= size
      admitRecord(state, lease, batch, index, offset, size, nowMs)
    }
    backlog.shift()
    lease.backlogAt = 0
    if (tracker.advanceTo(batch.nextPosition)) touch(state, lease, nowMs)
    if (backlog.length === 0) skipAhead(state, lease)
  }
  if (lease.fetchPaused) {
    enqueueResume(state, lease)
    state.freed++
  }
  return 'empty'
}

/** The map says that reading can go on further ahead: no need to fetch what is finished. */
function skipAhead(state: KernelState, lease: Lease): void {
  const { admittedEnd } = lease.tracker
  if (admittedEnd <= lease.fetchPosition) return
  lease.fetchPosition = admittedEnd
  state.out.fetch({ ...nameOf(lease), position: admittedEnd })
}

/** Exactly-once with a full map takes nothing new, except what lies below the map it started with. */
function isMapFull(lease: Lease): boolean {
  if (lease.pauses.size === 0 || !lease.pauses.has('map-full')) return false
  return lease.tracker.admittedEnd >= lease.tracker.restoredEnd
}

function admitRecord(
  state: KernelState,
  lease: Lease,
  batch: FetchedBatch,
  index: number,
  offset: Offset,
  size: number,
  nowMs: number,
): void {
  const { slots } = state
  const slot = slots.allocate()
  slots.offset[slot] = offset
  slots.epoch[slot] = lease.epoch
  slots.bytes[slot] = size
  slots.since[slot] = nowMs
  slots.due[slot] = 0
  slots.attempt[slot] = 0
  slots.lane[slot] = NONE
  slots.task[slot] = NONE
  slots.index[slot] = index
  slots.lease[slot] = lease
  slots.batch[slot] = batch
  if (lease.tracker.head === NONE) lease.blockingSince = nowMs
  lease.tracker.admit(slot, offset)
  lease.backlogRecords--
  count(state, lease, 1, size)
  state.totals.admitted++
  if (state.options.delivery === 'at-most-once') {
    slots.state[slot] = STAGED
    lease.staged.push(slot)
    dueAt(state, nowMs)
    return
  }
  enterLane(state, lease, slot, nowMs)
}

/** Into its lane; straight to the ready list if it has none or is the first of it. */
export function enterLane(state: KernelState, lease: Lease, slot: number, nowMs: number): void {
  const { slots, options } = state
  if (options.order === 'none') return enterNone(state, slot, nowMs)
  if (options.order === 'partition') return enterHashed(state, lease, slot, PARTITION_LANE_HASH, 0, nowMs)
  const batch = slots.batch[slot]!
  const index = slots.index[slot]!
  if (batch.hashes) {
    // Nobody has made a string of the key yet, and nobody has to. An empty key is a key and has a hash; null has none.
    if (batch.hashes[index * 2 + 1] !== 0) return enterHashed(state, lease, slot, batch.hashes, index * 2, nowMs)
  } else {
    const key = batch.keys[index] ?? null
    if (key !== null) {
      hashKey(key, hash, 0)
      return enterHashed(state, lease, slot, hash, 0, nowMs)
    }
  }
  if (options.nullKeys === 'unordered') return enterNone(state, slot, nowMs)
  enterHashed(state, lease, slot, NULL_LANE_HASH, 0, nowMs)
}

const hash = new Int32Array(2)

function enterHashed(
  state: KernelState,
  lease: Lease,
  slot: number,
  hashes: Int32Array,
  at: number,
  nowMs: number,
): void {
  offer(state, state.lanes.push(lease, slot, hashes[at]!, hashes[at + 1]!), nowMs)
}

/** Nothing to wait for. */
function enterNone(state: KernelState, slot: number, nowMs: number): void {
  state.slots.state[slot] = QUEUED
  offer(state, slot, nowMs)
}
