/**
 * Record batches as bytes, both ways. The simulated log keeps bytes as latin1 strings, one character a byte, which are
 * cheap to compare and to print.
 */
import { controlBatch } from '../../../protocol/record-batch/control.ts'
import * as header from '../../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../../protocol/record-batch/reader.ts'
import { encodeBatch } from '../../../protocol/record-batch/writer.ts'
import type { LogBatch, LogRecord, ProducedRecord, ProducePartition } from '../cluster/log-messages.ts'

const decompressedBytesMax = 64 * 2 ** 20
/** What a handler's output is charged for its lengths, its attributes and its share of the head. */
const recordOverheadBytes = 70
const headerOverheadBytes = 10

/** Batches never change, and every reader gets the same ones. */
const encoded: WeakMap<LogBatch, Buffer> = new WeakMap()

export function bytesOfBatch(batch: LogBatch): Buffer {
  const known = encoded.get(batch)
  if (known !== undefined) return known
  const bytes = batch.kind === 'control' ? marker(batch) : data(batch)
  encoded.set(batch, bytes)
  return bytes
}

function marker(batch: LogBatch & { readonly kind: 'control' }): Buffer {
  const { producerId, producerEpoch, type } = batch
  const kind = type === 'COMMIT' ? 'commit' : 'abort'
  const bytes = controlBatch({ kind, producerId, producerEpoch, timestampMs: 0, coordinatorEpoch: 0 })
  header.setBaseOffset(bytes, 0, batch.baseOffset)
  header.setPartitionLeaderEpoch(bytes, 0, batch.leaderEpoch)
  return bytes
}

/** Compaction's holes stay holes, and the batch still ends where it ended, even with no record left. */
function data(batch: LogBatch & { readonly kind: 'data' }): Buffer {
  const { baseOffset, lastOffset, leaderEpoch, producerId, producerEpoch, baseSequence, isTransactional } = batch
  return encodeBatch({
    baseOffset,
    partitionLeaderEpoch: leaderEpoch,
    producerId,
    producerEpoch,
    baseSequence,
    transactional: isTransactional,
    lastOffsetDelta: lastOffset - baseOffset,
    records: batch.records.map((record) => fields(record, baseOffset)),
  })
}

function fields(record: LogRecord, baseOffset: number): Parameters<typeof encodeBatch>[0]['records'][number] {
  return {
    key: bytesOf(record.key),
    value: bytesOf(record.value),
    headers: (record.headers ?? []).map(({ key, value }) => [key, bytesOf(value)] as const),
    // Simulated time has fractions.
    timestampMs: Math.floor(record.timestamp),
    offsetDelta: record.offset - baseOffset,
  }
}

/** A workload may append other values than strings; a handler sees them as JSON. */
function bytesOf(value: unknown): Buffer | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(JSON.stringify(value))
}

export type ProducedBatch = Pick<
  ProducePartition,
  'producerId' | 'producerEpoch' | 'baseSequence' | 'isTransactional' | 'records'
>

/** What Produce brings for one partition: one whole batch, of which a broker would find nothing wrong. */
export function producedBatch(bytes: Buffer | null, name: string): ProducedBatch {
  if (bytes === null || header.batchSize(bytes, 0) !== bytes.length)
    throw new Error(`Produce brings not just one batch for ${name}`)
  if (!header.crcMatches(bytes, 0)) throw new Error(`Produce brings a batch with a wrong checksum for ${name}`)
  if (header.isControl(bytes, 0)) throw new Error(`Produce brings a control batch for ${name}`)
  const records: ProducedRecord[] = []
  const cursor = new RecordCursor().reset(bytes, 0, decompressedBytesMax)
  const baseOffset = header.baseOffset(bytes, 0)
  while (cursor.next()) {
    if (cursor.offset !== baseOffset + records.length) throw new Error(`Produce brings a batch with holes for ${name}`)
    records.push(produced(cursor))
  }
  if (records.length === 0 || header.lastOffsetDelta(bytes, 0) !== records.length - 1)
    throw new Error(`Produce brings ${records.length} records for ${name}, the batch announces others`)
  return {
    producerId: header.producerId(bytes, 0),
    producerEpoch: header.producerEpoch(bytes, 0),
    baseSequence: header.baseSequence(bytes, 0),
    isTransactional: header.isTransactional(bytes, 0),
    records,
  }
}

/** Its size is counted as a handler's output is before it is sent. */
function produced(cursor: RecordCursor): ProducedRecord {
  let size = recordOverheadBytes + Math.max(0, cursor.keyLength) + Math.max(0, cursor.valueLength)
  const headers = cursor.headers().map(([key, value]) => {
    size += Buffer.byteLength(key) + (value?.length ?? 0) + headerOverheadBytes
    return { key, value: text(value) }
  })
  return { key: text(cursor.key()), value: text(cursor.value()), headers, timestamp: cursor.timestamp, size }
}

function text(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('latin1')
}
