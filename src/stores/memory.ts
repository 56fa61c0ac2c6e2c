/**
 * Ids in the memory of this process: nothing survives it, and nobody else sees it. For tests, and for duplicates that come
 * close together. Bounded: at `idsMax` the oldest done ids are forgotten first.
 */
import { OptionError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
import { SystemClock } from '../system-clock.ts'

export type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
export { type NamedRecord, recordId } from './record-id.ts'

export interface MemoryDedupOptions {
  /** So many done ids are remembered. Default 100,000. */
  readonly idsMax?: number
  readonly clock?: Pick<Clock, 'now'>
}

export interface MemoryDedup extends DedupStore {
  /** Ids that are remembered as done. */
  readonly size: number
}

export function memoryDedup(options: MemoryDedupOptions = {}): MemoryDedup {
  const { idsMax = 100_000, clock = new SystemClock() } = options
  if (!Number.isSafeInteger(idsMax) || idsMax < 1) {
    throw new OptionError('OPTION_INVALID', 'idsMax', `Option 'idsMax' must be a whole number from 1; it is ${idsMax}.`)
  }
  return new InMemory(idsMax, clock)
}

class InMemory implements MemoryDedup {
  readonly #idsMax: number
  readonly #clock: Pick<Clock, 'now'>
  /** As many as are in flight at whoever uses this, plus what a crashed user left, which lapses. */
  readonly #claims: Map<string, { readonly owner: string; readonly untilMs: number }> = new Map()
  /** In the order in which they were done. */
  readonly #done: Set<string> = new Set()

  constructor(idsMax: number, clock: Pick<Clock, 'now'>) {
    this.#idsMax = idsMax
    this.#clock = clock
  }

  get size(): number {
    return this.#done.size
  }

  async begin(ids: readonly string[], { owner, ms }: DedupClaim): Promise<readonly DedupAnswer[]> {
    const nowMs = this.#clock.now()
    if (this.#claims.size > this.#idsMax) this.#forgetLapsed(nowMs)
    return ids.map((id) => {
      if (this.#done.has(id)) return 'done'
      const claim = this.#claims.get(id)
      if (claim !== undefined && claim.owner !== owner && claim.untilMs > nowMs) return 'taken'
      this.#claims.set(id, { owner, untilMs: nowMs + ms })
      return 'new'
    })
  }

  async done(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#claims.delete(id)
      // Behind all others again: it was needed just now.
      this.#done.delete(id)
      this.#done.add(id)
    }
    for (const oldest of this.#done) {
      if (this.#done.size <= this.#idsMax) return
      this.#done.delete(oldest)
    }
  }

  async release(ids: readonly string[], owner: string): Promise<void> {
    for (const id of ids) if (this.#claims.get(id)?.owner === owner) this.#claims.delete(id)
  }

  /** Claims of users who crashed, or never came back. */
  #forgetLapsed(nowMs: number): void {
    for (const [id, { untilMs }] of this.#claims) if (untilMs <= nowMs) this.#claims.delete(id)
  }
}
