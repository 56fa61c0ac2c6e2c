/**
 * The life of leases: opened with the committed map, drained and committed when revoked, fenced at the end.
 *
 * Order matters when a partition is given up: stop dispatch, let running work end within the drain time, take the
 * snapshot, commit, and only then fence and let go (P5). After that nothing of the old lease changes anything.
 */
import { forgetParked } from './breaker.ts'
import { answerTickets, isAwaited, sendCommit, touch } from './commit.ts'
import type { AbortReason, StartPosition, WorkId } from './events.ts'
import { asPosition, type TopicPartition } from './ids.ts'
import { Lease } from './lease.ts'
import { decodeMap } from './offset-map/index.ts'
import { takeFromReady } from './ready.ts'
import { release } from './records.ts'
import { DEFERRED, NONE, QUEUED, READY, RUNNING, STAGED, WAITING, ZOMBIE, ZOMBIE_DEFERRED } from './slots.ts'
import { type KernelState, nameOf } from './state.ts'
import { Tracker } from './tracker.ts'

/** Partitions that are ours now. One that we hold already was kept through the rebalance: its lease goes on (P4). */
export function assigned(state: KernelState, partitions: readonly TopicPartition[]): void {
  // We are on our way out: whoever is next takes them.
  if (state.closing) return
  const leases = partitions
    .map((partition) => state.homeOf(partition))
    .filter((home) => home.lease === null)
    .map((home) => newLease(state, home))
  if (leases.length > 0) state.out.add({ kind: 'open', leases: leases.map(nameOf), freshProducer: false })
}

function newLease(state: KernelState, home: ReturnType<KernelState['homeOf']>): Lease {
  const lease = new Lease(home, state.takeEpoch(), state.slots, asPosition(0))
  home.lease = lease
  state.leases.set(lease.epoch, lease)
  state.budget.isStale = true
  state.lanes.shareIdle(state.leases.size)
  return lease
}

/** The committed position is known: restore what was finished and start reading. */
export function opened(state: KernelState, start: StartPosition, nowMs: number): void {
  const lease = state.leases.get(start.epoch)
  if (lease === undefined || lease.state !== 'opening') return
  lease.apply('opened')
  lease.tracker = new Tracker(state.slots, start.position, restoredRuns(state, lease, start))
  lease.leaderEpoch = start.leaderEpoch
  lease.logEnd = start.logEnd
  lease.commit.acked = start.committed ? start.position : null
  lease.fetchPosition = lease.tracker.admittedEnd
  lease.blockingSince = nowMs
  if (lease.home.userPaused) lease.pauses.add('user')
  lease.fetchPaused = lease.pauses.size > 0
  if (lease.fetchPaused) state.fetchPaused++
  state.out.fetch({ ...nameOf(lease), position: lease.fetchPosition })
  if (lease.fetchPaused) state.out.pause(nameOf(lease))
  // Nothing committed yet: write the start down, or a crash before the first record would start elsewhere.
  if (!start.committed || lease.tracker.position > start.position) touch(state, lease, nowMs)
}

/** The map from the commit metadata, if it is ours and fits the position, as far as the log still goes. */
function restoredRuns(state: KernelState, lease: Lease, start: StartPosition): readonly number[] {
  const map = decodeMap(start.position, start.metadata)
  const partition = nameOf(lease)
  if (map.kind === 'empty') return []
  if (map.kind === 'ignored') {
    state.out.notice({ kind: 'map-ignored', epoch: lease.epoch, partition, reason: map.reason })
    return []
  }
  const runs = clip(map.runs, start.logEnd - start.position)
  if (runs !== map.runs) state.out.notice({ kind: 'map-ignored', epoch: lease.epoch, partition, reason: 'truncated' })
  if (runs.length === 0) return runs
  lease.commit.restoredChars = start.metadata?.length ?? 0
  state.out.notice({ kind: 'map-restored', epoch: lease.epoch, partition, entries: map.entries })
  return runs
}

/**
 * Where the log was truncated below the map's end, other records may have taken those offsets since: what the map says of
 * them is void. Below, the log is as it was.
 */
function clip(runs: readonly number[], room: number): readonly number[] {
  let end = 0
  for (let at = 0; at + 1 < runs.length; at += 2) {
    const start = end + runs[at]!
    end = start + runs[at + 1]!
    if (end <= room) continue
    return start < room ? [...runs.slice(0, at + 1), room - start] : runs.slice(0, at)
  }
  return runs
}

