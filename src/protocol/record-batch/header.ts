/**
 * The fixed head of a record batch (format version 2), read and patched in place: every function takes a buffer and the
 * position where a batch starts, nothing is allocated.
 *
 *   0 base offset i64 · 8 length i32 (of what follows it) · 12 partition leader epoch i32 · 16 magic i8 · 17 crc u32 ·
 *   21 attributes i16 · 23 last offset delta i32 · 27 base timestamp i64 · 35 max timestamp i64 · 43 producer id i64 ·
 *   51 producer epoch i16 · 53 base sequence i32 · 57 record count i32 · 61 records
 *
 * The checksum covers everything from the attributes to the end, so base offset and leader epoch can be set by a broker
 * without touching it. What always holds: 64-bit fields come back as safe integers or not at all.
 * The getters do not check that the head is whole: ask `batchSize` first. It answers less than `batchOverhead` for
 * everything that cannot be a batch, and the caller compares it with the bytes that are there.
 */
import { FanlaneError } from '../../errors.ts'
import { crc32c } from '../crc32c.ts'
import { readSafeInt64, writeSafeInt64 } from './int64.ts'

/** Bytes before the first record. */
export const batchOverhead = 61
/** Bytes up to the end of the length field: what is needed to know how long a batch is. */
export const logOverhead = 12

const crcAt = 17
const attributesAt = 21

const compressionMask = 0x07
const logAppendTimeBit = 0x08
const transactionalBit = 0x10
const controlBit = 0x20
const deleteHorizonBit = 0x40

/** Size in bytes of the whole batch as its length field tells it; -1 when the length field itself is not all there. */
export function batchSize(buffer: Buffer, at: number): number {
  if (buffer.length - at < logOverhead) return -1
  return logOverhead + buffer.readInt32BE(at + 8)
}

export function baseOffset(buffer: Buffer, at: number): number {
  return readSafeInt64(buffer, at, 'base offset')
}

export function partitionLeaderEpoch(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at + 12)
}

export function magic(buffer: Buffer, at: number): number {
  return buffer.readInt8(at + 16)
}

export function crc(buffer: Buffer, at: number): number {
  return buffer.readUInt32BE(at + crcAt)
}

export function attributes(buffer: Buffer, at: number): number {
  return buffer.readInt16BE(at + attributesAt)
}

export function lastOffsetDelta(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at + 23)
}

/** Offset of the last record; compaction may have removed that record, the batch still ends here. */
export function lastOffset(buffer: Buffer, at: number): number {
  return baseOffset(buffer, at) + lastOffsetDelta(buffer, at)
}

/** Timestamp that the records' deltas count from; with a delete horizon: that horizon (see `hasDeleteHorizon`). */
export function baseTimestamp(buffer: Buffer, at: number): number {
  return readSafeInt64(buffer, at + 27, 'base timestamp')
}

export function maxTimestamp(buffer: Buffer, at: number): number {
  return readSafeInt64(buffer, at + 35, 'max timestamp')
}

export function producerId(buffer: Buffer, at: number): number {
  return readSafeInt64(buffer, at + 43, 'producer id')
}

export function producerEpoch(buffer: Buffer, at: number): number {
  return buffer.readInt16BE(at + 51)
}

export function baseSequence(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at + 53)
}

export function recordCount(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at + 57)
}

export function isTransactional(buffer: Buffer, at: number): boolean {
  return (attributes(buffer, at) & transactionalBit) !== 0
}

/** A batch that a coordinator wrote (transaction markers): consumers never see its records. */
export function isControl(buffer: Buffer, at: number): boolean {
  return (attributes(buffer, at) & controlBit) !== 0
}

/** The broker's clock at append counts, not the producer's: all records have the batch's max timestamp. */
export function isLogAppendTime(buffer: Buffer, at: number): boolean {
  return (attributes(buffer, at) & logAppendTimeBit) !== 0
}

/** Compaction stored in the base timestamp when tombstones of this batch may go. */
export function hasDeleteHorizon(buffer: Buffer, at: number): boolean {
  return (attributes(buffer, at) & deleteHorizonBit) !== 0
}

/** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd; 5 to 7 can be on the wire and mean nothing. */
export function compressionType(buffer: Buffer, at: number): number {
  return attributes(buffer, at) & compressionMask
}

/** Outside the checksum: nothing else has to change. */
export function setBaseOffset(buffer: Buffer, at: number, offset: number): void {
  writeSafeInt64(buffer, at, offset)
}

/** Outside the checksum: nothing else has to change. */
export function setPartitionLeaderEpoch(buffer: Buffer, at: number, epoch: number): void {
  buffer.writeInt32BE(epoch, at + 12)
}

/** From now on the batch and all its records carry this time; the checksum is made anew. */
export function setLogAppendTime(buffer: Buffer, at: number, timestampMs: number): void {
  buffer.writeInt16BE(attributes(buffer, at) | logAppendTimeBit, at + attributesAt)
  writeSafeInt64(buffer, at + 35, timestampMs)
  buffer.writeUInt32BE(computeCrc(buffer, at), at + crcAt)
}

/** The producer's clock counts again, and this is the latest of the records' times; the checksum is made anew. */
export function setCreateTime(buffer: Buffer, at: number, maxTimestampMs: number): void {
  buffer.writeInt16BE(attributes(buffer, at) & ~logAppendTimeBit, at + attributesAt)
  writeSafeInt64(buffer, at + 35, maxTimestampMs)
  buffer.writeUInt32BE(computeCrc(buffer, at), at + crcAt)
}

/** The checksum that the batch ought to have; throws when the batch is not all there. */
export function computeCrc(buffer: Buffer, at: number): number {
  const size = batchSize(buffer, at)
  if (size < batchOverhead || size > buffer.length - at) {
    throw new FanlaneError(
      'BATCH_INVALID',
      `The record batch at ${at} says it has ${size} bytes, ${buffer.length - at} are there. Read the rest of it first; ` +
        'if there is no more, the data is damaged.',
    )
  }
  return crc32c(buffer, at + attributesAt, at + size)
}

/** Never throws: a batch that is not all there does not match. */
export function crcMatches(buffer: Buffer, at: number): boolean {
  const size = batchSize(buffer, at)
  if (size < batchOverhead || size > buffer.length - at) return false
  return crc32c(buffer, at + attributesAt, at + size) === crc(buffer, at)
}
