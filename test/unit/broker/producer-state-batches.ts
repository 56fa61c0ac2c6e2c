/** Batches for the tests of producer states: heads as they are, records only where they are read (markers). */
import { batchOverhead } from '../../../src/protocol/record-batch/header.ts'

export interface DataBatch {
  readonly producerId: number
  readonly epoch: number
  readonly sequence: number
  readonly count?: number
  readonly offset?: number
  readonly transactional?: boolean
  readonly timestampMs?: number
}

export interface MarkerBatch {
  readonly producerId: number
  readonly epoch: number
  readonly kind: 'commit' | 'abort'
  readonly coordinatorEpoch?: number
  readonly offset?: number
  readonly timestampMs?: number
}

export function data(batch: DataBatch): Buffer {
  const count = batch.count ?? 1
  const attributes = batch.transactional === true ? 0x10 : 0
  return head(batch, attributes, batch.sequence, count, Buffer.alloc(0))
}

export function marker(batch: MarkerBatch): Buffer {
  const key = [0, 0, 0, batch.kind === 'commit' ? 1 : 0]
  const value = Buffer.alloc(6)
  value.writeInt32BE(batch.coordinatorEpoch ?? 0, 2)
  const body = Buffer.from([0, 0, 0, key.length * 2, ...key, value.length * 2, ...value, 0])
  return head(batch, 0x30, -1, 1, Buffer.concat([Buffer.from([body.length * 2]), body]))
}

/** What compaction leaves of a marker whose transaction is gone. */
export function emptyMarker(batch: Omit<MarkerBatch, 'kind'>): Buffer {
  const bytes = head(batch, 0x30, -1, 1, Buffer.alloc(0))
  bytes.writeInt32BE(0, 57)
  return bytes
}

function head(
  batch: { producerId: number; epoch: number; offset?: number; timestampMs?: number },
  attributes: number,
  sequence: number,
  count: number,
  records: Buffer,
): Buffer {
  const bytes = Buffer.alloc(batchOverhead)
  bytes.writeBigInt64BE(BigInt(batch.offset ?? 0), 0)
  bytes.writeInt32BE(batchOverhead - 12 + records.length, 8)
  bytes.writeInt8(2, 16)
  bytes.writeInt16BE(attributes, 21)
  bytes.writeInt32BE(count - 1, 23)
  bytes.writeBigInt64BE(BigInt(batch.timestampMs ?? 0), 27)
  bytes.writeBigInt64BE(BigInt(batch.timestampMs ?? 0), 35)
  bytes.writeBigInt64BE(BigInt(batch.producerId), 43)
  bytes.writeInt16BE(batch.epoch, 51)
  bytes.writeInt32BE(sequence, 53)
  bytes.writeInt32BE(count, 57)
  return Buffer.concat([bytes, records])
}
