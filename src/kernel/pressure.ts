/**
 * Backpressure: limits in records and in bytes, shared between partitions (P7, I5).
 *
 * Half of each limit is divided equally and guaranteed: one partition never fills the buffer, however slow its
 * handlers are. The other half is a pool for whoever has work. Fetching of a partition pauses when it reaches
 * `pauseAt` of what it could hold, and resumes at `resumeAt`: two thresholds, so that a load near the limit does not
 * pause and resume all the time.
 *
 * A record larger than the whole byte limit is admitted alone: it must run at some time, and it counts.
 */
import { watchParked } from './breaker.ts'
import type { PauseReason } from './events.ts'
import type { Lease } from './lease.ts'
import { type KernelState, nameOf } from './state.ts'

export interface Budget {
  readonly guaranteedRecords: number
  readonly guaranteedBytes: number
  readonly poolRecords: number
  readonly poolBytes: number
  usedRecords: number
  usedBytes: number
  /** A record waits that is larger than anything a partition can be given: nobody else is let in. */
  doorHeld: boolean
  /** A partition with nothing admitted waits for room in the pool: the others keep to their guaranteed share. */
  isPoolKept: boolean
}

export function budgetOf(state: KernelState): Budget {
  const { records, bytes } = state.options.limits
  const leases = Math.max(1, state.leases.size)
  const guaranteedRecords = leases === 1 ? records : Math.floor(records / 2 / leases)
  const guaranteedBytes = leases === 1 ? bytes : Math.floor(bytes / 2 / leases)
  const budget: Budget = {
    guaranteedRecords,
    guaranteedBytes,
    poolRecords: records - guaranteedRecords * leases,
    poolBytes: bytes - guaranteedBytes * leases,
    usedRecords: 0,
    usedBytes: 0,
    doorHeld: false,
    isPoolKept: false,
  }
  for (const lease of state.leases.values()) {
    budget.usedRecords += over(lease.records, guaranteedRecords)
    budget.usedBytes += over(lease.bytes, guaranteedBytes)
  }
  return budget
}

function over(used: number, guaranteed: number): number {
  return used > guaranteed ? used - guaranteed : 0
}

/** How many more records this partition may be given now. */
export function recordsFor(state: KernelState, lease: Lease, budget: Budget): number {
  if (budget.doorHeld) return 0
  return Math.min(
    state.options.limits.records - state.records,
    Math.max(0, budget.guaranteedRecords - lease.records) + pool(budget, budget.poolRecords - budget.usedRecords),
  )
}

/** How many more bytes this partition may be given now. */
export function bytesFor(state: KernelState, lease: Lease, budget: Budget): number {
  return Math.min(
    state.options.limits.bytes - state.bytes,
    Math.max(0, budget.guaranteedBytes - lease.bytes) + pool(budget, budget.poolBytes - budget.usedBytes),
  )
}

function pool(budget: Budget, left: number): number {
  return budget.isPoolKept || left < 0 ? 0 : left
}

/** There is no room in the budget. Where nothing else is admitted a record runs alone, however large it is. */
export function mayRunAlone(state: KernelState, budget: Budget, size: number): boolean {
  if (state.records === 0) return true
  if (size > budget.guaranteedBytes + budget.poolBytes) budget.doorHeld = true
  return false
}

/** Book what a partition took in its turn. */
export function book(budget: Budget, lease: Lease, recordsBefore: number, bytesBefore: number): void {
  budget.usedRecords += over(lease.records, budget.guaranteedRecords) - over(recordsBefore, budget.guaranteedRecords)
  budget.usedBytes += over(lease.bytes, budget.guaranteedBytes) - over(bytesBefore, budget.guaranteedBytes)
}

/** Pause or resume fetching where the load says so. Pauses have reasons; fetching goes on when there is none left. */
export function regulate(state: KernelState): void {
  const budget = budgetOf(state)
  for (const lease of state.leases.values()) {
    if (!lease.isOpen) continue
    const load = loadOf(state, lease, budget)
    const { pauseAt, resumeAt } = state.options.limits
    if (lease.backlogRecords > 0 || load >= pauseAt) lease.pauses.add('backpressure')
    else if (load <= resumeAt) lease.pauses.delete('backpressure')
    watchParked(state, lease)
    applyPauses(state, lease)
  }
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
