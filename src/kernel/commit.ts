/**
 * When to commit, and what a commit says (at-least-once; the clock serves exactly-once too).
 *
 * - On an interval, on a count, at once when a partition has nothing left to do, and sooner when completions run far
 *   ahead: what is finished but not committed is what a crash repeats (I15).
 * - One commit under way per partition (I4). A version counts changes, so "clean" means acknowledged, never "sent".
 * - A request without an answer may land late and undo a newer one: for a while the partition commits again, idle or not.
 */
import { restMax } from './budget.ts'
import type { CommitEntry, CommitOutcome } from './events.ts'
import { invariant } from './invariant.ts'
import type { Lease } from './lease.ts'
import { encodeMap } from './offset-map/index.ts'
import type { KernelOptions } from './options.ts'
import type { KernelState } from './state.ts'

/** Between two tries of a final commit. */
const FINAL_RETRY_MS = 50
/** Early commits leave so much time for each partition that was in the last one. */
const EARLY_MS_PER_LEASE = 0.25

/** Something changed that a commit should say. */
export function touch(state: KernelState, lease: Lease, nowMs: number): void {
  const { commits, options } = state
  lease.commit.version++
  if (options.delivery === 'at-most-once') return dueAt(state, nowMs)
  commits.pending++
  if (!lease.commit.listed) list(state, lease)
  if (options.commit.manual || commits.dueMs <= nowMs) return
  const { everyMs, everyRecords } = options.commit
  if (commits.pending >= everyRecords) commits.dueMs = nowMs
  else if (commits.pending >= muchOf(options) || isDone(options, lease)) dueAt(state, earlyAt(state, nowMs))
  else dueAt(state, nowMs + everyMs)
}

/**
 * So many finished records do not wait for the interval. Each of them would run again after a crash, so it is an eighth of what
 * may be in flight, and would run again anyway. A transaction is dear, and a crash repeats nothing of it: there it is half of
 * what may wait for one, so that the other half can wait while it commits.
 */
function muchOf(options: KernelOptions): number {
  return options.delivery === 'exactly-once' ? restMax(options) / 2 : options.limits.records / 8
}

/** Nothing is left to do in this partition. With exactly-once that is said of its end: more would come into the same transaction. */
function isDone({ delivery }: KernelOptions, lease: Lease): boolean {
  if (lease.records > 0) return false
  return delivery !== 'exactly-once' || (lease.backlogRecords === 0 && lease.fetchPosition >= lease.logEnd)
}

/** Ten times per interval at most, and not so often that a thousand partitions do nothing but commit. */
function earlyAt({ commits, options }: KernelState, nowMs: number): number {
  const { everyMs } = options.commit
  const pauseMs = Math.max(everyMs / 10, commits.lastRoundLeases * EARLY_MS_PER_LEASE)
  return Math.max(nowMs, commits.lastRoundMs + Math.min(everyMs, pauseMs))
}

/** A transaction has ended, and what was finished meanwhile waits for the next. */
export function dueAfterRound(state: KernelState, nowMs: number): void {
  const { commits, options } = state
  const isMuch = commits.pending >= muchOf(options)
  dueAt(state, isMuch ? nowMs : Math.max(nowMs, commits.lastRoundMs + options.commit.everyMs))
}

function list(state: KernelState, lease: Lease): void {
  lease.commit.listed = true
  state.commits.listed.push(lease)
}

export function dueAt(state: KernelState, timeMs: number): void {
  if (timeMs < state.commits.dueMs) state.commits.dueMs = timeMs
}

/** Everything that has something to say, in one request. */
export function commitRound(state: KernelState, nowMs: number): void {
  const { commits } = state
  startRound(state, nowMs)
  const leases: Lease[] = []
  const later: Lease[] = []
  for (const lease of commits.listed) {
    if (!commitsInRounds(lease)) lease.commit.listed = false
    else if (lease.commit.flight !== null) later.push(lease)
    else {
      lease.commit.listed = false
      if (lease.isDirty || lease.commit.healOwed) leases.push(lease)
    }
  }
  commits.listed.length = 0
  commits.listed.push(...later)
  commits.lastRoundLeases = leases.length
  sendCommit(state, leases, nowMs)
}

/** A draining lease goes on committing; the final commit of a drained one is not a matter of rounds. */
function commitsInRounds(lease: Lease): boolean {
  return lease.state === 'open' || lease.state === 'draining'
}

export function startRound(state: KernelState, nowMs: number): void {
  state.commits.dueMs = Number.POSITIVE_INFINITY
  state.commits.lastRoundMs = nowMs
  state.commits.pending = 0
}

export function sendCommit(state: KernelState, leases: readonly Lease[], nowMs: number): void {
  if (leases.length === 0) return
  const id = state.commits.nextId++
  state.commits.flights.set(id, leases)
  state.totals.commits++
  state.out.add({ kind: 'commit', id, entries: leases.map((lease) => commitEntry(state, lease, nowMs)) })
}

