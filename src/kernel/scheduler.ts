/**
 * Picks what runs next.
 *
 * - Blocking first (P3): the record that holds a partition's commit position back goes before all others. After
 *   `blockingBurst` such picks in a row one ordinary pick is made, so nobody starves.
 * - Fair: ordinary picks go round the partitions that have something ready, one each.
 * - A slot of the engine is one handler call under way. Deferred and waiting records hold none.
 */
import { dueAt } from './commit.ts'
import type { Work } from './events.ts'
import type { Lease } from './lease.ts'
import { enqueueReady, takeFromReady } from './ready.ts'
import { exhaust } from './records.ts'
import { NONE, QUEUED, READY, RUNNING } from './slots.ts'
import type { KernelState } from './state.ts'

/** Partitions that are asked for a record that is not their blocking one, before any will do. */
const LOOKS_MAX = 8

export function dispatch(state: KernelState, nowMs: number): void {
  state.lingerWakeMs = Number.POSITIVE_INFINITY
  if (state.readyTotal === 0 || state.stopped) return
  if (state.options.batch !== null) return dispatchBatches(state, nowMs)
  const limit = state.concurrencyLimit
  while (state.running < limit) {
    const slot = pick(state)
    if (slot === NONE) return
    takeFromReady(state, slot)
    start(state, slot, nowMs)
  }
}

/** A new attempt begins. A record that could not be decoded never reaches a handler. */
function start(state: KernelState, slot: number, nowMs: number): void {
  if (!begin(state, slot, nowMs)) return
  state.running++
  state.out.run(state.work(slot))
}

function begin(state: KernelState, slot: number, nowMs: number): boolean {
  const { slots, lanes, options } = state
  const lease = slots.lease[slot]!
  slots.state[slot] = RUNNING
  slots.since[slot] = nowMs
  slots.attempt[slot]!++
  slots.nextRun(slot)
  slots.task[slot] = NONE
  lanes.begin(slot)
  lease.active++
  if (options.delivery === 'at-most-once') {
    lease.unstarted--
    // Fewer wait to start: the next chunk may commit.
    dueAt(state, nowMs)
  }
  const { failures } = slots.batch[slot]!
  if (failures?.has(slots.index[slot]!)) {
    exhaust(state, slot, failures.get(slots.index[slot]!), nowMs)
    return false
  }
  if (options.handlerTimeoutMs !== null) state.due.push(slot, nowMs + options.handlerTimeoutMs)
  return true
}

function dispatchBatches(state: KernelState, nowMs: number): void {
  const { max, min, by } = state.options.batch!
  while (state.running < state.concurrencyLimit && state.readyTotal > 0) {
    const slots: number[] = []
    if (by === 'key') {
      const head = pick(state)
      if (head === NONE) return
      takeFromReady(state, head)
      state.lanes.collect(head, max, slots)
    } else {
      const heads: number[] = []
      while (slots.length < max) {
        const head = pick(state)
        if (head === NONE) break
        takeFromReady(state, head)
        heads.push(head)
        state.lanes.collect(head, max - slots.length, slots)
      }
      if (slots.length === 0) return
      if (slots.length < min && nowMs < state.lingerUntilMs) return putBack(state, heads)
    }
    startBatch(state, slots, nowMs)
  }
}

/** Too few for a batch yet: as they were, in the same order, until more come or the linger time is over. */
function putBack(state: KernelState, heads: readonly number[]): void {
  const { slots } = state
  state.lingerWakeMs = state.lingerUntilMs
  for (let at = heads.length - 1; at >= 0; at--) {
    const slot = heads[at]!
    const lease = slots.lease[slot]!
    slots.state[slot] = READY
    slots.readyBefore[slot] = NONE
    slots.readyAfter[slot] = lease.readyHead
    if (lease.readyHead === NONE) lease.readyTail = slot
    else slots.readyBefore[lease.readyHead] = slot
    lease.readyHead = slot
    lease.readyCount++
    state.readyTotal++
    enqueueReady(state, lease)
  }
}

function startBatch(state: KernelState, slots: readonly number[], nowMs: number): void {
  const works: Work[] = []
  const task = state.nextTask++
  // A record that cannot be decoded leaves by its exit; what follows in its lane must not overtake it.
  const blocked = new Set<number>()
  for (const slot of slots) {
    const lane = state.slots.lane[slot]!
    if (lane !== NONE && blocked.has(lane)) continue
    if (state.slots.state[slot] !== QUEUED) continue
    if (!begin(state, slot, nowMs)) {
      if (lane !== NONE) blocked.add(lane)
      continue
    }
    state.slots.task[slot] = task
    works.push(state.work(slot))
  }
  if (works.length === 0) return
  state.tasks.set(task, works.length)
  state.running++
  state.out.runBatch(works)
}

function pick(state: KernelState): number {
  if (state.blockingPicks < state.options.blockingBurst) {
    const slot = pickBlocking(state)
    if (slot !== NONE) {
      state.blockingPicks++
      return slot
    }
    state.blockingPicks = 0
    return pickOrdinary(state, false)
  }
  state.blockingPicks = 0
  const slot = pickOrdinary(state, true)
  return slot === NONE ? pickOrdinary(state, false) : slot
}

function pickBlocking(state: KernelState): number {
  for (let looked = state.blockingQueue.size; looked > 0; looked--) {
    const lease = state.blockingQueue.shift()!
    lease.inBlockingQueue = false
    const head = lease.tracker.head
    if (mayDispatch(state, lease) && head !== NONE && state.slots.state[head] === READY) return head
  }
  return NONE
}

/** The next partition's first ready record; with `skipBlocking`, one that does not hold its position back. */
function pickOrdinary(state: KernelState, skipBlocking: boolean): number {
  const { readyQueue } = state
  if (readyQueue.size === 1 && !skipBlocking) {
    // The usual case, spared the round: nobody else is in line.
    const lease = readyQueue.first()!
    if (lease.readyCount > 1 && mayDispatch(state, lease)) return lease.readyHead
  }
  // Where every partition has nothing but its blocking record, going round all of them for each pick would cost a step for each
  // partition and record. Those that were looked at are last in line now: the next look goes on behind them.
  const looks = skipBlocking ? Math.min(LOOKS_MAX, readyQueue.size) : readyQueue.size
  for (let looked = looks; looked > 0; looked--) {
    const lease = readyQueue.shift()!
    lease.inReadyQueue = false
    if (lease.readyCount === 0 || !mayDispatch(state, lease)) continue
    let slot = lease.readyHead
    if (skipBlocking && slot === lease.tracker.head) slot = state.slots.readyAfter[slot]!
    // Back to the end of the line, also when nothing suitable was found: it has ready records.
    if (lease.readyCount > 1 || slot === NONE) enqueueReady(state, lease)
    if (slot !== NONE) return slot
  }
  return NONE
}

/** At-most-once goes on during a drain: what is committed must run, or it is lost. */
export function mayDispatch(state: KernelState, lease: Lease): boolean {
  if (lease.home.userPaused) return false
  return lease.isOpen || (lease.state === 'draining' && state.options.delivery === 'at-most-once')
}
