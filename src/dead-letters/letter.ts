/**
 * A dead letter as people and programs see it. Whoever wrote the record may have written anything: what a header does not say,
 * or says in a way that makes no sense, is null, and nothing here throws.
 */
import type { Header, RawRecord } from '../ports/log-client.ts'

export interface LetterSource {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export interface Letter {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly at: number
  /** Text, or `base64:…`; cut where it is long. */
  readonly key: string | null
  /** Where it came from; null where its headers do not say. */
  readonly source: LetterSource | null
  readonly group: string | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly attempts: number | null
  readonly redriven: boolean
}

export interface LetterContent {
  readonly letter: Letter
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly { readonly key: string; readonly value: string | null }[]
}

const KEY_MAX_CHARS = 256
const TEXT_MAX_CHARS = 2_000

const SOURCE = 'fanlane-source-'
const ORIGIN = 'fanlane-origin-'

export function letterOf(record: RawRecord, redriven: boolean): Letter {
  const { topic, partition, offset, timestamp, key } = record
  const said = lastOf(record.headers)
  return {
    topic,
    partition,
    offset,
    at: timestamp,
    key: cut(readable(key), KEY_MAX_CHARS),
    source: placeOf(said, SOURCE),
    group: cut(textOf(said.get('fanlane-group')), TEXT_MAX_CHARS),
    errorCode: cut(textOf(said.get('fanlane-error-code')), TEXT_MAX_CHARS),
    errorMessage: cut(textOf(said.get('fanlane-error-message')), TEXT_MAX_CHARS),
    attempts: wholeOf(said.get('fanlane-attempts')),
    redriven,
  }
}

export function contentOf(record: RawRecord, redriven: boolean): LetterContent {
  return {
    letter: letterOf(record, redriven),
    key: readable(record.key),
    value: readable(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, value: readable(value) })),
  }
}

/** Where a letter that failed again came from first, if its headers say so. */
export function originOf({ headers }: RawRecord): LetterSource | null {
  return placeOf(lastOf(headers), ORIGIN)
}

/** A header that comes several times: the last one counts, as everywhere. */
function lastOf(headers: readonly Header[]): ReadonlyMap<string, Buffer | null> {
  return new Map(headers.map(({ key, value }) => [key, value]))
}

function placeOf(said: ReadonlyMap<string, Buffer | null>, prefix: string): LetterSource | null {
  const topic = textOf(said.get(`${prefix}topic`))
  const partition = wholeOf(said.get(`${prefix}partition`))
  const offset = wholeOf(said.get(`${prefix}offset`))
  if (topic === null || partition === null || offset === null) return null
  const isName = /^[a-zA-Z0-9._-]{1,249}$/.test(topic) && topic !== '.' && topic !== '..'
  return isName && partition < 2 ** 31 ? { topic, partition, offset } : null
}

/** Text, or null where the bytes are none. */
function textOf(bytes: Buffer | null | undefined): string | null {
  if (bytes === null || bytes === undefined) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}

function wholeOf(bytes: Buffer | null | undefined): number | null {
  const text = bytes === null || bytes === undefined || bytes.length > 15 ? '' : bytes.toString('latin1')
  return /^\d+$/.test(text) ? Number(text) : null
}

function readable(bytes: Buffer | null): string | null {
  if (bytes === null) return null
  return textOf(bytes) ?? `base64:${bytes.toString('base64')}`
}

function cut(text: string | null, chars: number): string | null {
  return text === null || text.length <= chars ? text : `${text.slice(0, chars)}…`
}
