/**
 * Follows the transactions of a log from its start, batch by batch: which data was aborted, and which markers end a
 * transaction that has no data left in the log.
 */
import { readMarker } from '../../protocol/record-batch/control.ts'
import { isTransactional, lastOffset, producerId } from '../../protocol/record-batch/header.ts'
import type { AbortedTransaction } from './transaction-index.ts'

export class DecidedTransactions {
  /** By first offset, those not reached yet. */
  readonly #aborted: AbortedTransaction[]
  #reached = 0
  /** Producer → its aborted transaction that we are inside of, and whether any batch of it was seen. */
  readonly #insideAborted = new Map<number, { isSeen: boolean }>()
  /** Producers of whose committed transaction a batch was seen. */
  readonly #insideCommitted = new Set<number>()
  /** Markers of aborted transactions that have no data any more. */
  readonly emptyAborts: Set<number> = new Set()

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#aborted = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset)
  }

  /** A data batch. True: it was aborted, nobody will ever read it. */
  isAborted(batch: Buffer): boolean {
    this.#reach(lastOffset(batch, 0))
    if (!isTransactional(batch, 0)) return false
    const inside = this.#insideAborted.get(producerId(batch, 0))
    if (inside === undefined) {
      this.#insideCommitted.add(producerId(batch, 0))
      return false
    }
    inside.isSeen = true
    return true
  }

  /** A control batch. True: it ends a transaction of which nothing is left. */
  endsNothing(batch: Buffer): boolean {
    this.#reach(lastOffset(batch, 0))
    const marker = readMarker(batch, 0)
    const producer = producerId(batch, 0)
    // Emptied by an earlier compaction.
    if (marker === null) return true
    if (marker.kind === 'commit') return !this.#insideCommitted.delete(producer)
    const inside = this.#insideAborted.get(producer)
    this.#insideAborted.delete(producer)
    if (inside?.isSeen === true) return false
    this.emptyAborts.add(marker.offset)
    return true
  }

  #reach(offset: number): void {
    for (; this.#reached < this.#aborted.length; this.#reached++) {
      const next = this.#aborted[this.#reached]
      if (next === undefined || next.firstOffset > offset) return
      if (!this.#insideAborted.has(next.producerId)) this.#insideAborted.set(next.producerId, { isSeen: false })
    }
  }
}
