/** Watches the ledger while a run goes on: when did every partition move again? */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Entry, LedgerTail, nowNs } from './ledger.ts'
import { partitions } from './plan.ts'

const everyMs = 40

/** From a moment on: which partitions have finished a record since, and when the last of them did. */
class Watch {
  readonly sinceNs: number
  readonly #moved: Map<number, number> = new Map()

  constructor(sinceNs: number) {
    this.sinceNs = sinceNs
  }

  see(entry: Entry): void {
    if (entry.kind !== 'end' && entry.kind !== 'letter') return
    if (entry.atNs > this.sinceNs && !this.#moved.has(entry.partition)) this.#moved.set(entry.partition, entry.atNs)
  }

  /** Milliseconds from the moment until the last partition moved; null: not all have. */
  get recoveryMs(): number | null {
    if (this.#moved.size < partitions) return null
    return Math.round((Math.max(...this.#moved.values()) - this.sinceNs) / 1e6)
  }
}

export class Progress {
  readonly #tail: LedgerTail
  readonly #watches: Set<Watch> = new Set()
  /** Records that came to an end so far, repeats included. */
  ended = 0

  constructor(directory: string) {
    this.#tail = new LedgerTail(directory)
  }

  look(): void {
    for (const entry of this.#tail.next()) {
      if (entry.kind === 'end' || entry.kind === 'letter') this.ended++
      for (const watch of this.#watches) watch.see(entry)
    }
  }

  /**
   * How long it took from then until every partition had finished a record; null: not within `patienceMs`, or there is
   * nothing left that they could finish.
   */
  async recovery(sinceNs: number, patienceMs: number, isSpent: () => boolean): Promise<number | null> {
    const watch = new Watch(sinceNs)
    this.#watches.add(watch)
    try {
      for (;;) {
        this.look()
        if (watch.recoveryMs !== null) return watch.recoveryMs
        if (nowNs() - sinceNs > patienceMs * 1e6 || isSpent()) return null
        await sleep(everyMs)
      }
    } finally {
      this.#watches.delete(watch)
    }
  }

  close(): void {
    this.#tail.close()
  }
}
