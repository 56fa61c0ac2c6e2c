/**
 * Indexes between memory and disk. On disk they are hints, written without a sync: what is missing or does not rise is
 * found again by reading the segment from the last good entry on, usually the last few kilobytes, at worst all of it.
 * A segment too small for a single entry has no index files at all.
 */
import { lastOffset, maxTimestamp } from '../../protocol/record-batch/header.ts'
import type { Disk } from './disk.ts'
import { indexName, logName, timeIndexName } from './names.ts'
import { OffsetIndex } from './offset-index.ts'
import { scanBatches } from './scan.ts'
import { Indexes, type Segment } from './segment.ts'
import { TimeIndex } from './time-index.ts'

const offsetEntryBytes = 8
const timeEntryBytes = 12

/** The indexes up to this position, where this offset comes next, and the segment's times with them. */
export async function loadIndexes(
  disk: Disk,
  segment: Segment,
  end: number,
  endOffset: number,
  dense: boolean,
): Promise<Indexes> {
  const found = await readIndexes(disk, segment, end, endOffset)
  return (await complete(segment, found, end, dense)) ? found : rebuildIndexes(segment, end, dense)
}

/** From the log alone: what the files say is not to be trusted. */
export async function rebuildIndexes(segment: Segment, end: number, dense: boolean): Promise<Indexes> {
  const indexes = new Indexes()
  segment.maxTimestampMs = -1
  segment.maxTimestampOffset = -1
  // Where it is damaged the index ends: reading there will say so.
  await complete(segment, indexes, end, dense)
  return indexes
}

/** Reads the log from the last entry on. False: the entry and the log do not fit, or the log is damaged. */
async function complete(segment: Segment, indexes: Indexes, end: number, dense: boolean): Promise<boolean> {
  const { offsets, times } = indexes
  const last = times.last
  // Times are complete up to their last entry, places up to theirs: go on at the lower of both.
  const entry = last === undefined ? -1 : offsets.floor(last.relativeOffset)
  const from = entry < 0 ? 0 : offsets.positionOf(entry)
  const entryOffset = entry < 0 ? -1 : segment.baseOffset + offsets.offsetOf(entry)
  if (last !== undefined && last.timestampMs > segment.maxTimestampMs) {
    segment.maxTimestampMs = last.timestampMs
    segment.maxTimestampOffset = segment.baseOffset + last.relativeOffset
  }
  const file = await segment.file.acquire()
  try {
    const expected = { offset: segment.baseOffset, dense: dense && entry < 0 }
    let isLastSeen = last === undefined
    const scan = await scanBatches(file, from, end, expected, (buffer, at, size, position) => {
      const offset = lastOffset(buffer, at)
      if (position === from && entry >= 0 && offset !== entryOffset) return false
      if (offset - segment.baseOffset === last?.relativeOffset) {
        isLastSeen = maxTimestamp(buffer, at) === last.timestampMs
      }
      segment.index(indexes, buffer, at, size, position)
      return undefined
    })
    return scan.isComplete && isLastSeen
  } finally {
    segment.file.release()
  }
}

async function readIndexes(disk: Disk, segment: Segment, end: number, endOffset: number): Promise<Indexes> {
  if (end <= segment.indexIntervalBytes) return new Indexes()
  const [places, times] = await Promise.all([
    disk.readFile(`${segment.directory}/${indexName(segment.baseOffset)}`),
    disk.readFile(`${segment.directory}/${timeIndexName(segment.baseOffset)}`),
  ])
  if (places === undefined || times === undefined) return new Indexes()
  return new Indexes(OffsetIndex.parse(places, end), TimeIndex.parse(times, endOffset - segment.baseOffset))
}

/**
 * Appends what the files do not have yet, about batches below this offset. Those are on the disk: an entry about a batch
 * that a crash takes away would later be read as one about the batch that came in its place.
 */
export async function flushIndexes(disk: Disk, segment: Segment, endOffset: number): Promise<void> {
  const { indexes } = segment
  if (indexes === undefined || disk.isVolatile || indexes.offsets.count === 0) return
  // One at a time, or two would append the same entries.
  while (indexes.flushing !== undefined) await indexes.flushing
  indexes.flushing = flush(disk, segment, indexes, endOffset - segment.baseOffset)
  try {
    await indexes.flushing
  } finally {
    indexes.flushing = undefined
  }
}

