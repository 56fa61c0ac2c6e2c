/**
 * Which leader epoch began at which offset. Every start of the broker raises the epoch; a client that kept the epoch of
 * its last record can ask where that epoch ended and so notices that a tail was cut.
 *
 * What always holds: epochs and their start offsets both rise strictly from entry to entry, so an epoch that wrote nothing
 * disappears when the next one begins. The table is part of the checkpoint, and every batch carries its epoch: what came
 * after the checkpoint is found again by reading the tail.
 */
export interface EpochStart {
  readonly epoch: number
  readonly startOffset: number
}

export interface EpochEnd {
  readonly epoch: number
  readonly endOffset: number
}

const unknownEnd: EpochEnd = { epoch: -1, endOffset: -1 }

export class LeaderEpochs {
  #entries: EpochStart[]

  constructor(entries: readonly EpochStart[] = []) {
    this.#entries = [...entries]
  }

  get entries(): readonly EpochStart[] {
    return this.#entries
  }

  /** -1: nothing is known. */
  get latest(): number {
    return this.#entries.at(-1)?.epoch ?? -1
  }

  /** From this offset on the log is written in this epoch. */
  begin(epoch: number, startOffset: number): void {
    if (epoch <= this.latest) return
    while (this.#entries.length > 0 && (this.#entries.at(-1) as EpochStart).startOffset >= startOffset) {
      this.#entries.pop()
    }
    this.#entries.push({ epoch, startOffset })
  }

  /** The epoch in which this offset was written; -1: before all that is known. */
  epochAt(offset: number): number {
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries[index] as EpochStart
      if (entry.startOffset <= offset) return entry.epoch
    }
    return -1
  }

  /** The greatest epoch up to the one asked for, and where it ends; -1 and -1 for epochs that are not known (yet). */
  endOffsetFor(epoch: number, logEndOffset: number): EpochEnd {
    if (epoch < 0 || epoch > this.latest) return unknownEnd
    if (epoch === this.latest) return { epoch, endOffset: logEndOffset }
    const next = this.#entries.findIndex((entry) => entry.epoch > epoch)
    const endOffset = (this.#entries[next] as EpochStart).startOffset
    return { epoch: this.#entries[next - 1]?.epoch ?? epoch, endOffset }
  }

  /** The log begins here now: what ended before is forgotten, and the epoch that the log begins with begins here. */
  truncateBefore(logStartOffset: number): void {
    let first = 0
    while ((this.#entries[first + 1]?.startOffset ?? Number.POSITIVE_INFINITY) <= logStartOffset) first++
    const entry = this.#entries[first]
    if (entry === undefined || entry.startOffset > logStartOffset) return
    this.#entries.splice(0, first + 1, { epoch: entry.epoch, startOffset: logStartOffset })
  }

  /** The log ends here now. */
  truncateAfter(logEndOffset: number): void {
    this.#entries = this.#entries.filter(({ startOffset }) => startOffset < logEndOffset)
  }
}
