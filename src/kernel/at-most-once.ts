/**
 * At-most-once: commit first, run afterwards.
 *
 * Records are admitted as `staged`. A chunk of up to `concurrency` of them is committed (position behind the chunk, no
 * map) and may run when the commit is acknowledged; meanwhile the next chunk commits. If the answer to a commit is
 * lost, the request may land later and move the position back under a running chunk, so that its records would start
 * twice: the only cure is a new membership, whose generation fences the old request. So: rejoin.
 */
import { enterLane } from './admission.ts'
import { dueAt, flightEntry } from './commit.ts'
import type { CommitEntry, CommitOutcome } from './events.ts'
import { type Position, positionAt } from './ids.ts'
import type { Lease } from './lease.ts'
import type { KernelState } from './state.ts'

/** Commits under way at a time, over all partitions. */
const FLIGHTS_MAX = 2

const NO_MAP = { text: '', encoding: 'none', entries: 0, dropped: 0 }

/** Commit the next chunk of every lease that is ready for one. */
export function commitChunks(state: KernelState, nowMs: number): void {
  if (nowMs < state.commits.dueMs) return
  state.commits.dueMs = Number.POSITIVE_INFINITY
  // One answer is waited for while another request is on its way; what comes meanwhile goes together. Hundreds of small
  // requests would queue at the coordinator, and every record behind them.
  if (state.commits.flights.size >= FLIGHTS_MAX) return
  const leases: Lease[] = []
  const entries: CommitEntry[] = []
  for (const lease of state.leases.values()) {
    const position = nextChunk(state, lease)
    if (position === null) continue
    leases.push(lease)
    entries.push(flightEntry(lease, position, NO_MAP, nowMs))
  }
  if (leases.length === 0) return
  const id = state.commits.nextId++
  state.commits.flights.set(id, leases)
  state.totals.commits++
  state.out.add({ kind: 'commit', id, entries })
}

/** Others may have waited for this answer, whatever it says, and whoever is left to hear it. */
export function flightEnded(state: KernelState, nowMs: number): void {
  if (state.commits.flights.size === FLIGHTS_MAX - 1) dueAt(state, nowMs)
}

/** Where the next chunk ends, or null if this lease has nothing to commit now. */
function nextChunk(state: KernelState, lease: Lease): Position | null {
  const { commit, staged, tracker } = lease
  if (!lease.isOpen || commit.flight !== null || lease.unstarted >= state.concurrencyLimit) return null
  // A chunk that was refused is asked for again as it was: a smaller one would go back (I4).
  if (lease.chunk === 0) lease.chunk = Math.min(staged.length, state.concurrencyLimit)
  if (lease.chunk < staged.length) return positionAt(state.slots.offsetOf(staged[lease.chunk]!))
  return commit.acked === null || tracker.admittedEnd > commit.acked ? tracker.admittedEnd : null
}

/** True: the membership must be renewed before anything of this lease may run. */
export function chunkAnswered(state: KernelState, lease: Lease, outcome: CommitOutcome, nowMs: number): boolean {
  const flight = lease.commit.flight
  if (flight === null) return false
  lease.commit.flight = null
  if (outcome === 'unknown') return true
  if (outcome !== 'ok') {
    dueAt(state, nowMs + state.options.commit.everyMs / 10)
    return false
  }
  lease.commit.acked = flight.position
  lease.commit.ackedVersion = flight.version
  for (const slot of lease.staged.splice(0, lease.chunk)) {
    lease.unstarted++
    enterLane(state, lease, slot, nowMs)
  }
  lease.chunk = 0
  dueAt(state, nowMs)
  return false
}
