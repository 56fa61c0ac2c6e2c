/**
 * The ways of a record from its handler to its end. Every one of them ends as done, skipped, exhausted (its dead
 * letter acknowledged) or stays pending; none leaves silently (R3).
 */
import { passed, poisoned } from './breaker.ts'
import { count, rest, uncount } from './budget.ts'
import { touch } from './commit.ts'
import type { Output } from './events.ts'
import type { Lease } from './lease.ts'
import { enqueueBlocking, offer } from './ready.ts'
import { backoffMs, judge } from './retry.ts'
import { EXHAUSTING, FINISHED, HANDLED, NONE, PUBLISHING, READY, RELEASED, WAITING } from './slots.ts'
import type { KernelState } from './state.ts'

export interface Failure {
  readonly error: unknown
  readonly permanent: boolean
  readonly retryAfterMs?: number
}

/** The handler succeeded, or the record needs none. */
export function handled(state: KernelState, slot: number, sends: readonly Output[] | null, nowMs: number): void {
  const { slots, options } = state
  const lease = slots.lease[slot]!
  if (options.delivery === 'exactly-once') {
    keepOutputs(state, slot, sends)
    slots.state[slot] = FINISHED
    slots.since[slot] = nowMs
    lease.active--
    lease.finished.push(slot)
    rest(state, lease, slot)
    // The key may go on: outputs join transactions in the order in which their records were finished.
    offer(state, state.lanes.finish(lease, slot), nowMs)
    touch(state, lease, nowMs)
    return
  }
  if (sends === null || sends.length === 0) {
    complete(state, slot, nowMs)
    return
  }
  keepOutputs(state, slot, sends)
  if (options.output === 'input') {
    slots.state[slot] = HANDLED
    slots.since[slot] = nowMs
    lease.active--
    state.lanes.rest(slot)
    releaseOutputs(state, lease, nowMs)
    return
  }
  publish(state, slot, nowMs)
}

function publish(state: KernelState, slot: number, nowMs: number): void {
  state.slots.state[slot] = PUBLISHING
  state.slots.since[slot] = nowMs
  state.out.publish({ work: state.workId(slot), sends: state.slots.sends[slot]! })
}

/** `output: 'input'`: what handlers sent goes out in offset order. Release everything that no earlier record holds back. */
function releaseOutputs(state: KernelState, lease: Lease, nowMs: number): void {
  for (const slot of lease.tracker.unfinishedSlots()) {
    const was = state.slots.state[slot]
    if (was === PUBLISHING) continue
    if (was !== HANDLED) return
    lease.active++
    state.lanes.begin(slot)
    publish(state, slot, nowMs)
  }
}

/** The outputs of a record are acknowledged, or cannot be written: then the record has failed. */
export function published(
  state: KernelState,
  slot: number,
  result: { readonly ok: boolean; readonly error?: unknown; readonly permanent?: boolean },
  nowMs: number,
  chance: number,
): void {
  if (result.ok) {
    state.totals.done++
    passed(state, slot)
    return complete(state, slot, nowMs)
  }
  dropOutputs(state, slot)
  failed(state, slot, { error: result.error, permanent: result.permanent ?? false }, nowMs, chance)
}

/** Finished for good: the position may move, the key goes on. */
function complete(state: KernelState, slot: number, nowMs: number): void {
  const lease = state.slots.lease[slot]!
  lease.active--
  const next = state.lanes.finish(lease, slot)
  forget(state, lease, slot, nowMs)
  offer(state, next, nowMs)
  if (state.options.output === 'input') releaseOutputs(state, lease, nowMs)
}

/** Finished, and that is news. */
function forget(state: KernelState, lease: Lease, slot: number, nowMs: number): void {
  drop(state, lease, slot, nowMs)
  touch(state, lease, nowMs)
}

/** Out of the tracker and out of memory. */
export function drop(state: KernelState, lease: Lease, slot: number, nowMs: number): void {
  const blocking = lease.tracker.head === slot
  lease.tracker.settle(slot)
  uncount(state, slot)
  state.slots.release(slot)
  if (blocking) {
    lease.blockingSince = nowMs
    const head = lease.tracker.head
    if (head !== NONE && state.slots.state[head] === READY) enqueueBlocking(state, lease)
  }
}

