/**
 * Writes batches. `BatchBuilder` takes records one by one into a buffer that grows, and always knows how large the batch
 * would be with one more; `encodeBatch` does it in one go.
 *
 * What always holds: offset deltas rise (holes are allowed, compaction leaves them); the size that is told is exact, and
 * it is the size before compression; a closed batch has a right checksum and belongs to the caller alone.
 */
import { FanlaneError } from '../../errors.ts'
import { compress } from './compression.ts'
import { batchOverhead, computeCrc, logOverhead } from './header.ts'
import { writeSafeInt64 } from './int64.ts'
import { varintSize, varlongSize, writeVarint, writeVarlong } from './varint.ts'

export interface BatchRecord {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers?: readonly (readonly [name: string, value: Uint8Array | null])[]
  readonly timestampMs: number
  /** Default: one more than the record before. */
  readonly offsetDelta?: number
}

export interface BatchFields {
  readonly baseOffset?: number
  /** Default -1: brokers fill it in. */
  readonly partitionLeaderEpoch?: number
  /** Default -1: not idempotent. Epoch and sequence likewise. */
  readonly producerId?: number
  readonly producerEpoch?: number
  readonly baseSequence?: number
  readonly transactional?: boolean
  readonly control?: boolean
  /** The broker's clock counts: all records carry this time. */
  readonly logAppendTimeMs?: number
  /** A number of `compressionTypes`; default none. */
  readonly compression?: number
  /** Compaction: the batch still ends where it ended before its last records went. */
  readonly lastOffsetDelta?: number
  /** Compaction: when tombstones may go. The deltas count from it: a builder must have it as its base timestamp. */
  readonly deleteHorizonMs?: number
  /** Compaction: for a batch that keeps no record. Default: the latest of the records' timestamps. */
  readonly maxTimestampMs?: number
}

const noBytes = Buffer.alloc(0)
const maxBatchBytes = 0x7fff_ffff
const firstCapacity = 1024
/** Below this a loop is faster than the call that copies memory. */
const loopCopyBytes = 24

export class BatchBuilder {
  readonly #initialBytes: number
  /** Made when the first record comes. */
  #buffer: Buffer = noBytes
  #end: number = batchOverhead
  #count = 0
  #lastDelta = -1
  #baseTimestamp: number | undefined
  #maxTimestamp = -1

  /** `baseTimestampMs` is what the records' timestamps are counted from; default: the first record's. */
  constructor(options: { readonly initialBytes?: number; readonly baseTimestampMs?: number } = {}) {
    this.#initialBytes = options.initialBytes ?? firstCapacity
    this.#baseTimestamp = options.baseTimestampMs
  }

  /** Bytes of the batch so far, its head included, before compression. */
  get size(): number {
    return this.#end
  }

  get count(): number {
    return this.#count
  }

  /** What `size` would be after `append(record)`. */
  sizeWith(record: BatchRecord): number {
    const body = this.#bodySize(record, record.offsetDelta ?? this.#lastDelta + 1)
    return this.#end + varintSize(body) + body
  }