/** The group takes partitions back and waits for `released`. */
export function revoked(
  state: KernelState,
  revocation: number,
  partitions: readonly TopicPartition[],
  drainMs: number,
  nowMs: number,
): void {
  const leases = partitions.flatMap((partition) => state.leaseOf(partition) ?? [])
  state.revocations.set(revocation, leases.length)
  if (leases.length === 0) releaseRevocation(state, revocation)
  for (const lease of leases) {
    lease.revocations.push(revocation)
    drain(state, lease, drainMs, nowMs)
  }
}

export function drain(state: KernelState, lease: Lease, drainMs: number, nowMs: number): void {
  const was = lease.state
  if (lease.apply('revoke') === 'fenced') return fence(state, lease, 'revoked')
  lease.drainUntilMs = Math.min(lease.drainUntilMs, nowMs + drainMs)
  if (was !== 'open') return
  state.draining++
  state.out.add({ kind: 'stopFetch', leases: [nameOf(lease)] })
  lease.backlog.length = 0
  lease.backlogAt = 0
  lease.backlogRecords = 0
  releaseWaiting(state, lease)
  // At-most-once still runs what is committed, in order; the others start nothing more, so lanes have no use.
  if (state.options.delivery !== 'at-most-once') detachLanes(state, lease)
}

/** Records that have not started, or wait for a retry, are let go and un-counted at once. */
function releaseWaiting(state: KernelState, lease: Lease): void {
  const { slots, options } = state
  if (options.delivery === 'at-most-once') {
    for (const slot of lease.staged.splice(lease.commit.flight === null ? 0 : lease.chunk)) release(state, slot)
    return
  }
  for (const slot of lease.tracker.unfinishedSlots()) {
    const was = slots.state[slot]
    if (was === READY) takeFromReady(state, slot)
    if (was === READY || was === QUEUED || was === WAITING || was === STAGED) release(state, slot)
  }
}

/** Running records go on holding their keys, whatever becomes of the lanes. */
function detachLanes(state: KernelState, lease: Lease): void {
  const { slots, lanes } = state
  for (const slot of lease.tracker.unfinishedSlots()) {
    if (slots.lane[slot] === NONE) continue
    slots.keepKey(slot, lanes.keyOf(slot))
    slots.lane[slot] = NONE
  }
  lanes.dropAll(lease)
}

/** Move draining leases on: drained → final commit → fenced. */
export function progressDrains(state: KernelState, nowMs: number): void {
  if (state.draining === 0) return
  const commits: Lease[] = []
  for (const lease of state.leases.values()) {
    if (lease.state === 'draining' && (isDrained(state, lease) || nowMs >= lease.drainUntilMs)) {
      lease.apply('drained')
      lease.finalUntilMs = nowMs + state.options.commit.finalMs
      lease.mustHeal = lease.commit.healOwed
      abortRunning(state, lease, 'revoked')
    }
    if (lease.state !== 'committing') continue
    const next = finalStep(state, lease, nowMs)
    if (next === 'commit') commits.push(lease)
    else if (next === 'fence') fence(state, lease, 'revoked')
  }
  sendCommit(state, commits, nowMs)
}

function isDrained(state: KernelState, lease: Lease): boolean {
  if (lease.active > 0) return false
  return state.options.delivery !== 'at-most-once' || (lease.unstarted === 0 && lease.commit.flight === null)
}

function finalStep(state: KernelState, lease: Lease, nowMs: number): 'wait' | 'commit' | 'fence' {
  const { delivery, commit } = state.options
  if (nowMs >= lease.finalUntilMs) {
    if (lease.isDirty && !commit.manual && delivery !== 'at-most-once') {
      state.out.notice({ kind: 'final-commit-failed', partition: nameOf(lease), outcome: 'refused' })
    }
    return 'fence'
  }
  if (delivery === 'at-most-once') return 'fence'
  if (lease.commit.flight !== null) return 'wait'
  if (commit.manual && !isAwaited(state, lease)) return 'fence'
  if (!(lease.isDirty || lease.mustHeal)) return 'fence'
  if (delivery === 'exactly-once') return 'wait'
  return nowMs < lease.finalRetryAtMs ? 'wait' : 'commit'
}

function abortRunning(state: KernelState, lease: Lease, reason: AbortReason): void {
  const works: WorkId[] = []
  for (const slot of lease.tracker.unfinishedSlots()) {
    const was = state.slots.state[slot]
    if (was === RUNNING || was === DEFERRED) works.push(state.workId(slot))
  }
  state.out.abort(works, reason)
}

