/**
 * Exactly-once: which finished records join a transaction, and what its end means.
 *
 * A transaction carries the outputs of finished records together with position and map, and never waits for a handler:
 * while it commits, others run, and what they finish joins the next one.
 *
 * The map is never truncated here (X5). A finished record that is not in the map would run again after a restart and
 * its output would be published twice. So a record joins only if the map with it fits, with 64 characters to spare;
 * otherwise its output is withheld and it counts as unfinished. Records that move the position may use the spare
 * characters: moving the position over a map that fits still fits.
 */
import { passed } from './breaker.ts'
import { answerTickets, dueAfterRound, dueAt, flightEntry, shrinkMap, startRound } from './commit.ts'
import type { CommitEntry, Publication, TransactionOutcome } from './events.ts'
import type { Lease } from './lease.ts'
import { fence, renew } from './leases.ts'
import { type EncodedMap, encodeMap } from './offset-map/index.ts'
import { pauseFor } from './pressure.ts'
import { drop, dropOutputs, exhaust, exitAgain, release } from './records.ts'
import { spread } from './retry.ts'
import { find } from './settlement.ts'
import { EXHAUSTING, FINISHED, JOINED, NONE } from './slots.ts'
import type { KernelState, TransactionMember } from './state.ts'
import type { TrackerSnapshot } from './tracker.ts'

const SPARE_CHARS = 64

export function startTransaction(state: KernelState, nowMs: number): void {
  if (state.transaction.kind !== 'idle') return
  startRound(state, nowMs)
  const members: TransactionMember[] = []
  const entries: CommitEntry[] = []
  const publications: Publication[] = []
  for (const lease of takeListed(state)) {
    const joined = join(state, lease)
    if (joined === null) continue
    const version = lease.commit.version
    entries.push(flightEntry(lease, joined.snapshot.position, joined.map, nowMs))
    members.push({ lease, slots: joined.slots, version })
    for (const slot of joined.slots) {
      const sends = state.slots.sends[slot]
      if (sends) publications.push({ work: state.workId(slot), sends })
    }
  }
  state.commits.lastRoundLeases = members.length
  if (members.length === 0) return
  const id = state.nextTransaction++
  state.transaction = { kind: 'running', id, members }
  state.totals.transactions++
  state.out.add({ kind: 'transact', id, entries, publications })
}

function takeListed(state: KernelState): Lease[] {
  const leases: Lease[] = []
  for (const lease of state.commits.listed) {
    lease.commit.listed = false
    if (lease.state !== 'fenced' && lease.isDirty) leases.push(lease)
  }
  state.commits.listed.length = 0
  return leases
}

interface Joined {
  readonly slots: readonly number[]
  readonly snapshot: TrackerSnapshot
  readonly map: EncodedMap
}

/** Mark what joins; null if not even the present map can be written (the broker's limit shrank under it). */
function join(state: KernelState, lease: Lease): Joined | null {
  const candidates = candidatesOf(state, lease)
  const byOffset = [...candidates].sort((a, b) => state.slots.offset[a]! - state.slots.offset[b]!)
  // By offset, because that also keeps the order within a key: the earlier record of a key never stays behind.
  let fits = 0
  let most = byOffset.length
  let written = tryJoin(state, lease, byOffset, most)
  if (written === null) {
    while (fits + 1 < most) {
      const middle = (fits + most) >> 1
      if (tryJoin(state, lease, byOffset, middle) === null) most = middle
      else fits = middle
    }
    written = tryJoin(state, lease, byOffset, Math.max(fits, movers(lease, byOffset)))
    if (written === null && fits > 0) written = tryJoin(state, lease, byOffset, fits)
    if (written === null) written = tryJoin(state, lease, byOffset, 0)
  }
  const slots = candidates.filter((slot) => state.slots.state[slot] === JOINED)
  // Never while reading is below the map it started with: those records have to run for the map to get shorter.
  const isPast = lease.tracker.admittedEnd >= lease.tracker.restoredEnd
  pauseFor(state, lease, 'map-full', isPast && slots.length < candidates.length)
  return written === null ? null : { slots, ...written }
}

/** Handled records in the order in which they finished; with `output: 'input'` only those that nothing holds back. */
function candidatesOf(state: KernelState, lease: Lease): readonly number[] {
  if (state.options.output === 'finished') return lease.finished
  const first: number[] = []
  for (const slot of lease.tracker.unfinishedSlots()) {
    if (state.slots.state[slot] !== FINISHED) break
    first.push(slot)
  }
  return first
}

/** How many of these, from the first on, only move the position. */
function movers(lease: Lease, byOffset: readonly number[]): number {
  let count = 0
  for (const slot of lease.tracker.unfinishedSlots()) {
    if (slot !== byOffset[count]) break
    count++
  }
  return count
}

/** Join the first `count`; null if the map would not fit. Leaves the slots marked either way. */
function tryJoin(
  state: KernelState,
  lease: Lease,
  byOffset: readonly number[],
  count: number,
): { readonly snapshot: TrackerSnapshot; readonly map: EncodedMap } | null {
  const { slots } = state
  for (let at = 0; at < byOffset.length; at++) slots.state[byOffset[at]!] = at < count ? JOINED : FINISHED
  const snapshot = lease.tracker.snapshot()
  const onlyMoves = count === 0 || slots.offset[byOffset[count - 1]!]! < snapshot.position
  const map = encodeMap(snapshot.position, snapshot.runs, {
    maxChars: onlyMoves ? roomToMove(state, lease) : state.mapMaxChars - SPARE_CHARS,
    alphabet: state.mapAlphabet,
    truncate: false,
  })
  if (map !== null) return { snapshot, map }
  for (let at = 0; at < count; at++) slots.state[byOffset[at]!] = FINISHED
  return null
}

