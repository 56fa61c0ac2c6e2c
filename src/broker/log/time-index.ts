/**
 * Sparse time index of one segment: highest timestamp so far → last offset of the batch that brought it. The bytes on
 * disk are Kafka's: per entry a 64-bit timestamp and the offset relative to the segment's first one.
 * A hint like the offset index. What always holds: timestamps and offsets both rise strictly.
 */
const entryBytes = 12

export interface TimeEntry {
  readonly timestampMs: number
  readonly relativeOffset: number
}

export class TimeIndex {
  #timestamps = new Float64Array(0)
  #offsets = new Uint32Array(0)
  #count = 0

  get count(): number {
    return this.#count
  }

  get sizeBytes(): number {
    return this.#timestamps.byteLength + this.#offsets.byteLength
  }

  get last(): TimeEntry | undefined {
    return this.#count === 0 ? undefined : this.#entry(this.#count - 1)
  }

  /** Ignored unless both are higher than before. */
  add(timestampMs: number, relativeOffset: number): void {
    if (this.#count > 0) {
      if (timestampMs <= (this.#timestamps[this.#count - 1] as number)) return
      if (relativeOffset <= (this.#offsets[this.#count - 1] as number)) return
    }
    if (this.#count === this.#timestamps.length) this.#grow()
    this.#timestamps[this.#count] = timestampMs
    this.#offsets[this.#count] = relativeOffset
    this.#count++
  }

  /** The last entry with a timestamp below this one: nothing up to its offset is as late. */
  before(timestampMs: number): TimeEntry | undefined {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#timestamps[middle] as number) < timestampMs) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : this.#entry(low - 1)
  }

  /** How many entries are about offsets below this one. */
  countBelow(relativeOffset: number): number {
    let count = this.#count
    while (count > 0 && (this.#offsets[count - 1] as number) >= relativeOffset) count--
    return count
  }

  encode(fromEntry: number, toEntry: number): Buffer {
    const bytes = Buffer.allocUnsafe((toEntry - fromEntry) * entryBytes)
    for (let entry = fromEntry, at = 0; entry < toEntry; entry++, at += entryBytes) {
      bytes.writeBigInt64BE(BigInt(this.#timestamps[entry] as number), at)
      bytes.writeUInt32BE(this.#offsets[entry] as number, at + 8)
    }
    return bytes
  }

  /** As many entries from the start as rise and are about offsets below `relativeEnd`. */
  static parse(bytes: Buffer, relativeEnd: number): TimeIndex {
    const index = new TimeIndex()
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
      const timestampMs = Number(bytes.readBigInt64BE(at))
      const relativeOffset = bytes.readUInt32BE(at + 8)
      if (!Number.isSafeInteger(timestampMs) || relativeOffset >= relativeEnd) break
      const before = index.#count
      index.add(timestampMs, relativeOffset)
      if (index.#count === before) break
    }
    return index
  }

  #entry(index: number): TimeEntry {
    return { timestampMs: this.#timestamps[index] as number, relativeOffset: this.#offsets[index] as number }
  }

  #grow(): void {
    const capacity = Math.max(8, this.#count * 2)
    const timestamps = new Float64Array(capacity)
    const offsets = new Uint32Array(capacity)
    timestamps.set(this.#timestamps)
    offsets.set(this.#offsets)
    this.#timestamps = timestamps
    this.#offsets = offsets
  }
}
