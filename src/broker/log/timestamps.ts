/** Finding records by their time (ListOffsets). */
import { lastOffset, maxTimestamp, partitionLeaderEpoch } from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { type ReadableLog, startOf } from './log-reader.ts'
import { scanBatches } from './scan.ts'
import type { Indexes, Segment } from './segment.ts'
import type { TimeEntry } from './time-index.ts'

const decompressedBytesMax = 256 * 1_048_576

export interface TimedOffset {
  readonly offset: number
  readonly timestampMs: number
  readonly leaderEpoch: number
}

/** The first record at or behind `fromOffset` that is at least as late as this. */
export async function findTimestamp(
  log: ReadableLog,
  timestampMs: number,
  fromOffset: number,
): Promise<TimedOffset | undefined> {
  const matches = (timestamp: number, offset: number): boolean => timestamp >= timestampMs && offset >= fromOffset
  for (const segment of [...log.segments]) {
    if (segment.nextOffset <= fromOffset || segment.size === 0) continue
    let indexes = await indexesOf(log, segment)
    if (segment.maxTimestampMs < timestampMs) continue
    let before = indexes.times.before(timestampMs)
    if (before !== undefined && !(await isTrue(segment, indexes, before))) {
      if (segment !== log.segments.at(-1))
        indexes = await log.storage.indexes.rebuild(log.storage.disk, segment, log.dense)
      before = undefined
    }
    const from = segment.baseOffset + (before?.relativeOffset ?? 0)
    const found = await search(segment, indexes, Math.max(from, fromOffset), matches)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the batch that a time entry speaks of has this time. */
async function isTrue(
  segment: Segment,
  indexes: Indexes,
  { relativeOffset, timestampMs }: TimeEntry,
): Promise<boolean> {
  const offset = segment.baseOffset + relativeOffset
  const found = await search(segment, indexes, offset, (timestamp, last) => last >= offset && timestamp >= timestampMs)
  return found?.timestampMs === timestampMs
}

/** The record with the highest timestamp, the first of several. */
export async function findMaxTimestamp(log: ReadableLog, fromOffset: number): Promise<TimedOffset | undefined> {
  let latest: Segment | undefined
  for (const segment of [...log.segments]) {
    if (segment.nextOffset <= fromOffset || segment.size === 0) continue
    await indexesOf(log, segment)
    if (segment.maxTimestampMs >= 0 && segment.maxTimestampMs > (latest?.maxTimestampMs ?? -1)) latest = segment
  }
  if (latest === undefined) return undefined
  const { maxTimestampMs, maxTimestampOffset } = latest
  const indexes = await indexesOf(log, latest)
  return search(latest, indexes, maxTimestampOffset, (timestamp) => timestamp >= maxTimestampMs)
}

/** The indexes; with them the segment knows its times. */
async function indexesOf({ storage, segments, dense }: ReadableLog, segment: Segment): Promise<Indexes> {
  if (segment === segments.at(-1) && segment.indexes !== undefined) return segment.indexes
  return storage.indexes.get(storage.disk, segment, dense)
}

async function search(
  segment: Segment,
  indexes: Indexes,
  fromOffset: number,
  matches: (timestampMs: number, offset: number) => boolean,
): Promise<TimedOffset | undefined> {
  const start = startOf(segment, indexes, fromOffset)
  const expected = { offset: start.kind === 'batch' ? start.offset : segment.baseOffset, dense: false }
  const cursor = new RecordCursor()
  let found: TimedOffset | undefined
  const file = await segment.file.acquire()
  try {
    await scanBatches(file, start.position, segment.written, expected, (buffer, at) => {
      if (lastOffset(buffer, at) < fromOffset || !matches(maxTimestamp(buffer, at), lastOffset(buffer, at))) return
      cursor.reset(buffer, at, decompressedBytesMax)
      while (cursor.next()) {
        if (!matches(cursor.timestamp, cursor.offset)) continue
        const leaderEpoch = partitionLeaderEpoch(buffer, at)
        found = { offset: cursor.offset, timestampMs: cursor.timestamp, leaderEpoch }
        return false
      }
      return undefined
    })
    return found
  } finally {
    segment.file.release()
  }
}
