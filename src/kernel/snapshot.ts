/** A picture of the control plane for people: plain data, no references into the state. */
import type { PauseReason } from './events.ts'
import type { Lease, LeaseState } from './lease.ts'
import { DEFERRED, NONE, QUEUED, READY, RUNNING, STAGED, STATE_NAMES, WAITING } from './slots.ts'
import type { KernelState, Totals } from './state.ts'

/** How many of the deepest lanes are shown. */
const HOT_LANES_MAX = 20

export interface BlockingSnapshot {
  readonly offset: number
  readonly key: string | null
  readonly since: number
  readonly durationMs: number
  readonly doing: 'queued' | 'running' | 'waiting'
  readonly detail: string
  readonly attempt: number
  readonly nextAttemptAt: number | null
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
    }[]
  }
  readonly totals: Readonly<Totals>
  readonly engine: { readonly running: number; readonly limit: number; readonly ready: number }
  readonly limits: {
    readonly records: { readonly used: number; readonly limit: number }
    readonly bytes: { readonly used: number; readonly limit: number }
  }
}

export function snapshot(state: KernelState, nowMs: number): KernelSnapshot {
  const leases = [...state.leases.values()]
  const perLease = countStates(state)
  return {
    partitions: leases.map((lease) => partitionSnapshot(state, lease, perLease.get(lease), nowMs)),
    lanes: { count: state.lanes.count, hottest: hottest(state, leases) },
    totals: { ...state.totals },
    engine: { running: state.running, limit: state.concurrencyLimit, ready: state.readyTotal },
    limits: {
      records: { used: state.records, limit: state.options.limits.records },
      bytes: { used: state.bytes, limit: state.options.limits.bytes },
    },
  }
}

interface Counts {
  inFlight: number
  queued: number
}

function countStates(state: KernelState): Map<Lease, Counts> {
  const counts = new Map<Lease, Counts>()
  for (let slot = 0; slot < state.slots.capacity; slot++) {
    const lease = state.slots.lease[slot]
    if (!lease) continue
    let count = counts.get(lease)
    if (count === undefined) {
      count = { inFlight: 0, queued: 0 }
      counts.set(lease, count)
    }
    const phase = state.slots.state[slot]
    if (phase === STAGED || phase === QUEUED || phase === READY || phase === WAITING) count.queued++
    else count.inFlight++
  }
  return counts
}

function partitionSnapshot(
  state: KernelState,
  lease: Lease,
  counts: Counts | undefined,
  nowMs: number,
): PartitionSnapshot {
  const { tracker, commit, home } = lease
  return {
    topic: home.topic,
    partition: home.partition,
    epoch: lease.epoch,
    state: lease.state,
    position: tracker.position,
    committed: commit.acked,
    logEnd: lease.logEnd,
    trueLag: Math.max(0, lease.logEnd - tracker.position),
    gap: tracker.gap,
    blocking: tracker.head === NONE ? null : blocking(state, lease, tracker.head, nowMs),
    inFlight: counts?.inFlight ?? 0,
    queued: (counts?.queued ?? 0) + lease.backlogRecords,
    map: {
      chars: commit.mapChars,
      encoding: commit.mapEncoding,
      entries: commit.mapEntries,
      truncated: commit.truncated,
    },
    paused: [...lease.pauses],
  }
}

function blocking(state: KernelState, lease: Lease, slot: number, nowMs: number): BlockingSnapshot {
  const { slots } = state
  const phase = slots.state[slot]!
  const waiting = phase === WAITING
  return {
    offset: slots.offset[slot]!,
    key: slots.batch[slot]?.keys[slots.index[slot]!] ?? null,
    since: lease.blockingSince,
    durationMs: Math.max(0, nowMs - lease.blockingSince),
    doing: waiting ? 'waiting' : phase === STAGED || phase === QUEUED || phase === READY ? 'queued' : 'running',
    detail:
      phase === RUNNING || phase === DEFERRED
        ? `${STATE_NAMES[phase]} for ${Math.round(nowMs - slots.since[slot]!)} ms`
        : STATE_NAMES[phase]!,
    attempt: slots.attempt[slot]!,
    nextAttemptAt: waiting ? slots.due[slot]! : null,
  }
}

function hottest(state: KernelState, leases: readonly Lease[]): KernelSnapshot['lanes']['hottest'] {
  const top: { topic: string; partition: number; key: string; depth: number }[] = []
  let least = 0
  for (const lease of leases) {
    for (const { key, depth } of state.lanes.depths(lease)) {
      if (top.length === HOT_LANES_MAX && depth <= least) continue
      top.push({ topic: lease.home.topic, partition: lease.home.partition, key, depth })
      top.sort((a, b) => b.depth - a.depth)
      top.length = Math.min(top.length, HOT_LANES_MAX)
      least = top[top.length - 1]!.depth
    }
  }
  return top
}
