/** How many a second, over the last seconds: totals are looked at once a second, and the last ten looks are kept. */
import type { Totals } from './state.ts'

const LOOK_MS = 1_000
const LOOKS = 10

export interface Rates {
  /** Records that ended, by any way, each second. */
  readonly finished: number
  readonly admitted: number
  readonly retries: number
  /** The time that these are measured over. */
  readonly overMs: number
}

interface Look {
  readonly atMs: number
  readonly finished: number
  readonly admitted: number
  readonly retries: number
}

export class RateWatch {
  readonly #looks: Look[] = []
  /** When to look again: cheap to ask in every step. */
  dueMs: number = Number.NEGATIVE_INFINITY

  look(totals: Totals, nowMs: number): void {
    this.dueMs = nowMs + LOOK_MS
    this.#looks.push(lookAt(totals, nowMs))
    if (this.#looks.length > LOOKS + 1) this.#looks.shift()
  }

  rates(totals: Totals, nowMs: number): Rates {
    const now = lookAt(totals, nowMs)
    // Nothing may have happened for a while, and nobody looked: what is older than the window says nothing.
    const since = this.#looks.find(({ atMs }) => atMs >= nowMs - LOOKS * LOOK_MS) ?? this.#looks.at(-1) ?? now
    const overMs = nowMs - since.atMs
    const perSecond = (name: 'finished' | 'admitted' | 'retries'): number =>
      overMs <= 0 ? 0 : ((now[name] - since[name]) * 1_000) / overMs
    return { finished: perSecond('finished'), admitted: perSecond('admitted'), retries: perSecond('retries'), overMs }
  }
}

function lookAt({ done, skipped, exhausted, admitted, retries }: Totals, atMs: number): Look {
  return { atMs, finished: done + skipped + exhausted, admitted, retries }
}