  append(record: BatchRecord): void {
    const offsetDelta = record.offsetDelta ?? this.#lastDelta + 1
    if (!(offsetDelta > this.#lastDelta) || offsetDelta !== (offsetDelta | 0)) {
      throw unusable(`offset delta ${offsetDelta} does not follow ${this.#lastDelta}`)
    }
    // Twice the distance is what is written, as a zigzag number.
    if (!Number.isSafeInteger(2 * (record.timestampMs - (this.#baseTimestamp ?? 0)))) {
      throw unusable(`${record.timestampMs} is not a timestamp`)
    }
    const body = this.#bodySize(record, offsetDelta)
    this.#reserve(varintSize(body) + body)
    this.#baseTimestamp ??= record.timestampMs
    const buffer = this.#buffer
    let at = writeVarint(buffer, this.#end, body)
    buffer[at++] = 0
    at = writeVarlong(buffer, at, record.timestampMs - this.#baseTimestamp)
    at = writeVarint(buffer, at, offsetDelta)
    at = writeBytes(buffer, at, record.key)
    at = writeBytes(buffer, at, record.value)
    const headers = record.headers
    if (headers === undefined) {
      buffer[at++] = 0
    } else {
      at = writeVarint(buffer, at, headers.length)
      for (const [name, value] of headers) {
        at = writeVarint(buffer, at, Buffer.byteLength(name))
        at += buffer.write(name, at)
        at = writeBytes(buffer, at, value)
      }
    }
    this.#end = at
    this.#lastDelta = offsetDelta
    this.#count++
    if (record.timestampMs > this.#maxTimestamp) this.#maxTimestamp = record.timestampMs
  }

  /** The finished batch. The builder is empty afterwards and can be used again; after an error it is as it was. */
  close(fields: BatchFields = {}): Buffer {
    const baseTimestamp = fields.deleteHorizonMs ?? this.#baseTimestamp ?? fields.maxTimestampMs ?? -1
    if (this.#count > 0 && baseTimestamp !== this.#baseTimestamp) {
      throw unusable('the delete horizon must be the base timestamp that the builder was made with')
    }
    const compression = fields.compression ?? 0
    if (this.#count === 0) this.#reserve(0)
    const batch = compression === 0 ? this.#buffer.subarray(0, this.#end) : this.#compressed(compression)
    writeSafeInt64(batch, 0, fields.baseOffset ?? 0)
    batch.writeInt32BE(batch.length - logOverhead, 8)
    batch.writeInt32BE(fields.partitionLeaderEpoch ?? -1, 12)
    batch.writeInt8(2, 16)
    batch.writeInt16BE(attributesOf(fields), 21)
    batch.writeInt32BE(fields.lastOffsetDelta ?? Math.max(0, this.#lastDelta), 23)
    writeSafeInt64(batch, 27, baseTimestamp)
    writeSafeInt64(batch, 35, fields.logAppendTimeMs ?? fields.maxTimestampMs ?? this.#maxTimestamp)
    writeSafeInt64(batch, 43, fields.producerId ?? -1)
    batch.writeInt16BE(fields.producerEpoch ?? -1, 51)
    batch.writeInt32BE(fields.baseSequence ?? -1, 53)
    batch.writeInt32BE(this.#count, 57)
    batch.writeUInt32BE(computeCrc(batch, 0), 17)
    // Uncompressed, the buffer goes with the batch.
    if (compression === 0) this.#buffer = noBytes
    this.#end = batchOverhead
    this.#count = 0
    this.#lastDelta = -1
    this.#baseTimestamp = undefined
    this.#maxTimestamp = -1
    return batch
  }

  #compressed(type: number): Buffer {
    const packed = compress(type, this.#buffer.subarray(batchOverhead, this.#end))
    const batch = Buffer.allocUnsafe(batchOverhead + packed.length)
    packed.copy(batch, batchOverhead)
    return batch
  }

  #bodySize(record: BatchRecord, offsetDelta: number): number {
    let size =
      2 +
      varlongSize(record.timestampMs - (this.#baseTimestamp ?? record.timestampMs)) +
      varintSize(offsetDelta) +
      bytesSize(record.key) +
      bytesSize(record.value)
    const headers = record.headers
    if (headers !== undefined) {
      size += varintSize(headers.length) - 1
      for (const [name, value] of headers) {
        const nameLength = Buffer.byteLength(name)
        size += varintSize(nameLength) + nameLength + bytesSize(value)
      }
    }
    return size
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#buffer.length) return
    if (needed > maxBatchBytes) throw unusable('it would be larger than 2 GiB')
    const capacity = Math.max(needed, this.#buffer.length * 2, this.#initialBytes)
    const grown = Buffer.allocUnsafe(Math.min(maxBatchBytes, capacity))
    this.#buffer.copy(grown, 0, 0, this.#end)
    this.#buffer = grown
  }
}

export function encodeBatch(options: BatchFields & { readonly records: readonly BatchRecord[] }): Buffer {
  const base = options.deleteHorizonMs
  const builder = new BatchBuilder(base === undefined ? {} : { baseTimestampMs: base })
  for (const record of options.records) builder.append(record)
  return builder.close(options)
}

function attributesOf(fields: BatchFields): number {
  return (
    (fields.compression ?? 0) |
    (fields.logAppendTimeMs === undefined ? 0 : 0x08) |
    (fields.transactional === true ? 0x10 : 0) |
    (fields.control === true ? 0x20 : 0) |
    (fields.deleteHorizonMs === undefined ? 0 : 0x40)
  )
}

function bytesSize(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : varintSize(bytes.length) + bytes.length
}

function writeBytes(target: Buffer, at: number, bytes: Uint8Array | null): number {
  if (bytes === null) {
    target[at] = 1
    return at + 1
  }
  const length = bytes.length
  let to = writeVarint(target, at, length)
  if (length > loopCopyBytes) {
    target.set(bytes, to)
    return to + length
  }
  for (let from = 0; from < length; from++) target[to++] = bytes[from] as number
  return to
}

function unusable(message: string): FanlaneError {
  return new FanlaneError('RECORD_INVALID', `A record batch cannot be written: ${message}. Correct the record.`)
}
