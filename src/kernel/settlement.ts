/** What comes back from engines, timers and users about one record, checked before it may change anything. */
import { passed } from './breaker.ts'
import type { Settlement, WorkId } from './events.ts'
import type { Epoch, Offset } from './ids.ts'
import { makeReady, offer, takeFromReady } from './ready.ts'
import { exhaust, failed, handled, release, skipped } from './records.ts'
import { spread } from './retry.ts'
import {
  DEFERRED,
  EXHAUSTING,
  FREE,
  NONE,
  QUEUED,
  READY,
  RUNNING,
  slotOfRun,
  TOLD_SKIP,
  TOLD_TIMEOUT,
  WAITING,
  ZOMBIE,
  ZOMBIE_DEFERRED,
} from './slots.ts'
import type { KernelState } from './state.ts'

const NOT_ATTEMPTED =
  'Not attempted: an earlier record of its key failed in the same batch, and at-most-once hands it out once.'

/** A result from the engine. An old one is counted and changes nothing: not the position, not the lane, not a limit. */
export function settled(state: KernelState, settlement: Settlement, nowMs: number, chance: number): void {
  const { slots } = state
  const slot = locate(state, settlement)
  if (slot === NONE) {
    state.totals.stale++
    return
  }
  const was = slots.state[slot]!
  if (!isPresent(state, slot, settlement) || !awaits(was, settlement.status)) {
    // Said before. Without the run, a second "failed" of attempt 1 would end attempt 2 while its handler runs.
    state.totals.duplicates++
    return
  }
  if (was === RUNNING || was === ZOMBIE) leaveEngine(state, slot, settlement, nowMs)
  if (was === ZOMBIE || was === ZOMBIE_DEFERRED) return settleZombie(state, slot, settlement, nowMs)
  if (settlement.status === 'deferred') {
    slots.state[slot] = DEFERRED
    return
  }
  // A time-out that has not fired is void.
  slots.stamp[slot]!++
  const told = slots.told[slot]
  if (told !== 0) slots.tell(slot, 0)
  if (told === TOLD_SKIP) return skipped(state, slot, nowMs)
  if (settlement.status === 'done') {
    const sends = settlement.sends ?? null
    // With outputs to write first, it is done when they are acknowledged.
    if (sends === null || sends.length === 0) passed(state, slot)
    if (sends === null || sends.length === 0 || state.options.delivery === 'exactly-once') state.totals.done++
    return handled(state, slot, sends, nowMs)
  }
  if (settlement.status === 'returned') return returned(state, slot, nowMs)
  failed(state, slot, settlement, nowMs, spread(chance, settlement.offset))
}

/**
 * The slot of a record. The run names it, so that no table is needed; epoch and offset are compared all the same, because
 * the slot may have another record by now. Engines that do not echo the run are served by a search.
 */
function locate(state: KernelState, { epoch, offset, run }: WorkId): number {
  const { slots } = state
  if (run === undefined) return search(state, epoch, offset)
  const slot = slotOfRun(run)
  const isThere = slots.epoch[slot] === epoch && slots.offset[slot] === offset && slots.state[slot] !== FREE
  return isThere ? slot : NONE
}

function search(state: KernelState, epoch: Epoch, offset: Offset): number {
  const lease = state.leases.get(epoch)
  if (lease !== undefined) return lease.tracker.find(offset)
  const { slots } = state
  for (let slot = 0; slot < slots.capacity; slot++) {
    if (slots.epoch[slot] === epoch && slots.offset[slot] === offset && slots.state[slot] !== FREE) return slot
  }
  return NONE
}

function isPresent(state: KernelState, slot: number, { run }: WorkId): boolean {
  return run === undefined || run === state.slots.run[slot]
}

function awaits(was: number, status: Settlement['status']): boolean {
  if (was === RUNNING || was === ZOMBIE) return true
  return (was === DEFERRED || was === ZOMBIE_DEFERRED) && status !== 'deferred'
}

/** The slot of this very execution if it is in this state, or NONE (and counted). */
export function find(state: KernelState, work: WorkId, expected: number): number {
  const slot = locate(state, work)
  if (slot !== NONE && state.slots.state[slot] === expected && isPresent(state, slot, work)) return slot
  state.totals.stale++
  return NONE
}

