/**
 * What can be told of all partitions in one pass: sums, and the figures by which they are put in order.
 *
 * For whoever looks every second. No object is made for a partition, no key and no sentence: with a thousand partitions that is
 * what a look costs. Of those that are shown, `partitionSnapshot` tells the rest.
 */
import type { Lease } from './lease.ts'
import { NONE } from './slots.ts'
import { lagMsOf, type Outline, outlineOf, type PartitionSnapshot, partitionSnapshot } from './snapshot.ts'
import type { KernelState } from './state.ts'

export interface Glance {
  readonly outline: Outline
  /** In the order of their names; one row of the columns each. They live on: what is read of them later is of later. */
  readonly leases: readonly Lease[]
  /** True lag in records. */
  readonly lag: Float64Array
  /** For how long the same record has held the position back; -1: none does. */
  readonly heldMs: Float64Array
  readonly lagTotal: number
  /** The largest; null: not known of any. */
  readonly lagMs: number | null
  /** Open ones that are held back for `stalledAfterMs` or longer. */
  readonly stalled: number
  /** Keys that their breaker has stopped. */
  readonly parked: number
  /** Partitions by the reason for which they are not read. */
  readonly paused: Readonly<Record<string, number>>
}

export class Glancer {
  readonly #state: KernelState
  #leases: readonly Lease[] = []
  #lastEpoch: number = NONE

  constructor(state: KernelState) {
    this.#state = state
  }

  glance(nowMs: number, stalledAfterMs: number): Glance {
    const leases = this.#inOrder()
    const lag = new Float64Array(leases.length)
    const heldMs = new Float64Array(leases.length)
    const paused: Record<string, number> = {}
    let lagTotal = 0
    let lagMs: number | null = null
    let stalled = 0
    let parked = 0
    for (let row = 0; row < leases.length; row++) {
      const lease = leases[row]!
      const { breaker } = lease.home
      const behind = Math.max(0, lease.logEnd - lease.tracker.position)
      const held = heldMsOf(lease, nowMs)
      lag[row] = behind
      heldMs[row] = held
      lagTotal += behind
      if (held >= stalledAfterMs && lease.isOpen) stalled++
      const ageMs = lagMsOf(this.#state, lease, nowMs)
      if (ageMs !== null && (lagMs === null || ageMs > lagMs)) lagMs = ageMs
      parked += breaker.parked.size
      if (lease.pauses.size > 0) for (const reason of lease.pauses) paused[reason] = (paused[reason] ?? 0) + 1
      if (breaker.isFull) paused.parked = (paused.parked ?? 0) + 1
    }
    return { outline: outlineOf(this.#state, nowMs), leases, lag, heldMs, lagTotal, lagMs, stalled, parked, paused }
  }

  /** Sorted again only when they are others: a new lease has a higher epoch than all before, one that ends leaves them fewer. */
  #inOrder(): readonly Lease[] {
    const { leases } = this.#state
    let last = NONE
    for (const epoch of leases.keys()) last = epoch
    if (last !== this.#lastEpoch || leases.size !== this.#leases.length) {
      this.#lastEpoch = last
      this.#leases = [...leases.values()].sort(byName)
    }
    return this.#leases
  }
}

/** Pictures of those alone that have been held back for so long: nearly always none. */
export function heldPartitions(state: KernelState, nowMs: number, forMs: number): readonly PartitionSnapshot[] {
  const held: PartitionSnapshot[] = []
  for (const lease of state.leases.values()) {
    if (heldMsOf(lease, nowMs) >= forMs) held.push(partitionSnapshot(state, lease, nowMs))
  }
  return held
}

function heldMsOf({ tracker, blockingSince }: Lease, nowMs: number): number {
  return tracker.head === NONE ? -1 : Math.max(0, nowMs - blockingSince)
}

function byName({ home: a }: Lease, { home: b }: Lease): number {
  return a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition
}
