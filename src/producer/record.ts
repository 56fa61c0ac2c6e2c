/**
 * What users hand in, and what it becomes: bytes, checked before anything is sent. Strings are UTF-8; headers keep their
 * order and may repeat if they are given as pairs.
 */
import { FanlaneError } from '../errors.ts'
import type { BatchRecord } from '../protocol/record-batch/writer.ts'

export type Bytes = string | Uint8Array

export type ProducerHeaders =
  | Readonly<Record<string, Bytes | null>>
  | readonly (readonly [name: string, value: Bytes | null])[]

export interface ProducerRecord {
  readonly topic: string
  /** Null or left out: no key. An empty key is a key. */
  readonly key?: Bytes | null
  /** Null: a tombstone. */
  readonly value: Bytes | null
  readonly headers?: ProducerHeaders
  /** Default: by the partitioner. */
  readonly partition?: number
  /** Milliseconds since the epoch; default now. */
  readonly timestamp?: number
}

/** A record on its way into a batch. */
export interface Outgoing extends BatchRecord {
  readonly topic: string
  readonly partition: number | null
  /** What it takes in a batch, at most; what it counts in the buffer. */
  readonly cost: number
}

/** Everything but key, value and headers: length, attributes, time, offset and the lengths of both, at their longest. */
const fixedBytes = 36
const headerBytes = 10
/** Where a timestamp stops being one: the batch writes differences of them, doubled. */
const maxTimestamp = 2 ** 52 - 1
/** More does not fit into any batch. */
const maxBytes = 2 ** 30

export function toOutgoing(record: ProducerRecord, nowMs: number): Outgoing {
  if (record === null || typeof record !== 'object') throw invalid('a record is { topic, key, value, … }')
  const { topic, partition = null, timestamp = nowMs } = record
  if (typeof topic !== 'string' || topic === '') throw invalid('it needs { topic }: name the topic to write to')
  const key = toBytes(record.key, 'key')
  if (record.value === undefined) throw invalid('it needs { value }; null is a tombstone')
  const value = toBytes(record.value, 'value')
  if (partition !== null && !isWhole(partition, 0x7fff_ffff)) throw invalid(`${String(partition)} is not a partition`)
  if (!isWhole(timestamp, maxTimestamp)) {
    throw invalid(`${String(timestamp)} is not a timestamp: give milliseconds since 1970 as a whole number`)
  }
  const cost = fixedBytes + (key === null ? 0 : key.length) + (value === null ? 0 : value.length)
  if (record.headers === undefined) return fitting({ topic, partition, key, value, timestampMs: timestamp, cost })
  const headers = toHeaders(record.headers)
  return fitting({ topic, partition, key, value, headers, timestampMs: timestamp, cost: cost + sizeOf(headers) })
}

function fitting(record: Outgoing): Outgoing {
  if (record.cost <= maxBytes) return record
  throw invalid(`${record.cost} bytes are more than any broker takes. Send a reference to it`)
}

/** How much the headers add to a record, at most. */
export function sizeOf(headers: NonNullable<BatchRecord['headers']>): number {
  let size = 0
  for (const [name, value] of headers) size += headerBytes + Buffer.byteLength(name) + (value?.length ?? 0)
  return size
}

function toHeaders(headers: ProducerHeaders): (readonly [string, Uint8Array | null])[] {
  if (headers === null || typeof headers !== 'object')
    throw invalid('headers are an object, or a list of [name, value]')
  const pairs: readonly (readonly [string, Bytes | null])[] = Array.isArray(headers) ? headers : Object.entries(headers)
  return pairs.map((pair) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') throw invalid('a header in a list is [name, value]')
    return [pair[0], toBytes(pair[1], `header '${pair[0]}'`)]
  })
}

function toBytes(value: Bytes | null | undefined, what: string): Uint8Array | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return Buffer.from(value)
  if (value instanceof Uint8Array) return value
  throw invalid(`its ${what} is of type ${typeof value}: give a string or a Buffer, e.g. JSON.stringify(…)`)
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
}

export function invalid(message: string): FanlaneError {
  return new FanlaneError('RECORD_INVALID', `The record cannot be sent: ${message}.`)
}