export function failed(state: KernelState, slot: number, failure: Failure, nowMs: number, chance: number): void {
  const { slots } = state
  const lease = slots.lease[slot]!
  const verdict = judge(state.options, slots.attempt[slot]!, failure, chance)
  if (verdict.kind === 'exhausted') return exhaust(state, slot, failure.error, nowMs)
  slots.noteError(slot, failure.error)
  lease.active--
  // The lease drains: whoever gets the partition next tries again.
  if (!lease.isOpen) return release(state, slot)
  state.totals.retries++
  const atMs = nowMs + verdict.delayMs
  slots.state[slot] = WAITING
  slots.since[slot] = nowMs
  slots.due[slot] = atMs
  state.due.push(slot, atMs)
  state.out.notice({ kind: 'retry', work: state.workId(slot), atMs, error: failure.error })
}

/** Not run in this lease any more: no longer counted, but unfinished in the final commit. */
export function release(state: KernelState, slot: number): void {
  state.slots.state[slot] = RELEASED
  state.slots.stamp[slot]!++
  uncount(state, slot)
}

/** No further attempt. The gap closes only when the way out has worked. */
export function exhaust(state: KernelState, slot: number, error: unknown, nowMs: number): void {
  const { slots, options } = state
  slots.noteError(slot, error)
  poisoned(state, slot, error, nowMs)
  if (options.onExhausted === 'skip') return skipped(state, slot, nowMs)
  slots.since[slot] = nowMs
  slots.due[slot] = Number.POSITIVE_INFINITY
  if (options.onExhausted === 'stop') {
    // It stays pending for ever, and no drain waits for it: whoever runs next finds it.
    slots.state[slot] = WAITING
    slots.lease[slot]!.active--
    state.stopped = true
    state.out.add({ kind: 'stop', error, work: state.workId(slot) })
    return
  }
  slots.state[slot] = EXHAUSTING
  state.out.exhaust({ work: state.work(slot), error })
}

/** The way out answered. If it failed, the record stays pending and the way out is tried again, visibly. */
export function exited(
  state: KernelState,
  slot: number,
  result: { readonly ok: boolean; readonly error?: unknown; readonly sends?: readonly Output[] },
  nowMs: number,
  chance: number,
): void {
  const { slots } = state
  if (result.ok) {
    if (state.options.delivery !== 'exactly-once') {
      state.totals.exhausted++
      return complete(state, slot, nowMs)
    }
    // Counted when its transaction has committed. Until then the letter may turn out to be refused.
    slots.exitTried(slot)
    return handled(state, slot, result.sends ?? null, nowMs)
  }
  exitAgain(state, slot, result.error, nowMs, chance)
}

/** Its way out did not work: the same again, later, visibly. */
export function exitAgain(state: KernelState, slot: number, error: unknown, nowMs: number, chance: number): void {
  const { slots } = state
  const tries = slots.exitTried(slot)
  slots.exitError[slot] = error
  const atMs = nowMs + backoffMs(state.options.retry, tries, chance)
  slots.due[slot] = atMs
  state.due.push(slot, atMs)
  state.out.notice({ kind: 'exhaust-retry', work: state.workId(slot), atMs, error })
}

export function skipped(state: KernelState, slot: number, nowMs: number): void {
  state.totals.skipped++
  state.out.notice({ kind: 'skipped', work: state.workId(slot), error: state.slots.error[slot] })
  if (state.options.delivery === 'exactly-once') return handled(state, slot, null, nowMs)
  complete(state, slot, nowMs)
}

/** Outputs are memory too: they count in the limits until they are out. */
function keepOutputs(state: KernelState, slot: number, sends: readonly Output[] | null): void {
  if (sends === null || sends.length === 0) return
  state.slots.keepSends(slot, sends)
  addBytes(state, slot, sizeOf(sends))
}

export function dropOutputs(state: KernelState, slot: number): void {
  const sends = state.slots.sends[slot]
  if (sends === null || sends === undefined) return
  state.slots.keepSends(slot, null)
  addBytes(state, slot, -sizeOf(sends))
}

function sizeOf(sends: readonly Output[]): number {
  let bytes = 0
  for (const output of sends) bytes += output.size
  return bytes
}

function addBytes(state: KernelState, slot: number, bytes: number): void {
  state.slots.bytes[slot]! += bytes
  count(state, state.slots.lease[slot]!, 0, bytes)
}
