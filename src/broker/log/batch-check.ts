/**
 * Is this a whole, undamaged batch, and the one that belongs here? Base offset, length, magic and leader epoch lie outside
 * the checksum, so they are compared with what must stand there. Nothing in here throws, whatever the bytes are.
 */
import * as header from '../../protocol/record-batch/header.ts'

const magicOfBatches = 2

/** Size of the batch that starts here if its length is possible at all, else 0. It may reach over the end of the buffer. */
export function plausibleSize(buffer: Buffer, at: number): number {
  const size = header.batchSize(buffer, at)
  return size >= header.batchOverhead ? size : 0
}

/** The base offset if it is one, else -1. */
export function safeBaseOffset(buffer: Buffer, at: number): number {
  const high = buffer.readInt32BE(at)
  // 2^21 is where safe integers end.
  return high < 0 || high >= 0x20_0000 ? -1 : high * 0x1_0000_0000 + buffer.readUInt32BE(at + 4)
}

/** What a batch in this place of a log has to be. */
export interface Expected {
  /** Its base offset is not below this one. */
  readonly offset: number
  /** Compaction leaves holes; elsewhere the base offset is exactly that. */
  readonly dense: boolean
}

/** The batch is all there, undamaged, and follows what came before. */
export function isSound(buffer: Buffer, at: number, expected: Expected): boolean {
  const size = plausibleSize(buffer, at)
  if (size === 0 || size > buffer.length - at) return false
  if (header.magic(buffer, at) !== magicOfBatches || header.lastOffsetDelta(buffer, at) < 0) return false
  const base = safeBaseOffset(buffer, at)
  if (base < expected.offset || (expected.dense && base !== expected.offset)) return false
  return header.crcMatches(buffer, at)
}

/** One batch, all of it and nothing else, and its head can be read: everything else in it is for others to judge. */
export function isWhole(batch: Buffer): boolean {
  if (plausibleSize(batch, 0) !== batch.length || header.magic(batch, 0) !== magicOfBatches) return false
  if (header.lastOffsetDelta(batch, 0) < 0) return false
  return [27, 35, 43].every((at) => isSafeInt64(batch, at))
}

/** Of base timestamp, max timestamp and producer id: the log computes with them. */
function isSafeInt64(buffer: Buffer, at: number): boolean {
  const high = buffer.readInt32BE(at)
  return high >= -0x20_0000 && high < 0x20_0000
}