/** The lease is over. Running handlers keep their keys and their places until they settle; the rest is forgotten. */
export function fence(state: KernelState, lease: Lease, reason: AbortReason): void {
  const { slots, lanes } = state
  const was = lease.state
  if (was === 'draining' || was === 'committing') state.draining--
  lease.apply(was === 'committing' ? 'committed' : 'lose')
  const works: WorkId[] = []
  let dropped = 0
  const all = [...lease.tracker.unfinishedSlots()]
  for (const slot of all) {
    const phase = slots.state[slot]!
    if (phase === RUNNING || phase === DEFERRED) {
      works.push(state.workId(slot))
      holdKey(state, lease, slot)
      slots.state[slot] = phase === RUNNING ? ZOMBIE : ZOMBIE_DEFERRED
      slots.stamp[slot]!++
      slots.batch[slot] = null
      continue
    }
    if (phase === READY) takeFromReady(state, slot)
    if (state.options.delivery === 'at-most-once' && (phase === READY || phase === QUEUED)) dropped++
    slots.release(slot)
  }
  lanes.dropAll(lease)
  // Renewed: it begins again where it was, so what is parked stays parked.
  if (reason !== 'renewed') forgetParked(lease.home)
  state.records -= lease.records
  state.bytes -= lease.bytes
  state.resting -= lease.resting
  lease.records = 0
  lease.bytes = 0
  lease.resting = 0
  lease.active = 0
  lease.staged.length = 0
  lease.finished.length = 0
  lease.backlog.length = 0
  lease.backlogRecords = 0
  state.freed++
  state.leases.delete(lease.epoch)
  state.budget.isStale = true
  if (lease.fetchPaused) state.fetchPaused--
  state.lanes.shareIdle(state.leases.size)
  if (lease.home.lease === lease) lease.home.lease = null
  // A lease that is committing has told its handlers already.
  if (was !== 'committing') state.out.abort(works, reason)
  if (dropped > 0) {
    state.totals.dropped += dropped
    state.out.notice({ kind: 'dropped', partition: nameOf(lease), records: dropped })
  }
  if (reason !== 'revoked') state.out.add({ kind: 'stopFetch', leases: [nameOf(lease)] })
  answerTickets(state, lease, true)
  for (const revocation of lease.revocations) releaseRevocation(state, revocation)
}

function holdKey(state: KernelState, lease: Lease, slot: number): void {
  const { slots, lanes } = state
  const key = slots.heldKey[slot] ?? lanes.keyOf(slot)
  slots.keepKey(slot, key)
  slots.lane[slot] = NONE
  if (key !== null) lease.home.heldKeys.set(key, (lease.home.heldKeys.get(key) ?? 0) + 1)
}

function releaseRevocation(state: KernelState, revocation: number): void {
  const left = (state.revocations.get(revocation) ?? 1) - 1
  if (left > 0) {
    state.revocations.set(revocation, left)
    return
  }
  state.revocations.delete(revocation)
  state.out.add({ kind: 'released', revocation })
}

export function lost(state: KernelState, partitions: readonly TopicPartition[]): void {
  for (const partition of partitions) {
    const lease = state.leaseOf(partition)
    if (lease !== null) fence(state, lease, 'lost')
  }
}

/** End leases and take the same partitions again, from what is committed: nothing in between is believed. */
export function renew(state: KernelState, leases: readonly Lease[], freshProducer: boolean): void {
  const again = leases.map((lease) => {
    fence(state, lease, 'renewed')
    return newLease(state, lease.home)
  })
  if (again.length > 0) state.out.add({ kind: 'open', leases: again.map(nameOf), freshProducer })
}

/** The user moves the position: a new lease that starts there, with no map. */
export function seek(
  state: KernelState,
  partition: TopicPartition,
  position: StartPosition['position'],
  nowMs: number,
): boolean {
  const lease = state.leaseOf(partition)
  if (lease === null || !lease.isOpen) return false
  const { logEnd, leaderEpoch, commit } = lease
  fence(state, lease, 'sought')
  const next = newLease(state, lease.home)
  // A commit of the old lease may still be under way; commit again until it cannot land any more.
  if (commit.flight !== null || commit.healOwed) {
    next.commit.healOwed = true
    next.commit.lateUntilMs = Math.max(commit.lateUntilMs, nowMs + state.options.commit.lateMs)
  }
  opened(state, { ...nameOf(next), position, metadata: null, committed: false, logEnd, leaderEpoch }, nowMs)
  return true
}
