/** Records that failed and wait for their next attempt, for people: the ones that are due soonest. */
import { keyAt } from './lane-key.ts'
import { EXHAUSTING, WAITING } from './slots.ts'
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

export function waitingRecords({ slots }: KernelState, max: number): WaitingRecords {
  const found: number[] = []
  for (let slot = 0; slot < slots.capacity; slot++) {
    const phase = slots.state[slot]
    if (phase === WAITING || (phase === EXHAUSTING && Number.isFinite(slots.due[slot]!))) found.push(slot)
  }
  found.sort((a, b) => slots.due[a]! - slots.due[b]!)
  const soonest = found.slice(0, max).flatMap((slot): WaitingRecord[] => {
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
  })
  return { total: found.length, soonest }
}
