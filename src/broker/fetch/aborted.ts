/**
 * The aborted transactions that go with an answer. A reader needs those that overlap with what it gets; Kafka looks their end
 * up in its sparse index and so lists a few more, which readers must be able to bear. The same here: a client that is tested
 * with this broker shall have met them.
 */
import type { AbortedTransaction } from '../../protocol/generated/01-fetch.ts'
import type { Input } from '../../protocol/types.ts'
import type { PartitionLog } from '../log/partition-log.ts'

export function abortedIn(log: PartitionLog, fromOffset: number, nextOffset: number): Input<AbortedTransaction>[] {
  return log.producers
    .abortedBetween(fromOffset, indexedOffsetAfter(log, nextOffset))
    .map(({ producerId, firstOffset }) => ({
      producerId: BigInt(producerId),
      firstOffset: BigInt(firstOffset),
    }))
}

/** The offset of the first index entry behind what was read, else where the segment ends. */
function indexedOffsetAfter({ segments, logEndOffset }: PartitionLog, nextOffset: number): number {
  const index = segments.findLastIndex(({ baseOffset }) => baseOffset < nextOffset)
  const segment = segments[index]
  const end = segments[index + 1]?.baseOffset ?? logEndOffset
  const offsets = segment?.indexes?.offsets
  if (segment === undefined || offsets === undefined) return end
  const entry = offsets.floor(nextOffset - 1 - segment.baseOffset) + 1
  return entry < offsets.count ? segment.baseOffset + offsets.offsetOf(entry) : end
}
