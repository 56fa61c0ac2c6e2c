/**
 * 64-bit fields as plain numbers. Outside the safe range neighbours would fall together, and nothing that is real gets
 * there, so such a value is an error and never a rounded number.
 */
import { FanlaneError } from '../../errors.ts'

const twoTo32 = 0x1_0000_0000

export function readSafeInt64(buffer: Buffer, at: number, field: string): number {
  const value = buffer.readInt32BE(at) * twoTo32 + buffer.readUInt32BE(at + 4)
  if (Number.isSafeInteger(value)) return value
  throw new FanlaneError(
    'BATCH_INVALID',
    `The ${field} of a record batch, ${buffer.readBigInt64BE(at)}, is outside ±(2^53 - 1). No producer or broker reaches ` +
      'such numbers: the data is damaged.',
  )
}

export function writeSafeInt64(buffer: Buffer, at: number, value: number): void {
  const high = Math.floor(value / twoTo32)
  buffer.writeInt32BE(high, at)
  buffer.writeUInt32BE(value - high * twoTo32, at + 4)
}
