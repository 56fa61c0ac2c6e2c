/**
 * How this folder says no. Input comes from sockets and disks, so every complaint is a FanlaneError with a code to branch
 * on; nothing here is retriable, the same bytes give the same answer again.
 */
import { FanlaneError } from '../../errors.ts'

/** The bytes are not a record batch, or not a consistent one. */
export function invalid(message: string): FanlaneError {
  return new FanlaneError(
    'BATCH_INVALID',
    `Record batch refused: ${message}. The data is damaged or its writer is broken.`,
  )
}

/** The compressed records cannot be unpacked. */
export function undecodable(codec: string, message: string, cause?: unknown): FanlaneError {
  const text = `Compressed records (${codec}) cannot be unpacked: ${message}. The data is damaged or its writer is broken.`
  return new FanlaneError('DECOMPRESSION_FAILED', text, { cause })
}

/** The compressed records would unpack to more than the caller allows. */
export function tooLarge(codec: string, limit: number): FanlaneError {
  return new FanlaneError(
    'DECOMPRESSED_TOO_LARGE',
    `Compressed records (${codec}) unpack to more than ${limit} bytes. Let the producer send smaller batches, ` +
      'or raise the limit if you trust it.',
  )
}
