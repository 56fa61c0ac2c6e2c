/** A picture of the control plane for people: plain data, no references into the state. */
import type { FetchedBatch, PauseReason } from './events.ts'
import { keyAt, keyOfLane, laneKey } from './lane-key.ts'
import type { Lease, LeaseState } from './lease.ts'
import type { Rates } from './rates.ts'
import {
  DEFERRED,
  EXHAUSTING,
  NONE,
  PUBLISHING,
  QUEUED,
  READY,
  RUNNING,
  STAGED,
  STATE_NAMES,
  WAITING,
} from './slots.ts'
import type { KernelState, Totals } from './state.ts'

/** How many of the deepest lanes are shown. */
const HOT_LANES_MAX = 20
/** How many parked keys of a partition are shown. */
const PARKED_SHOWN_MAX = 100

export interface BlockingSnapshot {
  readonly offset: number
  readonly key: string | null
  readonly since: number
  readonly durationMs: number
  readonly doing: 'queued' | 'running' | 'waiting'
  readonly detail: string
  readonly attempt: number
  readonly nextAttemptAt: number | null
  /**
   * What holds it up, where that is no ordinary work: the last error, or that its key is parked or paused. Text, in what
   * `consumer.snapshot()` gives.
   */
  readonly why: unknown
}

export interface PartitionSnapshot {
  readonly topic: string
  readonly partition: number
  readonly epoch: number
  readonly state: LeaseState
  readonly position: number
  readonly committed: number | null
  readonly logEnd: number
  readonly trueLag: number
  /** Age of the record that the position waits for, by its timestamp; 0: nothing is behind; null: it is not read yet. */
  readonly lagMs: number | null
  readonly gap: number
  readonly blocking: BlockingSnapshot | null
  readonly inFlight: number
  readonly queued: number
  readonly map: {
    readonly chars: number
    readonly encoding: string
    readonly entries: number
    readonly truncated: number
  }
  readonly paused: readonly PauseReason[]
  /** Keys that their breaker has stopped, until they are resumed. */
  readonly parked: readonly ParkedSnapshot[]
}

export interface ParkedSnapshot {
  /** null: all of the partition, or its records without a key. */
  readonly key: string | null
  readonly since: number
  readonly depth: number
  readonly poisons: number
  readonly why: unknown
}

export interface KernelSnapshot {
  readonly partitions: readonly PartitionSnapshot[]
  readonly lanes: {
    readonly count: number
    readonly hottest: readonly {
      readonly topic: string
      readonly partition: number
      readonly key: string
      readonly depth: number
      /** Why nothing of this key starts: somebody paused it, or its breaker did. */
      readonly paused: 'user' | 'parked' | null
    }[]
  }
  readonly totals: Readonly<Totals>
  readonly rates: Rates
  readonly engine: { readonly running: number; readonly limit: number; readonly ready: number }
  readonly limits: {
    readonly records: { readonly used: number; readonly limit: number }
    readonly bytes: { readonly used: number; readonly limit: number }
  }
}

export type LaneSnapshot = KernelSnapshot['lanes']['hottest'][number]

/** What is known without a look at the partitions. */
export interface Outline extends Pick<KernelSnapshot, 'totals' | 'rates' | 'engine' | 'limits'> {
  readonly lanes: { readonly count: number }
}

export function snapshot(state: KernelState, nowMs: number): KernelSnapshot {
  const leases = [...state.leases.values()]
  return {
    ...outlineOf(state, nowMs),
    partitions: leases.map((lease) => partitionSnapshot(state, lease, nowMs)),
    lanes: { count: state.lanes.count, hottest: hottestLanes(state) },
  }
}

export function outlineOf(state: KernelState, nowMs: number): Outline {
  return {
    lanes: { count: state.lanes.count },
    totals: { ...state.totals },
    rates: state.rates.rates(state.totals, nowMs),
    engine: { running: state.running, limit: state.concurrencyLimit, ready: state.readyTotal },
    limits: {
      records: { used: state.records, limit: state.options.limits.records },
      bytes: { used: state.bytes, limit: state.options.limits.bytes },
    },
  }
}

/** Of the unfinished records of a lease: those that somebody works on, the others being queued or waiting. */
function inFlightOf({ slots }: KernelState, { tracker }: Lease): number {
  let inFlight = 0
  for (let slot = tracker.head; slot !== NONE; slot = slots.newer[slot]!) {
    const phase = slots.state[slot]!
    if (phase !== STAGED && phase !== QUEUED && phase !== READY && phase !== WAITING) inFlight++
  }
  return inFlight
}

