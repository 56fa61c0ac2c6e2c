/**
 * Sparse index of one segment: last offset of a batch → where that batch starts in the file. The bytes on disk are
 * Kafka's: per entry the offset relative to the segment's first one and the position, both 32 bits.
 *
 * It is a hint, never an authority: it is written without a sync, so after a crash it may be short or damaged. `parse`
 * keeps the part that rises as it should; whoever looks something up checks that the batch found there is the right one.
 */
const entryBytes = 8

export class OffsetIndex {
  /** Pairs: relative offset, position. */
  #pairs: Uint32Array
  #count = 0

  constructor(capacity = 0) {
    this.#pairs = new Uint32Array(capacity * 2)
  }

  get count(): number {
    return this.#count
  }

  get sizeBytes(): number {
    return this.#pairs.byteLength
  }

  /** Position of the last entry; -1 if there is none. */
  get lastPosition(): number {
    return this.#count === 0 ? -1 : (this.#pairs[this.#count * 2 - 1] as number)
  }

  add(relativeOffset: number, position: number): void {
    if (this.#count * 2 === this.#pairs.length) {
      const larger = new Uint32Array(Math.max(16, this.#pairs.length * 2))
      larger.set(this.#pairs)
      this.#pairs = larger
    }
    this.#pairs[this.#count * 2] = relativeOffset
    this.#pairs[this.#count * 2 + 1] = position
    this.#count++
  }

  /** Number of the last entry at or before this offset; -1: begin at the start of the segment. */
  floor(relativeOffset: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#pairs[middle * 2] as number) <= relativeOffset) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  offsetOf(entry: number): number {
    return this.#pairs[entry * 2] as number
  }

  positionOf(entry: number): number {
    return this.#pairs[entry * 2 + 1] as number
  }

  /** What is not on the disk yet. */
  encode(fromEntry: number, toEntry: number): Buffer {
    const bytes = Buffer.allocUnsafe((toEntry - fromEntry) * entryBytes)
    for (let entry = fromEntry, at = 0; entry < toEntry; entry++, at += entryBytes) {
      bytes.writeUInt32BE(this.offsetOf(entry), at)
      bytes.writeUInt32BE(this.positionOf(entry), at + 4)
    }
    return bytes
  }

  /** As many entries from the start as rise and lie below `positionEnd`. */
  static parse(bytes: Buffer, positionEnd: number): OffsetIndex {
    const index = new OffsetIndex(Math.floor(bytes.length / entryBytes))
    let offsetBefore = -1
    let positionBefore = 0
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
      const offset = bytes.readUInt32BE(at)
      const position = bytes.readUInt32BE(at + 4)
      // The first batch of a segment needs no entry: position 0 can only be a block of zeros.
      if (offset <= offsetBefore || position <= positionBefore || position >= positionEnd) break
      index.add(offset, position)
      offsetBefore = offset
      positionBefore = position
    }
    return index
  }
}
