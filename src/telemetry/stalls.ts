/**
 * Looks from time to time whether every partition makes progress, and says why not.
 *
 * A partition stalls when the same record has held its position back for longer than `afterMs`. A reason that is somebody's
 * decision (paused by the user, a retry that waits for its time, a parked key) is known, and no fault of this process; a
 * handler that runs on and on, or a record that is ready and is not started, is not.
 */
import type { KernelSnapshot } from '../kernel/snapshot.ts'
import type { Clock } from '../ports/clock.ts'

export interface Stall {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly durationMs: number
  readonly doing: 'queued' | 'running' | 'waiting'
  readonly attempt: number
  /** In plain words. */
  readonly reason: string
  /** Somebody decided it; nothing is wrong with this process. */
  readonly isKnown: boolean
}

export interface StallWatchParts {
  readonly clock: Clock
  /** Of the partitions that have been held back for `afterMs`, at least. */
  readonly snapshot: () => Pick<KernelSnapshot, 'partitions'>
  readonly afterMs: number
  readonly stalled: (stall: Stall) => void
}

/** Told once for each record that stalls; looked at so many times within `afterMs`. */
const LOOKS = 4

export function stallsIn({ partitions }: Pick<KernelSnapshot, 'partitions'>, afterMs: number): readonly Stall[] {
  return partitions.flatMap(({ topic, partition, blocking, paused, state }): Stall[] => {
    if (blocking === null || state !== 'open' || blocking.durationMs < afterMs) return []
    const { offset, key, durationMs, doing, attempt } = blocking
    const { reason, isKnown } = reasonOf(blocking, paused)
    return [{ topic, partition, offset, key, durationMs, doing, attempt, reason, isKnown }]
  })
}

type Blocking = NonNullable<KernelSnapshot['partitions'][number]['blocking']>

function reasonOf(
  { doing, detail, attempt, nextAttemptAt, why }: Blocking,
  paused: readonly string[],
): { readonly reason: string; readonly isKnown: boolean } {
  const because = why === null || why === undefined ? '' : `: ${text(why)}`
  if (doing === 'running') return { reason: `${detail}, attempt ${attempt}${because}`, isKnown: false }
  if (doing === 'waiting') {
    const at =
      nextAttemptAt === null || !Number.isFinite(nextAttemptAt) ? '' : ` at ${new Date(nextAttemptAt).toISOString()}`
    return { reason: `waits for attempt ${attempt + 1}${at}${because}`, isKnown: true }
  }
  if (paused.includes('user')) return { reason: 'paused by the user', isKnown: true }
  return { reason: because === '' ? 'queued, and nothing starts it' : `queued${because}`, isKnown: because !== '' }
}

function text(why: unknown): string {
  return why instanceof Error ? why.message : String(why)
}

export class StallWatch {
  readonly #parts: StallWatchParts
  /** The record that was told for each partition. */
  readonly #told: Map<string, number> = new Map()
  #cancel: (() => void) | null = null

  constructor(parts: StallWatchParts) {
    this.#parts = parts
    this.#plan()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #plan(): void {
    const { clock, afterMs } = this.#parts
    this.#cancel = clock.at(clock.now() + afterMs / LOOKS, () => {
      this.#look()
      if (this.#cancel !== null) this.#plan()
    })
  }

  #look(): void {
    const stalls = stallsIn(this.#parts.snapshot(), this.#parts.afterMs)
    const names = new Set(stalls.map(nameOf))
    for (const name of this.#told.keys()) if (!names.has(name)) this.#told.delete(name)
    for (const stall of stalls) {
      if (this.#told.get(nameOf(stall)) === stall.offset) continue
      this.#told.set(nameOf(stall), stall.offset)
      this.#parts.stalled(stall)
    }
  }
}

function nameOf({ topic, partition }: Stall): string {
  return `${topic}-${partition}`
}
