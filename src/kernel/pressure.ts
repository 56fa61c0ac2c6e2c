/**
 * Backpressure (P7): fetching of a partition pauses when it reaches `pauseAt` of what it could hold, and resumes at
 * `resumeAt`: two thresholds, so that a load near the limit does not pause and resume all the time.
 */
import { watchParked } from './breaker.ts'
import { type Budget, budgetOf, enqueueRoom, over } from './budget.ts'
import type { FetchedBatch, PauseReason } from './events.ts'
import type { Lease } from './lease.ts'
import { type KernelState, nameOf } from './state.ts'

/** Of those who may be resumed: so many records have to end before they are looked at again. */
const FREED_SHARE = 1 / 8
/** Or so long after the first of them has ended. */
const LOOK_WITHIN_MS = 5

/** Something was fetched. Where there is room for everybody, only those who were given something can have too much of it. */
export function regulateFetched(state: KernelState, batches: readonly FetchedBatch[]): void {
  if (!isRoomy(state)) return regulateAll(state)
  const budget = budgetOf(state)
  for (const { epoch } of batches) {
    const lease = state.leases.get(epoch)
    if (lease !== undefined) regulate(state, lease, budget)
  }
}

/**
 * Records have ended: there may be room for those who are paused. Asking all of them after every record would cost a step for
 * each of both. So it waits until some have ended, or for a moment: nobody is kept paused by a handler that takes long.
 */
export function regulateFreed(state: KernelState, nowMs: number): void {
  const { resumeQueue, options } = state
  // Parked records are counted wherever fetching is paused, whatever it waits for.
  const paused = options.breaker === null ? resumeQueue.size : state.fetchPaused
  if (paused === 0 || state.freed === 0) {
    state.freed = 0
    state.lookDueMs = Number.POSITIVE_INFINITY
    return
  }
  if (state.freed < paused * FREED_SHARE && nowMs < state.lookDueMs) {
    if (state.lookDueMs === Number.POSITIVE_INFINITY) state.lookDueMs = nowMs + LOOK_WITHIN_MS
    return
  }
  state.freed = 0
  state.lookDueMs = Number.POSITIVE_INFINITY
  if (options.breaker !== null) return regulateAll(state)
  const budget = budgetOf(state)
  for (let left = resumeQueue.size; left > 0; left--) {
    const lease = resumeQueue.shift()!
    lease.inResumeQueue = false
    regulate(state, lease, budget)
  }
}

function regulateAll(state: KernelState): void {
  const budget = budgetOf(state)
  for (const lease of state.leases.values()) regulate(state, lease, budget)
}

/** Pause or resume fetching where the load says so. Pauses have reasons; fetching goes on when there is none left. */
function regulate(state: KernelState, lease: Lease, budget: Budget): void {
  if (!lease.isOpen) return
  const load = loadOf(state, lease, budget)
  const { pauseAt, resumeAt } = state.options.limits
  if (lease.backlogRecords > 0 || load >= pauseAt) lease.pauses.add('backpressure')
  else if (load <= resumeAt) lease.pauses.delete('backpressure')
  if (state.options.breaker !== null) watchParked(state, lease)
  applyPauses(state, lease)
  enqueueResume(state, lease)
}

/** Nothing but the load keeps it paused: less of it, here or elsewhere, may be enough. */
export function enqueueResume(state: KernelState, lease: Lease): void {
  if (lease.inResumeQueue || lease.backlogRecords > 0 || !lease.fetchPaused || !lease.pauses.has('backpressure')) return
  lease.inResumeQueue = true
  state.resumeQueue.push(lease)
}

/** So much of the pool is left that no partition, whatever it holds, is at `pauseAt`. */
function isRoomy(state: KernelState): boolean {
  const { limits } = state.options
  const { guaranteedRecords, guaranteedBytes, poolRecords, poolBytes, usedRecords, usedBytes } = budgetOf(state)
  const spare = Math.max(0, 1 / limits.pauseAt - 1)
  return (
    poolRecords - usedRecords > Math.max(guaranteedRecords, state.records) * spare &&
    poolBytes - usedBytes > Math.max(guaranteedBytes, state.bytes) * spare &&
    (guaranteedRecords > 0 || state.records < limits.records * limits.pauseAt)
  )
}

/** The share of what this partition could hold now, given what the others hold. */
function loadOf(state: KernelState, lease: Lease, budget: Budget): number {
  const freeRecords = budget.poolRecords - budget.usedRecords + over(lease.records, budget.guaranteedRecords)
  const freeBytes = budget.poolBytes - budget.usedBytes + over(lease.bytes, budget.guaranteedBytes)
  const records = lease.records / Math.max(1, budget.guaranteedRecords + Math.max(0, freeRecords))
  const bytes = lease.bytes / Math.max(1, budget.guaranteedBytes + Math.max(0, freeBytes))
  // More partitions than records in the limit: nobody has a share of its own, the whole counts.
  const whole = budget.guaranteedRecords === 0 ? state.records / state.options.limits.records : 0
  return Math.max(records, bytes, whole)
}

export function pauseFor(state: KernelState, lease: Lease, reason: PauseReason, paused: boolean): void {
  if (paused) lease.pauses.add(reason)
  else lease.pauses.delete(reason)
  // What was fetched before may go on.
  if (!paused) enqueueRoom(state, lease)
  applyPauses(state, lease)
}

function applyPauses(state: KernelState, lease: Lease): void {
  const paused = lease.pauses.size > 0
  if (paused === lease.fetchPaused) return
  lease.fetchPaused = paused
  if (paused) {
    state.fetchPaused++
    state.out.pause(nameOf(lease))
  } else {
    state.fetchPaused--
    state.out.resume(nameOf(lease))
  }
}
