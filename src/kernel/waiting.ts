/** Records that failed and wait for their next attempt, for people: the ones that are due soonest. */
import { Foremost } from './foremost.ts'
import { keyAt } from './lane-key.ts'
import { EXHAUSTING, type Slots, WAITING } from './slots.ts'
import type { KernelState } from './state.ts'

export interface WaitingRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly attempt: number
  readonly dueMs: number
  /** Of the last attempt; of its way out, where that is what is tried again. */
  readonly error: unknown
}

export interface WaitingRecords {
  readonly total: number
  readonly soonest: readonly WaitingRecord[]
}

export function waitingRecords(state: KernelState, max: number): WaitingRecords {
  const { slots } = state
  const soonest = new Foremost(max, (a, b) => slots.due[a]! - slots.due[b]!)
  let total = 0
  // Whatever waits has a timer, but for the record that made everything stop.
  const end = state.due.size === 0 && !state.stopped ? 0 : slots.capacity
  for (let slot = 0; slot < end; slot++) {
    const phase = slots.state[slot]
    if (phase !== WAITING && (phase !== EXHAUSTING || !Number.isFinite(slots.due[slot]!))) continue
    total++
    if (max > 0) soonest.offer(slot)
  }
  return { total, soonest: soonest.items.flatMap((slot) => waitingRecord(slots, slot)) }
}

function waitingRecord(slots: Slots, slot: number): readonly WaitingRecord[] {
  const lease = slots.lease[slot]
  if (!lease) return []
  return [
    {
      topic: lease.home.topic,
      partition: lease.home.partition,
      offset: slots.offset[slot]!,
      key: keyAt(slots.batch[slot], slots.index[slot]!),
      attempt: slots.attempt[slot]!,
      dueMs: slots.due[slot]!,
      error: slots.state[slot] === EXHAUSTING ? slots.exitError[slot] : slots.error[slot],
    },
  ]
}
