/** Raw bytes unless codecs are given; then they are decoded when the record runs, not before. */
import type { Codec, ConsumedRecord } from '../engines/handler.ts'
import { type FanlaneError, PermanentError, RetryableError } from '../errors.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { ConsumeOptions } from './options.ts'
import { isThenable } from './thenable.ts'

type Decoded = ConsumedRecord<unknown, unknown>
export type Decode = (record: RawRecord) => Decoded | Promise<Decoded>

/**
 * Bytes do not get better by trying again: whatever a codec throws, and whatever a promise of it rejects with, is a
 * permanent failure of its record (P8). Unless it says otherwise, with a RetryableError: what it needed was not there.
 */
export function decoder({ decode }: Pick<ConsumeOptions<unknown, unknown>, 'decode'>): Decode {
  if (decode === undefined) return (record) => record
  return (record) => {
    const key = decoded(record, 'key', decode.key)
    const value = decoded(record, 'value', decode.value)
    if (!isThenable(key) && !isThenable(value)) return { ...record, key, value }
    return together(record, key, value)
  }
}

function decoded(record: RawRecord, part: 'key' | 'value', codec: Codec<unknown> | undefined): unknown {
  const bytes = record[part]
  if (bytes === null || codec === undefined) return bytes
  try {
    const result = codec.decode(bytes)
    if (!isThenable(result)) return result
    return Promise.resolve(result).catch((error) => {
      throw decodeFailed(record, part, error)
    })
  } catch (error) {
    throw decodeFailed(record, part, error)
  }
}

async function together(record: RawRecord, key: unknown, value: unknown): Promise<Decoded> {
  const [decodedKey, decodedValue] = await Promise.all([key, value])
  return { ...record, key: decodedKey, value: decodedValue }
}

function decodeFailed({ topic, partition, offset }: RawRecord, part: string, cause: unknown): FanlaneError {
  if (cause instanceof RetryableError) return cause
  const said = cause instanceof Error ? cause.message : String(cause)
  return new PermanentError(`${topic}-${partition}@${offset}: the ${part} cannot be decoded. ${said}`, {
    code: 'DECODE_FAILED',
    cause,
  })
}
