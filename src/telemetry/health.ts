/**
 * Alive, ready: two questions of whoever runs the process, with the reasons for the answer.
 *
 * Alive never asks whether the broker can be reached: a restart would not bring it back, and a hundred processes that
 * restart together make an outage worse. Alive means: every partition that is held makes progress, or there is a known
 * reason why not. Ready means: the group has said what is ours, and we know where it begins.
 */
import type { KernelSnapshot } from '../kernel/snapshot.ts'
import { stallsIn } from './stalls.ts'

export interface Health {
  readonly ok: boolean
  /** One line each. */
  readonly reasons: readonly string[]
}

export interface Standing {
  readonly snapshot: KernelSnapshot
  readonly stalledAfterMs: number
  readonly hasJoined: boolean
  readonly isHalted: boolean
}

export function liveness({ snapshot, stalledAfterMs, isHalted }: Standing): Health {
  if (isHalted) return { ok: false, reasons: ['the consumer has ended'] }
  const stalls = stallsIn(snapshot, stalledAfterMs)
  // Anybody may ask: neither keys nor what an error says.
  const reasons = stalls.map(
    ({ topic, partition, offset, durationMs, doing, attempt, isKnown }) =>
      `${topic}-${partition}@${offset} holds its partition back for ${Math.round(durationMs / 1_000)} s: ${doing}, attempt ${attempt}${isKnown ? ', for a known reason' : ''}`,
  )
  return { ok: stalls.every(({ isKnown }) => isKnown), reasons }
}

export function readiness({ snapshot, hasJoined, isHalted }: Standing): Health {
  if (isHalted) return { ok: false, reasons: ['the consumer has ended'] }
  if (!hasJoined) return { ok: false, reasons: ['the group has not said yet which partitions are ours'] }
  const opening = snapshot.partitions.filter(({ state }) => state === 'opening')
  const reasons = opening.map(({ topic, partition }) => `${topic}-${partition}: its position is being read`)
  return { ok: opening.length === 0, reasons }
}