/** The handler's call is over, or one record of a batch call: the call ends with its last record. */
function leaveEngine(state: KernelState, slot: number, settlement: Settlement, nowMs: number): void {
  const { slots, tasks } = state
  const task = slots.task[slot]!
  if (task !== NONE) {
    slots.task[slot] = NONE
    const left = tasks.get(task)! - 1
    if (left > 0) {
      tasks.set(task, left)
      return
    }
    tasks.delete(task)
  }
  if (state.watch !== null && settlement.status !== 'returned') {
    state.watch.handled(nowMs - slots.since[slot]!, settlement.status === 'failed')
  }
  if (state.adaptive !== null && settlement.status !== 'returned') {
    state.adaptive.settled(nowMs - slots.since[slot]!, settlement.status === 'failed', state.running, nowMs)
  }
  state.running--
}

/** The handler of an ended lease is over at last: its key is free for the present lease (I8). */
function settleZombie(state: KernelState, slot: number, settlement: Settlement, nowMs: number): void {
  const { slots } = state
  if (settlement.status === 'deferred') {
    slots.state[slot] = ZOMBIE_DEFERRED
    return
  }
  state.totals.stale++
  const key = slots.heldKey[slot] ?? null
  const { home } = slots.lease[slot]!
  slots.release(slot)
  if (key === null) return
  const holders = home.heldKeys.get(key)! - 1
  if (holders > 0) {
    home.heldKeys.set(key, holders)
    return
  }
  home.heldKeys.delete(key)
  if (home.lease !== null) offer(state, state.lanes.unhold(home.lease, key), nowMs)
}

/** Part of a batch that was not attempted: back to its place, the attempt does not count. */
function returned(state: KernelState, slot: number, nowMs: number): void {
  const { slots, lanes } = state
  const lease = slots.lease[slot]!
  // A handler has seen it. Nobody can tell what it did with it, so it must not be handed out a second time.
  if (state.options.delivery === 'at-most-once') return exhaust(state, slot, new Error(NOT_ATTEMPTED), nowMs)
  lease.active--
  slots.attempt[slot]!--
  if (!lease.isOpen) return release(state, slot)
  slots.state[slot] = QUEUED
  offer(state, lanes.pauseWork(slot), nowMs)
}

/** A timer of this record has come. */
export function timerFired(state: KernelState, slot: number, nowMs: number): void {
  const { slots } = state
  switch (slots.state[slot]) {
    case WAITING:
      slots.state[slot] = QUEUED
      return offer(state, state.lanes.pauseWork(slot), nowMs)
    case QUEUED:
      // A batch that is smaller than its minimum has waited long enough.
      return makeReady(state, slot, nowMs)
    case EXHAUSTING:
      return state.out.exhaust({ work: state.work(slot), error: slots.error[slot] })
    case RUNNING:
    case DEFERRED:
      // The handler is told. The record stays under way, its key held, until the handler has really ended.
      if (slots.told[slot] !== TOLD_SKIP) slots.tell(slot, TOLD_TIMEOUT)
      return state.out.abort([state.workId(slot)], 'timeout')
    default:
      return
  }
}

/** The user gives a record up. A running handler is told to stop, and its record counts as skipped whatever it answers. */
export function skip(state: KernelState, slot: number, nowMs: number): boolean {
  const { slots } = state
  const lease = slots.lease[slot]!
  const was = slots.state[slot]!
  if (was === RUNNING || was === DEFERRED) {
    slots.tell(slot, TOLD_SKIP)
    state.out.abort([state.workId(slot)], 'skipped')
    return true
  }
  if (was !== READY && was !== QUEUED && was !== WAITING && was !== EXHAUSTING) return false
  slots.stamp[slot]!++
  if (was === READY) takeFromReady(state, slot)
  // The lane and the lease count it as under way for the moment in which it ends.
  if (was === READY || was === QUEUED) state.lanes.begin(slot)
  if (was !== EXHAUSTING) lease.active++
  if (state.options.delivery === 'at-most-once' && (was === READY || was === QUEUED)) lease.unstarted--
  skipped(state, slot, nowMs)
  return true
}