/**
 * A map that was stored under a higher limit must be worked off: until it is short enough, records that move the position
 * may use as much as the broker has taken before. Otherwise nothing could ever be committed again.
 */
function roomToMove(state: KernelState, lease: Lease): number {
  return Math.max(state.mapMaxChars, lease.commit.restoredChars)
}

export function transacted(
  state: KernelState,
  id: number,
  outcome: TransactionOutcome,
  nowMs: number,
  chance: number,
): void {
  if (state.transaction.kind !== 'running' || state.transaction.id !== id) return
  // Leases that were lost meanwhile have nothing left that could be finished or put back.
  const members = state.transaction.members.filter(({ lease }) => lease.state !== 'fenced')
  state.transaction = { kind: 'idle' }
  if (outcome.kind === 'committed') return commitMembers(state, members, nowMs)
  state.totals.transactionAborts++
  if (outcome.kind === 'fenced') {
    // Another instance has our id: nothing of ours can be committed any more, so nothing is worth waiting for.
    for (const lease of [...state.leases.values()]) fence(state, lease, 'lost')
    state.stopped = true
    state.out.add({ kind: 'stop', error: outcome.error })
    return
  }
  if (outcome.kind === 'unknown') return startOver(state, members)
  let chars = 0
  for (const { lease, slots } of members) {
    chars = Math.max(chars, lease.commit.flight?.chars ?? 0)
    lease.commit.flight = null
    for (const slot of slots) state.slots.state[slot] = FINISHED
    relist(state, lease)
  }
  // Refused at a length that we knew to be beyond the limit: not at once again.
  const isBeyond = outcome.kind === 'too-large' && chars > state.mapMaxChars
  if (outcome.kind === 'too-large') shrinkMap(state, chars)
  if (outcome.kind === 'rejected') reject(state, outcome, nowMs, chance)
  const isLater = outcome.kind === 'aborted' || isBeyond || (outcome.kind === 'rejected' && !outcome.permanent)
  dueAt(state, isLater ? nowMs + state.options.commit.everyMs / 10 : nowMs)
}

function commitMembers(state: KernelState, members: readonly TransactionMember[], nowMs: number): void {
  for (const { lease, slots, version } of members) {
    const position = lease.commit.flight!.position
    lease.commit.flight = null
    lease.commit.acked = position
    const joined = new Set(slots)
    const left = lease.finished.filter((slot) => !joined.has(slot))
    lease.finished.length = 0
    lease.finished.push(...left)
    const newer = lease.commit.version !== version
    for (const slot of slots) {
      // It was a dead letter, or its outputs are out now.
      if (state.slots.exitTries[slot]! > 0) state.totals.exhausted++
      else if (state.slots.sends[slot]) passed(state, slot)
      drop(state, lease, slot, nowMs)
    }
    lease.commit.ackedVersion = version
    answerTickets(state, lease)
    if (newer) relist(state, lease)
  }
  if (state.commits.listed.length > 0) dueAfterRound(state, nowMs)
}

/** Nobody knows whether it is in. Fence the producer first, then read what is committed, then run again (X4). */
function startOver(state: KernelState, members: readonly TransactionMember[]): void {
  state.transaction = { kind: 'resetting' }
  const leases = members.map(({ lease }) => lease)
  for (const lease of leases) if (!lease.isOpen) fence(state, lease, 'renewed')
  const open = leases.filter((lease) => lease.isOpen)
  if (open.length > 0) renew(state, open, true)
  else state.out.add({ kind: 'resetProducer' })
}

/**
 * What these records sent is refused: without them the others can go on. For good: each has failed; otherwise it would abort
 * every transaction for ever. For now: it joins again later. A dead letter is another matter, it has nowhere else to go: it
 * is tried again and again, with longer and longer pauses, and does not hold up the others meanwhile.
 */
function reject(
  state: KernelState,
  { works, permanent, error }: Extract<TransactionOutcome, { kind: 'rejected' }>,
  nowMs: number,
  chance: number,
): void {
  const { slots } = state
  for (const work of works) {
    const slot = find(state, work, FINISHED)
    if (slot === NONE) continue
    const isLetter = slots.exitTries[slot]! > 0
    if (!isLetter && !permanent) continue
    const lease = slots.lease[slot]!
    lease.finished.splice(lease.finished.indexOf(slot), 1)
    dropOutputs(state, slot)
    lease.active++
    if (!isLetter) exhaust(state, slot, error, nowMs)
    // With the last transaction of a lease, nobody is left to try again: whoever is next does.
    else if (lease.state !== 'committing') {
      slots.state[slot] = EXHAUSTING
      slots.since[slot] = nowMs
      exitAgain(state, slot, error, nowMs, spread(chance, work.offset))
    } else {
      lease.active--
      release(state, slot)
    }
  }
}

/** The producer has a new epoch: transactions may start again. */
export function producerReady(state: KernelState, nowMs: number): void {
  if (state.transaction.kind === 'resetting') state.transaction = { kind: 'idle' }
  if (state.commits.listed.length > 0) dueAt(state, nowMs)
}

function relist(state: KernelState, lease: Lease): void {
  if (lease.commit.listed) return
  lease.commit.listed = true
  state.commits.listed.push(lease)
}
