/**
 * One segment of a partition's log: a file of batches and its two sparse indexes. Only the last segment of a log grows.
 *
 * `size` counts what was appended, `written` what is in the file. What always holds: the indexes of the last segment are
 * in memory and describe all that was appended; those of a closed one may be on disk only, see segment-indexes.ts.
 */
import { lastOffset, maxTimestamp } from '../../protocol/record-batch/header.ts'
import { logName } from './names.ts'
import { OffsetIndex } from './offset-index.ts'
import type { OpenFiles, PooledFile } from './open-files.ts'
import { TimeIndex } from './time-index.ts'

/** Relative offsets have 32 bits in the index; Kafka stays below the sign bit. */
const relativeOffsetMax = 0x7fff_ffff
const bookmarksMax = 8

export class Indexes {
  readonly offsets: OffsetIndex
  readonly times: TimeIndex
  /** Entries that the files have. */
  offsetsOnDisk = 0
  timesOnDisk = 0
  /** Bytes since the last entry. */
  bytesSince = 0
  /** While new entries go to the files. */
  flushing: Promise<void> | undefined
  /** Why they could not go there. */
  flushError: unknown

  constructor(offsets: OffsetIndex = new OffsetIndex(), times: TimeIndex = new TimeIndex()) {
    this.offsets = offsets
    this.times = times
    this.offsetsOnDisk = offsets.count
    this.timesOnDisk = times.count
  }

  get sizeBytes(): number {
    return this.offsets.sizeBytes + this.times.sizeBytes
  }
}

export class Segment {
  readonly baseOffset: number
  readonly directory: string
  readonly file: PooledFile
  readonly indexIntervalBytes: number
  /** Or found, when the log was opened. */
  readonly createdMs: number
  size: number
  written: number
  /** The offset that follows the last batch; in a closed segment that was not read since the start: where the next begins. */
  nextOffset: number
  /** Highest timestamp of the first batch: what segment.ms counts from. -1: unknown. */
  firstTimestampMs = -1
  maxTimestampMs = -1
  /** Last offset of the batch that brought it. */
  maxTimestampOffset = -1
  indexes: Indexes | undefined
  /** Bytes that were read from disk and found sound since the start. */
  #verifiedFrom = 0
  #verifiedTo = 0
  /** Where readers stopped: offset → position. The next read of the same reader begins there. */
  readonly #bookmarks = new Map<number, number>()

  constructor(
    files: OpenFiles,
    directory: string,
    baseOffset: number,
    size: number,
    indexIntervalBytes: number,
    createdMs: number,
  ) {
    this.baseOffset = baseOffset
    this.directory = directory
    this.file = files.file(`${directory}/${logName(baseOffset)}`)
    this.indexIntervalBytes = indexIntervalBytes
    this.createdMs = createdMs
    this.size = size
    this.written = size
    this.nextOffset = baseOffset
    if (size === 0) this.indexes = new Indexes()
  }

  hasRoomFor(bytes: number, lastOffsetOfBatch: number, segmentBytes: number): boolean {
    if (this.size === 0) return true
    return this.size + bytes <= segmentBytes && lastOffsetOfBatch - this.baseOffset <= relativeOffsetMax
  }

  /** How long it has been growing, in the records' own time if they have one. */
  ageAt(timestampMs: number, nowMs: number): number {
    return this.firstTimestampMs >= 0 ? timestampMs - this.firstTimestampMs : nowMs - this.createdMs
  }

  append(batch: Buffer): void {
    this.add(this.indexes ?? this.#noIndexes(), batch, 0, batch.length)
  }

  /** It will not grow any more. */
  finish(): void {
    this.addTimeEntry(this.indexes ?? this.#noIndexes())
  }

  #noIndexes(): never {
    throw new TypeError(`${this.file.path} is closed and cannot grow`)
  }

  /** The batch at buffer[at] is the next one of this segment. */
  add(indexes: Indexes, buffer: Buffer, at: number, bytes: number): void {
    this.index(indexes, buffer, at, bytes, this.size)
    this.size += bytes
    this.nextOffset = lastOffset(buffer, at) + 1
  }

  /** Times and index entries of the batch at this position; batches come in order. */
  index(indexes: Indexes, buffer: Buffer, at: number, bytes: number, position: number): void {
    const last = lastOffset(buffer, at)
    const timestamp = maxTimestamp(buffer, at)
    if (position === 0) this.firstTimestampMs = timestamp
    if (timestamp > this.maxTimestampMs) {
      this.maxTimestampMs = timestamp
      this.maxTimestampOffset = last
    }
    if (indexes.bytesSince > this.indexIntervalBytes) {
      if (position > indexes.offsets.lastPosition) indexes.offsets.add(last - this.baseOffset, position)
      this.addTimeEntry(indexes)
      indexes.bytesSince = 0
    }
    indexes.bytesSince += bytes
  }

  addTimeEntry({ times }: Indexes): void {
    if (this.maxTimestampMs >= 0) times.add(this.maxTimestampMs, this.maxTimestampOffset - this.baseOffset)
  }

  isVerified(from: number, to: number): boolean {
    return from >= this.#verifiedFrom && to <= this.#verifiedTo
  }

  /** Remembers one stretch: readers mostly go on where they stopped. */
  markVerified(from: number, to: number): void {
    if (from <= this.#verifiedTo && to >= this.#verifiedFrom) {
      this.#verifiedFrom = Math.min(this.#verifiedFrom, from)
      this.#verifiedTo = Math.max(this.#verifiedTo, to)
    } else if (to - from > this.#verifiedTo - this.#verifiedFrom) {
      this.#verifiedFrom = from
      this.#verifiedTo = to
    }
  }

  bookmark(offset: number, position: number): void {
    this.#bookmarks.delete(offset)
    for (const oldest of this.#bookmarks.keys()) {
      if (this.#bookmarks.size < bookmarksMax) break
      this.#bookmarks.delete(oldest)
    }
    this.#bookmarks.set(offset, position)
  }

  /** A batch begins at this position, and this offset is its first. */
  bookmarkOf(offset: number): number | undefined {
    return this.#bookmarks.get(offset)
  }
}
