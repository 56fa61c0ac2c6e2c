/**
 * Transactions that were decided by a marker which a crash could still take away: it is appended, but not below the high
 * watermark yet. For readers they stay undecided until then. Otherwise somebody reads committed records, the marker is
 * lost in a crash, and after the restart the same transaction is aborted.
 */
import { Fifo } from './fifo.ts'

export class UndecidedTransactions {
  readonly #waiting = new Fifo<{ readonly firstOffset: number; readonly marker: number }>()

  /** This marker ended the oldest open transaction, which had begun at `firstOffset`. */
  decided(firstOffset: number, marker: number): void {
    this.#waiting.push({ firstOffset, marker })
  }

  settle(highWatermark: number): void {
    while ((this.#waiting.first?.marker ?? Number.POSITIVE_INFINITY) < highWatermark) this.#waiting.shift()
  }

  /** Infinity: none. Transactions end in any order, but each entry here was the oldest one when it ended. */
  get firstOffset(): number {
    return this.#waiting.first?.firstOffset ?? Number.POSITIVE_INFINITY
  }
}