/** Position and map of one moment. */
function commitEntry(state: KernelState, lease: Lease, nowMs: number): CommitEntry {
  const { position, runs } = lease.tracker.snapshot()
  const map = encodeMap(position, runs, {
    maxChars: state.mapMaxChars,
    alphabet: state.mapAlphabet,
    truncate: true,
  })!
  state.totals.truncated += map.dropped
  return flightEntry(lease, position, map, nowMs)
}

export function flightEntry(
  lease: Lease,
  position: CommitEntry['position'],
  map: { readonly text: string; readonly encoding: string; readonly entries: number; readonly dropped: number },
  nowMs: number,
): CommitEntry {
  const { commit } = lease
  invariant(
    commit.acked === null || position >= commit.acked,
    'I4',
    () => `commit of ${lease.home.topic}-${lease.home.partition} would go back from ${commit.acked} to ${position}`,
  )
  commit.flight = { version: commit.version, position, chars: map.text.length, sentMs: nowMs }
  commit.mapChars = map.text.length
  commit.mapEntries = map.entries
  commit.mapEncoding = map.encoding
  commit.truncated += map.dropped
  return {
    topic: lease.home.topic,
    partition: lease.home.partition,
    epoch: lease.epoch,
    position,
    metadata: map.text,
    leaderEpoch: lease.leaderEpoch,
  }
}

/** The answer to a commit, for one lease. A refusal or silence leaves it dirty: it is sent again. */
export function commitAnswered(state: KernelState, lease: Lease, outcome: CommitOutcome, nowMs: number): void {
  const { commit } = lease
  const flight = commit.flight
  if (flight === null) return
  commit.flight = null
  const { everyMs, lateMs } = state.options.commit
  if (outcome === 'ok') {
    commit.ackedVersion = flight.version
    commit.acked = flight.position
    if (flight.sentMs >= commit.lateUntilMs) commit.healOwed = false
    answerTickets(state, lease)
  } else if (outcome === 'unknown') {
    commit.healOwed = true
    commit.lateUntilMs = nowMs + lateMs
  } else if (outcome === 'too-large') shrinkMap(state, flight.chars)
  if (!commitsInRounds(lease)) {
    if (outcome === 'ok') lease.mustHeal = false
    if (outcome !== 'ok' && outcome !== 'too-large') lease.finalRetryAtMs = nowMs + FINAL_RETRY_MS
    return
  }
  if (!lease.isDirty && !commit.healOwed) return
  if (!commit.listed) list(state, lease)
  if (outcome === 'too-large') dueAt(state, nowMs)
  else if (outcome !== 'ok') dueAt(state, nowMs + everyMs / 10)
  else if (isAwaited(state, lease)) dueAt(state, nowMs)
  else if (!state.options.commit.manual || commit.healOwed) {
    dueAt(state, Math.max(nowMs, state.commits.lastRoundMs + everyMs))
  }
}

/**
 * The broker refused metadata of this length. The wide alphabet needs a broker that counts characters, as Apache Kafka
 * does; one that counts bytes gets base64. If that is too long as well, the limit is lower than we were told: half of it,
 * until it fits. Several partitions may be refused at once; what is shorter by now is not made shorter again.
 */
export function shrinkMap(state: KernelState, chars: number): void {
  if (chars > state.mapMaxChars) return
  if (state.mapAlphabet === 'wide') state.mapAlphabet = 'base64'
  else state.mapMaxChars = Math.floor(chars / 2)
  state.out.notice({ kind: 'map-refused', alphabet: state.mapAlphabet, maxChars: state.mapMaxChars })
}

/** `consumer.commit()`: answered when everything that is finished now is acknowledged. */
export function commitNow(state: KernelState, ticket: number, nowMs: number): void {
  const waiting = new Map<Lease, number>()
  // At-most-once has committed whatever has started: there is nothing to wait for.
  const leases = state.options.delivery === 'at-most-once' ? [] : state.leases.values()
  for (const lease of leases) {
    if (lease.state === 'opening' || !lease.isDirty) continue
    waiting.set(lease, lease.commit.version)
    if (commitsInRounds(lease) && !lease.commit.listed) list(state, lease)
  }
  if (waiting.size === 0) {
    state.out.add({ kind: 'answered', ticket, isCommitted: true })
    return
  }
  state.commits.tickets.set(ticket, waiting)
  dueAt(state, nowMs)
}

/** Somebody waits in `commit()` for this lease. */
export function isAwaited(state: KernelState, lease: Lease): boolean {
  for (const waiting of state.commits.tickets.values()) if (waiting.has(lease)) return true
  return false
}

/** With `over`, the lease has ended: nobody waits for it any more. */
export function answerTickets(state: KernelState, lease: Lease, over: boolean = false): void {
  for (const [ticket, waiting] of state.commits.tickets) {
    const version = waiting.get(lease)
    if (version === undefined || (!over && version > lease.commit.ackedVersion)) continue
    const isCommitted = version <= lease.commit.ackedVersion
    waiting.delete(lease)
    if (waiting.size > 0 && isCommitted) continue
    state.commits.tickets.delete(ticket)
    state.out.add({ kind: 'answered', ticket, isCommitted })
  }
}
