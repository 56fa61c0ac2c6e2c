/** The option `dedup`, with its defaults, and where the id of a record comes from. */
import type { ConsumedRecord } from '../engines/handler.ts'
import { PermanentError } from '../errors.ts'
import type { DedupStore } from '../ports/dedup.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Decode } from './decoding.ts'
import { isThenable } from './thenable.ts'

export interface DedupOptions<Key = Buffer, Value = Buffer> {
  readonly store: DedupStore
  /**
   * What must not happen twice, e.g. an order number. Default: this very record in this group, by topic, partition, offset
   * and timestamp. What it throws fails the record for good.
   */
  readonly idOf?: (record: ConsumedRecord<Key, Value>) => string
  /** A crash locks the ids that were being worked on for so long. Renewed while a handler runs. Default 10 s. */
  readonly claimMs?: number
  /** A store that does not answer for so long counts as failed. Default 10 s. */
  readonly timeoutMs?: number
}

export interface CheckedDedup {
  readonly store: DedupStore
  readonly idOf: DedupOptions<unknown, unknown>['idOf']
  readonly claimMs: number
  readonly timeoutMs: number
}

/** As much as every store takes as a key. */
const ID_BYTES_MAX = 1_024

export function dedupOf(dedup: DedupStore | DedupOptions<unknown, unknown> | undefined): CheckedDedup | null {
  if (dedup === undefined) return null
  const {
    store,
    idOf,
    claimMs = 10_000,
    timeoutMs = 10_000,
  }: DedupOptions<unknown, unknown> = 'store' in dedup ? dedup : { store: dedup }
  return { store, idOf, claimMs, timeoutMs }
}

/** Whatever goes wrong here is wrong with the record, and will be at the next try. */
export function idExtractor(
  idOf: NonNullable<DedupOptions<unknown, unknown>['idOf']>,
  decode: Decode,
): (record: RawRecord) => string | Promise<string> {
  return (raw) => {
    const record = decode(raw)
    return isThenable(record) ? record.then((decoded) => idFrom(raw, decoded, idOf)) : idFrom(raw, record, idOf)
  }
}

function idFrom(
  raw: RawRecord,
  record: ConsumedRecord<unknown, unknown>,
  idOf: NonNullable<DedupOptions<unknown, unknown>['idOf']>,
): string {
  const id = asked(raw, record, idOf)
  if (typeof id === 'string' && isUsable(id)) return id
  if (isThenable(id)) id.then(undefined, () => undefined)
  throw failed(
    raw,
    `returned ${shown(id)}. Return a text of 1 to ${ID_BYTES_MAX} bytes without NUL, the same for what is the same`,
  )
}

/** No database keeps NUL or half a surrogate pair in a text: one such id would stop all others that are asked for with it. */
function isUsable(id: string): boolean {
  return id !== '' && Buffer.byteLength(id) <= ID_BYTES_MAX && id.isWellFormed() && !id.includes('\0')
}

function asked(
  raw: RawRecord,
  record: ConsumedRecord<unknown, unknown>,
  idOf: NonNullable<DedupOptions<unknown, unknown>['idOf']>,
): unknown {
  try {
    return idOf(record)
  } catch (cause) {
    throw failed(raw, `threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function failed({ topic, partition, offset }: RawRecord, how: string, cause?: unknown): PermanentError {
  return new PermanentError(`${topic}-${partition}@${offset}: dedup.idOf ${how}.`, { code: 'DEDUP_ID_INVALID', cause })
}

function shown(id: unknown): string {
  if (typeof id === 'string') return id === '' ? 'an empty text' : `a text of ${Buffer.byteLength(id)} bytes`
  if (isThenable(id)) return 'a promise'
  return id === null || id === undefined ? String(id) : `a ${typeof id}`
}
