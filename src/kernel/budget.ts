/**
 * How much may be admitted: the limits in records and in bytes, divided among the partitions (P7, I5).
 *
 * Half of each limit is divided equally and guaranteed: one partition never fills the buffer, however slow its
 * handlers are. The other half is a pool for whoever has work. A record larger than the whole byte limit is admitted
 * alone: it must run at some time, and it counts.
 *
 * What always holds: `used` is what partitions hold beyond their guaranteed shares. It is kept up with every record and
 * counted anew only when a partition comes or goes, so that a record costs the same among ten partitions and ten thousand.
 */
import type { Lease } from './lease.ts'
import type { KernelOptions } from './options.ts'
import type { KernelState } from './state.ts'

export interface Budget {
  guaranteedRecords: number
  guaranteedBytes: number
  poolRecords: number
  poolBytes: number
  usedRecords: number
  usedBytes: number
  /** Partitions came or went since it was counted: the shares are others. */
  isStale: boolean
}

export function newBudget(): Budget {
  return {
    guaranteedRecords: 0,
    guaranteedBytes: 0,
    poolRecords: 0,
    poolBytes: 0,
    usedRecords: 0,
    usedBytes: 0,
    isStale: true,
  }
}

export function budgetOf(state: KernelState): Budget {
  const { budget } = state
  if (budget.isStale) countAnew(state)
  return budget
}

function countAnew(state: KernelState): void {
  const { budget } = state
  const { records, bytes } = state.options.limits
  const leases = Math.max(1, state.leases.size)
  budget.isStale = false
  budget.guaranteedRecords = leases === 1 ? records : Math.floor(records / 2 / leases)
  budget.guaranteedBytes = leases === 1 ? bytes : Math.floor(bytes / 2 / leases)
  budget.poolRecords = records - budget.guaranteedRecords * leases
  budget.poolBytes = bytes - budget.guaranteedBytes * leases
  budget.usedRecords = 0
  budget.usedBytes = 0
  for (const lease of state.leases.values()) {
    budget.usedRecords += over(lease.records, budget.guaranteedRecords)
    budget.usedBytes += over(lease.bytes, budget.guaranteedBytes)
    // Its share may be larger than when it was refused.
    enqueueRoom(state, lease)
  }
  for (let left = state.poolQueue.size; left > 0; left--) {
    const lease = state.poolQueue.shift()!
    lease.inPoolQueue = false
    if (lease.state !== 'fenced') enqueuePool(state, lease)
  }
}

/** What lies above the guaranteed share, and so is taken from the pool. */
export function over(used: number, guaranteed: number): number {
  return used > guaranteed ? used - guaranteed : 0
}

/** The one place where records and bytes of a lease change, but for its end. On the hot path. */
export function count(state: KernelState, lease: Lease, records: number, bytes: number): void {
  const { budget } = state
  const { guaranteedRecords, guaranteedBytes } = budget
  budget.usedRecords += over(lease.records + records, guaranteedRecords) - over(lease.records, guaranteedRecords)
  budget.usedBytes += over(lease.bytes + bytes, guaranteedBytes) - over(lease.bytes, guaranteedBytes)
  lease.records += records
  lease.bytes += bytes
  state.records += records
  state.bytes += bytes
}

/** It has something that was fetched, and may have room of its own for it now. */
export function enqueueRoom(state: KernelState, lease: Lease): void {
  if (lease.inRoomQueue || lease.backlog.length === 0) return
  lease.inRoomQueue = true
  state.roomQueue.push(lease)
}

/** Its own share is used up: it waits for the pool, behind those who came before. */
export function enqueuePool(state: KernelState, lease: Lease): void {
  if (lease.inPoolQueue) return
  lease.inPoolQueue = true
  state.poolQueue.push(lease)
}

/** Nobody can be given anything, whatever their shares. Where there is nothing a record runs alone, however large. */
export function isFull(state: KernelState): boolean {
  const { limits } = state.options
  return !isEmpty(state) && (state.records >= limits.records || state.bytes >= limits.bytes)
}

export function isEmpty({ records, resting }: KernelState): boolean {
  return records === 0 && resting === 0
}

/**
 * Exactly-once: nothing is left to do for this record but to be in a transaction, and others may have its place. If it kept it,
 * nothing could run while a transaction commits, and a transaction could hold no more than the limit. What rests is bounded by
 * the limit in bytes, and in number by `roomInMemory`.
 */
export function rest(state: KernelState, lease: Lease, slot: number): void {
  if (state.slots.resting[slot] === 1) return
  state.slots.rest(slot)
  count(state, lease, -1, 0)
  lease.resting++
  state.resting++
  state.freed++
  enqueueRoom(state, lease)
}

/** Out of memory. */
export function uncount(state: KernelState, slot: number): void {
  const lease = state.slots.lease[slot]!
  const bytes = state.slots.bytes[slot]!
  if (state.slots.resting[slot] === 1) {
    lease.resting--
    state.resting--
    count(state, lease, 0, -bytes)
  } else count(state, lease, -1, -bytes)
  state.freed++
  enqueueRoom(state, lease)
}

/** So many may wait for a transaction: as many as one holds at most. */
export function restMax({ limits, commit }: KernelOptions): number {
  return Math.max(limits.records, commit.everyRecords)
}

/**
 * How many more of this partition may be in memory, at work or at rest. A few of each partition, whatever the others have: who
 * can commit nothing holds up nobody else. So there are half as many again at most.
 */
export function roomInMemory(state: KernelState, lease: Lease): number {
  const most = state.options.limits.records + restMax(state.options)
  const share = Math.max(1, Math.floor(most / 2 / Math.max(1, state.leases.size)))
  return Math.max(most - state.records - state.resting, share - lease.records - lease.resting)
}
