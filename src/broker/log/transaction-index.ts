/**
 * The aborted transactions of one partition, in the order of their markers: what a read_committed reader has to skip.
 * What always holds: markers rise strictly, and every entry still has its marker in the log.
 */

export interface AbortedTransaction {
  readonly producerId: number
  readonly firstOffset: number
  /** Where its marker is. */
  readonly markerOffset: number
  /** The last stable offset right after the abort: no transaction whose marker comes later begins below it. */
  readonly lastStableOffset: number
}

export class TransactionIndex {
  #entries: AbortedTransaction[] = []

  get entries(): readonly AbortedTransaction[] {
    return this.#entries
  }

  add(entry: AbortedTransaction): void {
    this.#entries.push(entry)
  }

  /** Those that overlap with [from, to). Ordered by marker, as Kafka lists them. */
  overlapping(from: number, to: number): AbortedTransaction[] {
    const found: AbortedTransaction[] = []
    for (let at = this.#firstMarkerFrom(from); at < this.#entries.length; at++) {
      const entry = this.#entries[at]
      if (entry === undefined) break
      if (entry.firstOffset < to) found.push(entry)
      if (entry.lastStableOffset >= to) break
    }
    return found
  }

  dropBelow(offset: number): void {
    const keep = this.#firstMarkerFrom(offset)
    if (keep > 0) this.#entries = this.#entries.slice(keep)
  }

  /** Compaction has removed these markers: nothing of their transactions is left to skip. */
  forget(markerOffsets: ReadonlySet<number>): void {
    if (markerOffsets.size > 0) this.#entries = this.#entries.filter((entry) => !markerOffsets.has(entry.markerOffset))
  }

  #firstMarkerFrom(offset: number): number {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.markerOffset ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
