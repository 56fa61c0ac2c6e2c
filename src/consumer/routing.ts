/** With a key extractor, the lane of each record is what it says; where it fails, the record fails in its own key's lane. */
import { PermanentError } from '../errors.ts'
import type { RawRecord, RecordBatch } from '../ports/log-client.ts'
import type { Decode } from './decoding.ts'
import { laneKeyOf } from './lane-key.ts'
import type { ConsumeOptions } from './options.ts'
import { isThenable } from './thenable.ts'

type KeyOf = NonNullable<ConsumeOptions<unknown, unknown>['keyOf']>

export function router(keyOf: KeyOf | undefined, decode: Decode): (batch: RecordBatch) => RecordBatch {
  if (keyOf === undefined) return (batch) => batch
  return (batch) => {
    const keys: (string | null)[] = []
    const failures = new Map<number, unknown>()
    for (let index = 0; index < batch.count; index++) {
      try {
        keys.push(laneOf(batch.record(index), keyOf, decode))
      } catch (error) {
        keys.push(batch.keys[index] ?? null)
        failures.set(index, error)
      }
    }
    // The hashes are those of the record keys, not of these.
    return { ...batch, keys, hashes: null, failures, record: (index) => batch.record(index) }
  }
}

function laneOf(raw: RawRecord, keyOf: KeyOf, decode: Decode): string | null {
  const record = decode(raw)
  if (isThenable(record)) {
    ignore(record)
    throw new PermanentError(
      `${nameOf(raw)}: keyOf needs the decoded record at once, but a codec returned a promise. Use a codec that decodes synchronously.`,
      { code: 'KEY_OF_ASYNC' },
    )
  }
  const key: unknown = keyOf(record)
  if (key === null) return null
  if (typeof key === 'string' || Buffer.isBuffer(key)) return laneKeyOf(key)
  if (isThenable(key)) ignore(key)
  throw new PermanentError(
    `${nameOf(raw)}: keyOf returned ${isThenable(key) ? 'a promise' : shown(key)}. Return a string, a Buffer, or null for no order, e.g. keyOf: (record) => record.value?.account ?? null.`,
    { code: 'KEY_OF_INVALID' },
  )
}

/** What becomes of it no longer matters: the record has failed already. */
function ignore(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => undefined)
}

function nameOf({ topic, partition, offset }: RawRecord): string {
  return `${topic}-${partition}@${offset}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'undefined'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