export function partitionSnapshot(state: KernelState, lease: Lease, nowMs: number): PartitionSnapshot {
  const { tracker, commit, home } = lease
  const inFlight = inFlightOf(state, lease)
  return {
    topic: home.topic,
    partition: home.partition,
    epoch: lease.epoch,
    state: lease.state,
    position: tracker.position,
    committed: commit.acked,
    logEnd: lease.logEnd,
    trueLag: Math.max(0, lease.logEnd - tracker.position),
    lagMs: lagMsOf(state, lease, nowMs),
    gap: tracker.gap,
    blocking: tracker.head === NONE ? null : blocking(state, lease, tracker.head, nowMs),
    inFlight,
    queued: tracker.unfinished - inFlight + lease.backlogRecords,
    map: {
      chars: commit.mapChars,
      encoding: commit.mapEncoding,
      entries: commit.mapEntries,
      truncated: commit.truncated,
    },
    paused: home.breaker.isFull ? [...lease.pauses, 'parked'] : [...lease.pauses],
    parked: parked(state, lease),
  }
}

/** By the record at the position; what is only fetched tells as well. */
export function lagMsOf({ slots }: KernelState, lease: Lease, nowMs: number): number | null {
  const { head, position } = lease.tracker
  const batch = head === NONE ? lease.backlog[0] : slots.batch[head]
  const timestamp = timestampOf(batch, head === NONE ? lease.backlogAt : slots.index[head]!)
  if (timestamp !== undefined) return Math.max(0, nowMs - timestamp)
  return lease.logEnd <= position ? 0 : null
}

function timestampOf(batch: FetchedBatch | null | undefined, index: number): number | undefined {
  if (!batch) return undefined
  if (batch.timestampAt !== undefined) return batch.timestampAt(index)
  return (batch.record?.(index) as { readonly timestamp?: number } | undefined)?.timestamp
}

function blocking(state: KernelState, lease: Lease, slot: number, nowMs: number): BlockingSnapshot {
  const { slots } = state
  const phase = slots.state[slot]!
  const key = keyAt(slots.batch[slot], slots.index[slot]!)
  // A way out that did not work waits for its next try, as a failed handler does.
  const isExitLater = phase === EXHAUSTING && Number.isFinite(slots.due[slot]!)
  const waiting = phase === WAITING || isExitLater
  const why = isExitLater ? slots.exitError[slot] : phase === WAITING ? slots.error[slot] : stopOf(state, lease, key)
  return {
    offset: slots.offset[slot]!,
    key,
    since: lease.blockingSince,
    durationMs: Math.max(0, nowMs - lease.blockingSince),
    doing: waiting ? 'waiting' : phase === STAGED || phase === QUEUED || phase === READY ? 'queued' : 'running',
    detail: isExitLater ? exitDetail(slots.exitTries[slot]!) : `${STATE_NAMES[phase]}${forHowLong(state, slot, nowMs)}`,
    attempt: slots.attempt[slot]!,
    nextAttemptAt: waiting ? slots.due[slot]! : null,
    why: why ?? null,
  }
}

function exitDetail(tries: number): string {
  return `${STATE_NAMES[EXHAUSTING]}: its way out did not work, try ${tries + 1} is due`
}

/** Of what somebody else does: a handler, or a write. */
function forHowLong({ slots }: KernelState, slot: number, nowMs: number): string {
  const phase = slots.state[slot]
  const isElsewhere = phase === RUNNING || phase === DEFERRED || phase === EXHAUSTING || phase === PUBLISHING
  return isElsewhere ? ` for ${Math.round(nowMs - slots.since[slot]!)} ms` : ''
}

/** Why a record that could run does not. */
function stopOf({ options }: KernelState, { home }: Lease, recordKey: string | null): string | null {
  if (home.userPaused) return 'the partition is paused'
  const key = laneKey(options, recordKey)
  if (key === null) return null
  if (home.breaker.parked.has(key)) return 'its key is parked'
  return home.pausedKeys.has(key) ? 'its key is paused' : null
}

function parked(state: KernelState, lease: Lease): readonly ParkedSnapshot[] {
  return [...lease.home.breaker.parked].slice(0, PARKED_SHOWN_MAX).map(([key, { sinceMs, poisons, error }]) => ({
    key: keyOfLane(state.options, key),
    since: sinceMs,
    depth: state.lanes.depthOfKey(lease, key),
    poisons,
    why: error,
  }))
}

/** The deepest lanes: where key skew shows (R6). A look at every lane. */
export function hottestLanes(state: KernelState): readonly LaneSnapshot[] {
  return state.lanes.deepest(HOT_LANES_MAX).flatMap(({ head, depth }): LaneSnapshot[] => {
    const home = state.slots.lease[head]?.home
    if (home === undefined) return []
    const key = state.lanes.keyOf(head) ?? ''
    const paused = home.pausedKeys.has(key) ? 'user' : home.breaker.parked.has(key) ? 'parked' : null
    return [{ topic: home.topic, partition: home.partition, key, depth, paused }]
  })
}
