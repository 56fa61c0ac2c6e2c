/** Finds the segment and the place in it where a read begins, and goes on to the next segment where one has no more. */

import { LogDamagedError } from './damage.ts'
import type { Eventually } from './disk.ts'
import type { LeaderEpochs } from './leader-epochs.ts'
import type { Indexes, Segment } from './segment.ts'
import { type Progress, SegmentRead, type Start, type Wanted } from './segment-read.ts'
import type { LogStorage } from './storage.ts'

export type ReadResult =
  /** Whole batches; the first may begin before the offset asked for. None: there is nothing to read yet. */
  | {
      readonly kind: 'batches'
      readonly chunks: readonly Buffer[]
      readonly bytes: number
      readonly nextOffset: number
    }
  | { readonly kind: 'out-of-range' }
  | { readonly kind: 'damaged'; readonly error: LogDamagedError }

/** The log as a reader sees it. */
export interface ReadableLog {
  readonly storage: LogStorage
  /** In offset order. */
  readonly segments: readonly Segment[]
  /** Compaction has never made holes. */
  readonly dense: boolean
  readonly epochs: LeaderEpochs
}

/** How often a read begins anew because compaction replaced the segment under it. */
const attemptsMax = 3

export function readSegments(log: ReadableLog, wanted: Wanted): Eventually<ReadResult> {
  return log.storage.disk.isVolatile ? readMemory(log, wanted) : readDisk(log, wanted, 1)
}

function readMemory(log: ReadableLog, wanted: Wanted): ReadResult {
  for (let index = segmentAt(log.segments, wanted.fromOffset); index < log.segments.length; index++) {
    const segment = log.segments[index] as Segment
    const start = startOf(segment, segment.indexes, wanted.fromOffset)
    const reading = new SegmentRead(segment, start, wanted, log.dense, undefined)
    for (let progress: Progress = 'more'; progress === 'more' && !reading.isAtEnd; ) {
      progress = reading.feed(viewOf(segment)(reading.position, reading.length))
    }
    if (reading.bytes > 0 || !reading.isAtEnd) return batches(segment, reading)
  }
  return nothing(wanted)
}

/** Files in memory open at once and let themselves be viewed. */
function viewOf(segment: Segment): (at: number, length: number) => readonly Buffer[] {
  const file = segment.file.acquire()
  segment.file.release()
  if (file instanceof Promise || file.view === undefined) throw new TypeError('a volatile disk answers at once')
  return file.view.bind(file)
}

async function readDisk(log: ReadableLog, wanted: Wanted, attempt: number): Promise<ReadResult> {
  for (let index = segmentAt(log.segments, wanted.fromOffset); index < log.segments.length; index++) {
    const segment = log.segments[index] as Segment
    try {
      const found = await readSegment(log, segment, wanted)
      if (found.kind === 'damaged') return found
      if (found.read.bytes > 0 || !found.read.isAtEnd) return batches(segment, found.read)
      const next = log.segments[index + 1]
      if (log.segments[index] === segment && next !== undefined && log.dense) {
        const expected = found.read.nextOffset
        if (next.baseOffset !== expected) return damaged(segment, segment.written, expected, 'records are missing here')
      }
    } catch (error) {
      if (log.segments.includes(segment) || attempt === attemptsMax) throw error
      return readDisk(log, wanted, attempt + 1)
    }
    // Retention took a segment away meanwhile: the numbers have moved.
    if (log.segments[index] !== segment) index = segmentAt(log.segments, wanted.fromOffset) - 1
  }
  return nothing(wanted)
}

type Found = { readonly kind: 'read'; readonly read: SegmentRead } | Extract<ReadResult, { kind: 'damaged' }>

async function readSegment(log: ReadableLog, segment: Segment, wanted: Wanted): Promise<Found> {
  const { storage, dense, epochs } = log
  const isLast = segment === log.segments.at(-1)
  const known = segment.bookmarkOf(wanted.fromOffset)
  const indexes =
    known !== undefined || isLast ? segment.indexes : await storage.indexes.get(storage.disk, segment, dense)
  let read = new SegmentRead(segment, startOf(segment, indexes, wanted.fromOffset), wanted, dense, epochs)
  if (segment.written === 0) return { kind: 'read', read }
  const file = await segment.file.acquire()
  try {
    while (!read.isAtEnd) {
      const progress = read.feed([await file.read(read.position, read.length)])
      if (progress === 'done') break
      if (progress === 'damaged') return damaged(segment, read.position, read.nextOffset, 'not a sound record batch')
      if (progress === 'index-wrong') {
        // The index of the last segment grows while it is used; it is passed over instead.
        if (!isLast) await storage.indexes.rebuild(storage.disk, segment, dense)
        read = new SegmentRead(segment, startOf(segment, undefined, wanted.fromOffset), wanted, dense, epochs)
      }
    }
    return { kind: 'read', read }
  } finally {
    segment.file.release()
  }
}

/** Number of the last segment that begins at or before this offset; 0 if all begin later. */
export function segmentAt(segments: readonly Segment[], offset: number): number {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((segments[middle] as Segment).baseOffset <= offset) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

export function startOf(segment: Segment, indexes: Indexes | undefined, offset: number): Start {
  const bookmark = segment.bookmarkOf(offset)
  if (bookmark !== undefined) return { kind: 'batch', position: bookmark, offset }
  const entry = indexes?.offsets.floor(offset - segment.baseOffset) ?? -1
  if (indexes === undefined || entry < 0) return { kind: 'batch', position: 0, offset: segment.baseOffset }
  const lastOffset = segment.baseOffset + indexes.offsets.offsetOf(entry)
  return { kind: 'hint', position: indexes.offsets.positionOf(entry), lastOffset }
}

function batches(segment: Segment, read: SegmentRead): ReadResult {
  segment.bookmark(read.nextOffset, read.position)
  return { kind: 'batches', chunks: read.chunks, bytes: read.bytes, nextOffset: read.nextOffset }
}

const nothing = ({ fromOffset }: Wanted): ReadResult => ({
  kind: 'batches',
  chunks: [],
  bytes: 0,
  nextOffset: fromOffset,
})

function damaged(
  segment: Segment,
  position: number,
  offset: number,
  what: string,
): Extract<ReadResult, { kind: 'damaged' }> {
  return { kind: 'damaged', error: new LogDamagedError(segment.file.path, position, offset, what) }
}
