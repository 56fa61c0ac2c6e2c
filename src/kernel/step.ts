/**
 * The one place where everything meets: (state, event, time, chance) → commands.
 *
 * Deaf and pure: no clock, no I/O, no promise, no randomness of its own. The same events at the same times give the
 * same commands, which is what the simulator lives on.
 */
import { admit, polled } from './admission.ts'
import { chunkAnswered, commitChunks, flightEnded } from './at-most-once.ts'
import { commitAnswered, commitRound } from './commit.ts'
import { control } from './controls.ts'
import type { Command, CommitOutcome, Event } from './events.ts'
import type { Lease } from './lease.ts'
import { assigned, fence, lost, opened, progressDrains, revoked } from './leases.ts'
import { regulateFetched, regulateFreed } from './pressure.ts'
import { exited, published } from './records.ts'
import { spread } from './retry.ts'
import { dispatch } from './scheduler.ts'
import { find, settled, timerFired } from './settlement.ts'
import { EXHAUSTING, NONE, PUBLISHING } from './slots.ts'
import type { KernelState } from './state.ts'
import { producerReady, startTransaction, transacted } from './transaction.ts'

export function step(state: KernelState, event: Event, nowMs: number, chance: number): readonly Command[] {
  take(state, event, nowMs, chance)
  for (let slot = state.due.popDue(nowMs); slot !== NONE; slot = state.due.popDue(nowMs)) timerFired(state, slot, nowMs)
  // First: a drain that is over starts nothing more, and what its lease held is room for others. Nobody would come back
  // to admit them later.
  progressDrains(state, nowMs)
  admit(state, nowMs)
  dispatch(state, nowMs)
  if (nowMs >= state.commits.dueMs) commitDue(state, nowMs)
  const held = state.records
  progressDrains(state, nowMs)
  finishTransactionsOfDrains(state, nowMs)
  if (state.records < held && (state.roomQueue.size > 0 || state.poolQueue.size > 0)) {
    admit(state, nowMs)
    dispatch(state, nowMs)
    if (nowMs >= state.commits.dueMs) commitDue(state, nowMs)
  }
  // More load comes with what was polled; less load matters only to those who are paused.
  if (event.kind === 'polled') regulateFetched(state, event.batches)
  regulateFreed(state, nowMs)
  if (nowMs >= state.rates.dueMs) state.rates.look(state.totals, nowMs)
  if (state.closing && state.leases.size === 0 && state.transaction.kind !== 'running') {
    state.closing = false
    state.out.add({ kind: 'closed' })
  }
  return state.out.take()
}

/** When to call again with a `tick`, if nothing else happens before. */
export function nextDeadline(state: KernelState): number {
  let next = Math.min(state.due.nextDue(), state.commits.dueMs)
  if (state.draining > 0) {
    for (const lease of state.leases.values()) {
      if (lease.state === 'draining') next = Math.min(next, lease.drainUntilMs)
      else if (lease.state === 'committing') next = Math.min(next, lease.finalUntilMs, finalRetryAt(lease))
    }
  }
  return Math.min(next, state.lingerWakeMs, state.lookDueMs)
}

function finalRetryAt(lease: Lease): number {
  return lease.commit.flight === null && lease.finalRetryAtMs > 0 ? lease.finalRetryAtMs : Number.POSITIVE_INFINITY
}

function take(state: KernelState, event: Event, nowMs: number, chance: number): void {
  switch (event.kind) {
    case 'settled':
      for (const settlement of event.settlements) settled(state, settlement, nowMs, chance)
      return
    case 'polled':
      for (const batch of event.batches) polled(state, batch)
      return
    case 'assigned':
      return assigned(state, event.partitions)
    case 'opened':
      for (const start of event.starts) opened(state, start, nowMs)
      return
    case 'revoked':
      return revoked(state, event.revocation, event.partitions, state.options.drainMs, nowMs)
    case 'lost':
      return lost(state, event.partitions)
    case 'committed':
      return committed(state, event.id, event.outcomes, nowMs)
    case 'transacted':
      return transacted(state, event.id, event.outcome, nowMs, chance)
    case 'producerReady':
      return producerReady(state, nowMs)
    case 'exhausted':
      for (const result of event.results) {
        const slot = find(state, result.work, EXHAUSTING)
        if (slot !== NONE) exited(state, slot, result, nowMs, spread(chance, result.work.offset))
      }
      return
    case 'published':
      for (const result of event.results) {
        const slot = find(state, result.work, PUBLISHING)
        if (slot !== NONE) published(state, slot, result, nowMs, spread(chance, result.work.offset))
      }
      return
    case 'control':
      return control(state, event.control, nowMs)
    case 'tick':
      return
  }
}

function commitDue(state: KernelState, nowMs: number): void {
  switch (state.options.delivery) {
    case 'at-least-once':
      return commitRound(state, nowMs)
    case 'at-most-once':
      return commitChunks(state, nowMs)
    case 'exactly-once':
      // While one is under way, what is finished waits for the next; its end sets the clock again.
      if (state.transaction.kind === 'idle') startTransaction(state, nowMs)
      else state.commits.dueMs = Number.POSITIVE_INFINITY
      return
  }
}

function committed(state: KernelState, id: number, outcomes: readonly CommitOutcome[], nowMs: number): void {
  const leases = state.commits.flights.get(id)
  if (leases === undefined) return
  state.commits.flights.delete(id)
  if (state.options.delivery === 'at-most-once') flightEnded(state, nowMs)
  let rejoin = false
  for (let at = 0; at < leases.length; at++) {
    const lease = leases[at]!
    const outcome = outcomes[at] ?? 'unknown'
    if (lease.state === 'fenced') continue
    if (outcome === 'fenced') fence(state, lease, 'lost')
    else if (state.options.delivery !== 'at-most-once') commitAnswered(state, lease, outcome, nowMs)
    else if (chunkAnswered(state, lease, outcome, nowMs)) {
      rejoin = true
      fence(state, lease, 'lost')
    }
  }
  if (rejoin) state.out.add({ kind: 'rejoin' })
}

/** Exactly-once: a lease that waits for its final transaction does not wait for the interval. */
function finishTransactionsOfDrains(state: KernelState, nowMs: number): void {
  if (state.draining === 0 || state.options.delivery !== 'exactly-once' || state.transaction.kind !== 'idle') return
  for (const lease of state.leases.values()) {
    if (lease.state === 'committing' && lease.commit.flight === null && lease.isDirty) {
      return startTransaction(state, nowMs)
    }
  }
}
