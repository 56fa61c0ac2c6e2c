/**
 * The breaker of a key: when so many of its records in a row have failed for good, what follows is likely to fail as well.
 * The key is parked: its other records stay pending, in order, until the user resumes it. All other keys go on.
 *
 * What always holds: a parked key starts nothing (I3 holds as for a paused one), and nothing of it counts as finished (I1).
 * What is parked is known to this lease alone: whoever has the partition next, this process included, starts counting anew.
 * Parked records stay in memory and hold the position back, so they count in the limits; when they have taken up most of
 * what their partition may hold, that is told (`parked-full`), because fetching then waits for the user.
 */
import { keyAt, keyOfLane, laneKey } from './lane-key.ts'
import type { Home, Lease } from './lease.ts'
import { offer, takeFromReady } from './ready.ts'
import { NONE, QUEUED, READY } from './slots.ts'
import { type KernelState, nameOf } from './state.ts'

/** Keys whose failures are counted, for each partition; the oldest is forgotten, which makes its breaker slower. */
const COUNTED_MAX = 10_000
/** Keys that are parked at a time, for each partition. Beyond them, records leave by their exits as without a breaker. */
const PARKED_MAX = 1_000

/** A record has failed for good. */
export function poisoned(state: KernelState, slot: number, error: unknown, nowMs: number): void {
  const { breaker } = state.options
  if (breaker === null) return
  const lease = state.slots.lease[slot]!
  const key = keyOf(state, slot)
  if (key === null || !lease.isOpen) return
  const { counts, parked } = lease.home.breaker
  const poisons = (counts.get(key) ?? 0) + 1
  // To the end of the line: the oldest is the one to be forgotten.
  counts.delete(key)
  counts.set(key, poisons)
  if (counts.size > COUNTED_MAX) counts.delete(first(counts))
  if (poisons < breaker.poisons || parked.has(key) || parked.size >= PARKED_MAX) return
  parked.set(key, { sinceMs: nowMs, poisons, error })
  parkLane(state, lease, key)
  const partition = nameOf(lease)
  state.out.notice({ kind: 'parked', partition, key: keyOfLane(state.options, key), poisons, error })
}

/** A record is done: its key is well again. */
export function passed(state: KernelState, slot: number): void {
  if (state.options.breaker === null) return
  const { counts } = state.slots.lease[slot]!.home.breaker
  if (counts.size === 0) return
  const key = keyOf(state, slot)
  if (key !== null) counts.delete(key)
}

/** The user lets a key go on. The next failures are counted from zero. */
export function unpark(state: KernelState, home: Home, key: string, nowMs: number): void {
  home.breaker.parked.delete(key)
  home.breaker.counts.delete(key)
  if (home.lease !== null && !home.pausedKeys.has(key)) offer(state, state.lanes.unpark(home.lease, key), nowMs)
}

/** Nothing of this key starts any more. */
export function parkLane(state: KernelState, lease: Lease, key: string): void {
  const head = state.lanes.park(lease, key)
  if (head === NONE) return
  if (state.slots.state[head] === READY) takeFromReady(state, head)
  // Its linger time must not start it. (A retry that waits keeps its timer: the lane is asked when it comes.)
  else if (state.slots.state[head] === QUEUED) {
    state.slots.stamp[head]!++
    state.slots.due[head] = 0
  }
}

export function forgetParked({ breaker }: Home): void {
  breaker.counts.clear()
  breaker.parked.clear()
  breaker.isFull = false
}

/** Fetching is paused for want of room, and most of what is there only waits for the user: said once, and shown. */
export function watchParked(state: KernelState, lease: Lease): void {
  const { breaker } = lease.home
  if (breaker.parked.size === 0 && !breaker.isFull) return
  const records = parkedRecords(state, lease)
  const isFull = lease.pauses.has('backpressure') && records > 0 && records * 2 >= lease.records
  if (isFull && !breaker.isFull) {
    state.out.notice({ kind: 'parked-full', partition: nameOf(lease), keys: breaker.parked.size, records })
  }
  breaker.isFull = isFull
}

function parkedRecords(state: KernelState, lease: Lease): number {
  let records = 0
  for (const key of lease.home.breaker.parked.keys()) records += state.lanes.depthOfKey(lease, key)
  return records
}

/** By the record: in exactly-once it may have left its lane already. */
function keyOf({ slots, options }: KernelState, slot: number): string | null {
  return laneKey(options, keyAt(slots.batch[slot], slots.index[slot]!))
}

function first(counts: ReadonlyMap<string, number>): string {
  for (const key of counts.keys()) return key
  return ''
}
