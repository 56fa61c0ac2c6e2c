/** The read_committed view of a whole partition, as a careful reader would build it from Fetch answers. */
import type { LogRecord } from '../log-messages.ts'
import type { PartitionLog } from './partition-log.ts'

export function readCommitted(log: PartitionLog): readonly LogRecord[] {
  const batches = log.read(log.start, 'read_committed', Number.POSITIVE_INFINITY, true)
  const aborted = [...log.abortedSince(log.start)].sort((a, b) => a.firstOffset - b.firstOffset)
  const skipping = new Set<number>()
  const records: LogRecord[] = []
  for (const batch of batches) {
    while ((aborted[0]?.firstOffset ?? Number.POSITIVE_INFINITY) <= batch.lastOffset) {
      skipping.add(aborted.shift()?.producerId ?? -1)
    }
    if (batch.kind === 'control') skipping.delete(batch.producerId)
    else if (!batch.isTransactional || !skipping.has(batch.producerId)) {
      for (const record of batch.records) if (record.offset >= log.start) records.push(record)
    }
  }
  return records
}
