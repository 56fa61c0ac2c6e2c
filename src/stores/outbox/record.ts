/** What users put into an outbox, and what it becomes: one row, checked inside their transaction, where they can still say no. */
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { FanlaneError } from '../../errors.ts'

export type OutboxBytes = string | Uint8Array

export interface OutboxRecord {
  readonly topic: string
  /** Records of one key are published in the order in which their transactions committed. Null: no order. */
  readonly key?: OutboxBytes | null
  /** Null: a tombstone. */
  readonly value: OutboxBytes | null
  readonly headers?: Readonly<Record<string, OutboxBytes | null>>
  /** Default: by the key, as Kafka's clients do it. */
  readonly partition?: number
}

/** A record on its way into the table. */
export interface OutboxInput {
  /** Unique, for ever: consumers tell duplicates by it. */
  readonly uid: string
  readonly shard: number
  /** What has an order: topic and key. Null: nothing. */
  readonly lane: string | null
  readonly topic: string
  readonly partition: number | null
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** JSON: [[name, base64 or null], …]. */
  readonly headers: string
}

/**
 * A lane is in one shard, and a shard is with one relay at a time: so relays share the work without breaking the order of a
 * key. Not an option: writers and relays that disagree about it would.
 */
export const SHARDS = 16

/** As much as a broker takes by default, with room for headers. */
export const RECORD_BYTES_MAX = 1_000_000

export function toInputs(
  records: OutboxRecord | readonly OutboxRecord[],
  recordBytesMax: number,
): readonly OutboxInput[] {
  const list = (Array.isArray(records) ? records : [records]) as readonly OutboxRecord[]
  return list.map((record) => toInput(record, recordBytesMax))
}

function toInput(record: OutboxRecord, recordBytesMax: number): OutboxInput {
  if (record === null || typeof record !== 'object') throw invalid('a record is { topic, key, value, … }')
  const { topic, partition = null } = record
  if (typeof topic !== 'string' || !/^[\w.-]{1,249}$/.test(topic)) {
    throw invalid(`${JSON.stringify(topic) ?? 'undefined'} is not the name of a topic`)
  }
  if (partition !== null && !(Number.isSafeInteger(partition) && partition >= 0 && partition < 2 ** 31)) {
    throw invalid(`${String(partition)} is not a partition`)
  }
  if (record.value === undefined) throw invalid('it needs { value }; null is a tombstone')
  const key = toBytes(record.key ?? null, 'key')
  const value = toBytes(record.value, 'value')
  const headers = toHeaders(record.headers)
  const bytes = (key?.length ?? 0) + (value?.length ?? 0) + headers.length
  if (bytes > recordBytesMax) {
    throw invalid(`${bytes} bytes are more than recordBytesMax (${recordBytesMax}). Store a reference to it instead`)
  }
  const lane = laneOf(topic, key, partition)
  const uid = randomUUID()
  return { uid, shard: crc32(lane ?? uid) % SHARDS, lane, topic, partition, key, value, headers }
}

/** One text for each key of each topic. Without a key, a chosen partition is what has an order. */
export function laneOf(topic: string, key: Buffer | null, partition: number | null): string | null {
  if (key !== null) return `${topic}/${key.toString('latin1')}`
  return partition === null ? null : `${topic}#${partition}`
}

function toHeaders(headers: OutboxRecord['headers']): string {
  if (headers === undefined) return '[]'
  if (headers === null || typeof headers !== 'object') throw invalid('headers are an object: { name: value }')
  return JSON.stringify(
    Object.entries(headers).map(([name, value]) => [
      name,
      toBytes(value, `header '${name}'`)?.toString('base64') ?? null,
    ]),
  )
}

export function fromHeaders(text: string): (readonly [string, Buffer | null])[] {
  const pairs = JSON.parse(text) as [string, string | null][]
  return pairs.map(([name, value]) => [name, value === null ? null : Buffer.from(value, 'base64')])
}

function toBytes(value: OutboxBytes | null, what: string): Buffer | null {
  if (value === null) return null
  if (typeof value === 'string') return Buffer.from(value)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw invalid(`its ${what} is of type ${typeof value}: give a string or a Buffer, e.g. JSON.stringify(…)`)
}

function invalid(message: string): FanlaneError {
  return new FanlaneError('RECORD_INVALID', `The record cannot be put into the outbox: ${message}.`)
}
