/** The ready list of a lease: records that may run now, first come first served, removable from the middle. */
import type { Lease } from './lease.ts'
import { NONE, QUEUED, READY } from './slots.ts'
import type { KernelState } from './state.ts'

/** A lane offers this record, or it needs no lane. `NONE` is ignored, so lane answers can be passed on as they are. */
export function offer(state: KernelState, slot: number, nowMs: number): void {
  if (slot === NONE) return
  const batch = state.options.batch
  if (batch !== null && batch.by === 'key' && batch.lingerMs > 0 && state.lanes.depthOf(slot) < batch.min) {
    // Too few records of this key for a batch: wait for more, but not longer than the linger time of the first.
    const { slots } = state
    slots.state[slot] = QUEUED
    if (slots.due[slot]! > nowMs) return
    slots.due[slot] = nowMs + batch.lingerMs
    slots.stamp[slot]!++
    state.due.push(slot, nowMs + batch.lingerMs)
    return
  }
  makeReady(state, slot, nowMs)
}

export function makeReady(state: KernelState, slot: number, nowMs: number): void {
  const { slots } = state
  const lease = slots.lease[slot]!
  slots.state[slot] = READY
  slots.since[slot] = nowMs
  slots.stamp[slot]!++
  slots.readyBefore[slot] = lease.readyTail
  slots.readyAfter[slot] = NONE
  if (lease.readyTail === NONE) lease.readyHead = slot
  else slots.readyAfter[lease.readyTail] = slot
  lease.readyTail = slot
  lease.readyCount++
  if (state.readyTotal++ === 0) state.lingerUntilMs = nowMs + (state.options.batch?.lingerMs ?? 0)
  enqueueReady(state, lease)
  if (slot === lease.tracker.head) enqueueBlocking(state, lease)
}

/** Out of the list. It counts as queued from here on, so that it cannot be picked a second time. */
export function takeFromReady(state: KernelState, slot: number): void {
  const { slots } = state
  const lease = slots.lease[slot]!
  slots.state[slot] = QUEUED
  const before = slots.readyBefore[slot]!
  const after = slots.readyAfter[slot]!
  if (before === NONE) lease.readyHead = after
  else slots.readyAfter[before] = after
  if (after === NONE) lease.readyTail = before
  else slots.readyBefore[after] = before
  lease.readyCount--
  state.readyTotal--
}

export function enqueueReady(state: KernelState, lease: Lease): void {
  if (lease.inReadyQueue) return
  lease.inReadyQueue = true
  state.readyQueue.push(lease)
}

/** The record that holds this lease's position back may be ready: look at it before others. */
export function enqueueBlocking(state: KernelState, lease: Lease): void {
  if (lease.inBlockingQueue) return
  lease.inBlockingQueue = true
  state.blockingQueue.push(lease)
}
