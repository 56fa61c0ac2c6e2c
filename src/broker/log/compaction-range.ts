/** Which segments may be compacted, and whether it is worth it, by the rules of Apache Kafka: whole segments only. */
import type { CompactionSettings } from './compaction.ts'
import type { PartitionLog } from './partition-log.ts'
import type { Segment } from './segment.ts'

export interface CompactionRange {
  /** All closed segments in front of `endOffset`, the clean ones too. */
  readonly segments: readonly Segment[]
  readonly firstDirtyOffset: number
  /** The first offset that must not be touched. */
  readonly endOffset: number
}

/** Relative offsets of a segment have 31 bits. */
const relativeOffsetMax = 0x7fff_ffff

/** null: there is nothing to do. */
export async function compactionRange(
  log: PartitionLog,
  settings: CompactionSettings,
  cleanOffset: number,
  nowMs: number,
): Promise<CompactionRange | null> {
  const active = log.segments.at(-1)
  const { logStartOffset, lastStableOffset } = log
  // A clean offset outside of the log tells nothing: it was cut, or its file is from another time.
  const isKnown = cleanOffset >= logStartOffset && cleanOffset <= log.logEndOffset
  const firstDirtyOffset = isKnown ? cleanOffset : logStartOffset
  const segments: Segment[] = []
  let dirtyBytes = 0
  let bytes = 0
  let isOverdue = false
  for (const segment of [...log.segments]) {
    if (segment === active || segment.nextOffset > lastStableOffset) break
    const isDirty = segment.nextOffset > firstDirtyOffset
    if (isDirty) {
      const times = await timesOf(log, segment)
      if (settings.minCompactionLagMs > 0 && times.latestMs > nowMs - settings.minCompactionLagMs) break
      isOverdue ||= times.firstMs > 0 && times.firstMs < nowMs - settings.maxCompactionLagMs
      dirtyBytes += segment.size
    }
    bytes += segment.size
    segments.push(segment)
  }
  const isWorthIt = dirtyBytes > 0 && (isOverdue || dirtyBytes / bytes > settings.minCleanableDirtyRatio)
  if (!isWorthIt) return null
  return { segments, firstDirtyOffset, endOffset: segments.at(-1)?.nextOffset ?? firstDirtyOffset }
}

async function timesOf(log: PartitionLog, segment: Segment): Promise<{ latestMs: number; firstMs: number }> {
  const { indexes, disk } = log.storage
  await indexes.get(disk, segment, log.dense)
  const { maxTimestampMs, firstTimestampMs, createdMs } = segment
  return { latestMs: maxTimestampMs >= 0 ? maxTimestampMs : createdMs, firstMs: firstTimestampMs }
}

/** Neighbours that fit into one segment together. */
export function groupBySize(segments: readonly Segment[], segmentBytes: number): Segment[][] {
  const groups: Segment[][] = []
  let bytes = 0
  for (const segment of segments) {
    const group = groups.at(-1)
    const first = group?.[0]
    const fits =
      first !== undefined &&
      bytes + segment.size <= segmentBytes &&
      segment.nextOffset - 1 - first.baseOffset <= relativeOffsetMax
    if (group !== undefined && fits) group.push(segment)
    else groups.push([segment])
    bytes = fits ? bytes + segment.size : segment.size
  }
  return groups
}
