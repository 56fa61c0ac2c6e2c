/** Record batches of a fetch answer in the words of the scripts. */
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import type { LogBatch, LogRecord } from '../../../src/testing/sim/cluster/log-messages.ts'

const bytesMax = 64 * 2 ** 20

export function batchesOf(records: Buffer | null): LogBatch[] {
  if (records === null) return []
  return [...eachBatch(records)].map((at) => batchAt(records, at))
}

function batchAt(records: Buffer, at: number): LogBatch {
  const base = {
    baseOffset: header.baseOffset(records, at),
    lastOffset: header.lastOffset(records, at),
    leaderEpoch: header.partitionLeaderEpoch(records, at),
    producerId: header.producerId(records, at),
    producerEpoch: header.producerEpoch(records, at),
    baseSequence: header.baseSequence(records, at),
    isTransactional: header.isTransactional(records, at),
    size: header.batchSize(records, at),
  }
  const cursor = new RecordCursor()
  cursor.reset(records, at, bytesMax)
  if (header.isControl(records, at)) {
    cursor.next()
    return { kind: 'control', type: cursor.key()?.readInt16BE(2) === 0 ? 'ABORT' : 'COMMIT', ...base }
  }
  const list: LogRecord[] = []
  while (cursor.next()) {
    const value = cursor.value()?.toString() ?? null
    list.push({
      offset: cursor.offset,
      timestamp: cursor.timestamp,
      key: cursor.key()?.toString() ?? null,
      value,
      size: value?.length ?? 0,
    })
  }
  return { kind: 'data', records: list, ...base }
}