async function flush(
  disk: Disk,
  { directory, baseOffset }: Segment,
  indexes: Indexes,
  relativeEnd: number,
): Promise<void> {
  const { offsets, times, offsetsOnDisk, timesOnDisk } = indexes
  const offsetsEnd = offsets.floor(relativeEnd - 1) + 1
  const timesEnd = times.countBelow(relativeEnd)
  if (offsetsEnd > offsetsOnDisk) {
    const path = `${directory}/${indexName(baseOffset)}`
    await appendAt(disk, path, offsetsOnDisk * offsetEntryBytes, offsets.encode(offsetsOnDisk, offsetsEnd))
    indexes.offsetsOnDisk = offsetsEnd
  }
  if (timesEnd > timesOnDisk) {
    const path = `${directory}/${timeIndexName(baseOffset)}`
    await appendAt(disk, path, timesOnDisk * timeEntryBytes, times.encode(timesOnDisk, timesEnd))
    indexes.timesOnDisk = timesEnd
  }
}

/** The segment's own file last: while it is there, the indexes are merely missing. */
export async function removeSegmentFiles(disk: Disk, directory: string, baseOffset: number): Promise<void> {
  for (const name of [indexName, timeIndexName, logName]) await disk.remove(`${directory}/${name(baseOffset)}`)
}

async function appendAt(disk: Disk, path: string, size: number, bytes: Buffer): Promise<void> {
  const file = await disk.open(path, 'create')
  try {
    if (file.size !== size) await file.truncate(size)
    await file.append([bytes])
  } finally {
    await file.close()
  }
}

/** Indexes of closed segments that are in memory, the longest unused go first. */
export class IndexCache {
  readonly #bytesMax: number
  #bytes = 0
  readonly #segments = new Map<Segment, number>()
  readonly #loading = new Map<Segment, Promise<Indexes>>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Of a segment that is closed. */
  async get(disk: Disk, segment: Segment, dense: boolean): Promise<Indexes> {
    const known = segment.indexes
    if (known !== undefined) {
      this.#touch(segment, known)
      return known
    }
    const running = this.#loading.get(segment)
    if (running !== undefined) return running
    const loading = this.#load(disk, segment, dense)
    this.#loading.set(segment, loading)
    try {
      return await loading
    } finally {
      this.#loading.delete(segment)
    }
  }

  async #load(disk: Disk, segment: Segment, dense: boolean): Promise<Indexes> {
    const indexes = await loadIndexes(disk, segment, segment.written, segment.nextOffset, dense)
    segment.addTimeEntry(indexes)
    await this.#keep(disk, segment, indexes)
    return indexes
  }

  async #keep(disk: Disk, segment: Segment, indexes: Indexes): Promise<void> {
    segment.indexes = indexes
    this.#touch(segment, indexes)
    try {
      await flushIndexes(disk, segment, segment.nextOffset)
    } catch (error) {
      // A full disk, perhaps: whoever reads need not mind, it is found again next time.
      indexes.flushError = error
    }
  }

  /** The segment is closed from now on: its indexes may go when room is needed. */
  closed(segment: Segment): void {
    if (segment.indexes !== undefined) this.#touch(segment, segment.indexes)
  }

  /** The files are wrong: from the log alone. */
  async rebuild(disk: Disk, segment: Segment, dense: boolean): Promise<Indexes> {
    const indexes = await rebuildIndexes(segment, segment.written, dense)
    segment.addTimeEntry(indexes)
    await this.#keep(disk, segment, indexes)
    return indexes
  }

  /** The segment is gone. */
  forget(segment: Segment): void {
    this.#bytes -= this.#segments.get(segment) ?? 0
    this.#segments.delete(segment)
    segment.indexes = undefined
  }

  #touch(segment: Segment, indexes: Indexes): void {
    this.#bytes -= this.#segments.get(segment) ?? 0
    this.#segments.delete(segment)
    this.#segments.set(segment, indexes.sizeBytes)
    this.#bytes += indexes.sizeBytes
    for (const oldest of this.#segments.keys()) {
      if (this.#bytes <= this.#bytesMax || oldest === segment) return
      this.forget(oldest)
    }
  }
}
