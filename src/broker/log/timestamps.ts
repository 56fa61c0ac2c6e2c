/** Finding records by their time (ListOffsets). */
import { lastOffset, maxTimestamp, partitionLeaderEpoch } from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { type ReadableLog, startOf } from './log-reader.ts'
import { scanBatches } from './scan.ts'
import type { Indexes, Segment } from './segment.ts'

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
  for (const segment of [...log.segments]) {
    if (segment.nextOffset <= fromOffset || segment.size === 0) continue
    const indexes = await indexesOf(log, segment)
    if (segment.maxTimestampMs < timestampMs) continue
    const before = indexes.times.before(timestampMs)
    const from = before === undefined ? segment.baseOffset : segment.baseOffset + before.relativeOffset
    const found = await search(segment, indexes, Math.max(from, fromOffset), (timestamp, offset) => {
      return timestamp >= timestampMs && offset >= fromOffset
    })
    if (found !== undefined) return found
  }
  return undefined
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
