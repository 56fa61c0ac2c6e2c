/**
 * From what a handler sends to what is written: bytes, checked where the handler can still see the error. What passes here
 * can be refused only by the broker itself. Nothing of a call is kept unless all of it passes.
 */
import { FanlaneError } from '../errors.ts'
import type { Header, OutgoingRecord } from '../ports/log-client.ts'
import type { SendRecord } from './handler.ts'

/** Kafka's default `max.message.bytes`; a larger record would be refused by the broker after the handler is gone. */
const MAX_RECORD_BYTES = 1_048_588
/** Offsets, lengths and attributes of one record, and its share of the batch header. */
const OVERHEAD_BYTES = 70
const HEADER_OVERHEAD_BYTES = 10
/** Kafka's rules: these characters, so many, and neither of the names that mean directories. */
const TOPIC_NAME = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/
const PARTITION_MAX = 2 ** 31 - 1
/** Where a timestamp stops being one: batches write differences of them, doubled. */
const TIMESTAMP_MAX = 2 ** 52 - 1

export function toOutgoing(record: SendRecord): OutgoingRecord {
  const topic = checkedTopic(record)
  const { partition, timestamp } = record
  const key = toBytes(record.key, 'key')
  const value = toBytes(record.value, 'value')
  const headers = toHeaders(record.headers)
  if (partition !== undefined && !isWhole(partition, PARTITION_MAX)) throw invalid('partition', 'a whole number from 0')
  if (timestamp !== undefined && !isWhole(timestamp, TIMESTAMP_MAX)) {
    throw invalid('timestamp', 'milliseconds since 1970, as a whole number')
  }
  let size = OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0)
  for (const header of headers) {
    size += Buffer.byteLength(header.key) + (header.value?.length ?? 0) + HEADER_OVERHEAD_BYTES
  }
  if (size > MAX_RECORD_BYTES) {
    throw new FanlaneError(
      'SEND_TOO_LARGE',
      `ctx.send to ${topic}: ${size} bytes is more than a broker takes (${MAX_RECORD_BYTES}). Send less, or a reference to it.`,
    )
  }
  return {
    topic,
    key,
    value,
    headers,
    size,
    ...(partition === undefined ? {} : { partition }),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}

function checkedTopic(record: SendRecord): string {
  const topic: unknown = record?.topic
  if (typeof topic !== 'string' || topic === '') {
    throw new FanlaneError('SEND_WITHOUT_TOPIC', 'ctx.send needs { topic }: name the topic to write to.')
  }
  if (TOPIC_NAME.test(topic)) return topic
  throw new FanlaneError(
    'SEND_TOPIC_INVALID',
    `ctx.send: '${topic.slice(0, 60)}' is no name of a topic. Use letters, digits, '.', '_' and '-', at most 249 of them.`,
  )
}

function toBytes(value: Buffer | string | null | undefined, what: string): Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return Buffer.from(value)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new FanlaneError(
    'SEND_NOT_BYTES',
    `ctx.send: the ${what} is a ${typeof value}; give a string or a Buffer, e.g. JSON.stringify(…).`,
  )
}

function toHeaders(headers: SendRecord['headers']): readonly Header[] {
  if (headers === undefined || headers === null) return []
  if (typeof headers !== 'object') throw invalid('headers', 'an object, or a list of { key, value }')
  const pairs: (readonly [string, Buffer | string | null])[] = Array.isArray(headers)
    ? (headers as readonly Header[]).map((each) => [each?.key, each?.value])
    : Object.entries(headers as Readonly<Record<string, Buffer | string | null>>)
  return pairs.map(([key, value]) => {
    if (typeof key !== 'string') throw invalid('headers', 'a list of { key, value } with a string as key')
    return { key, value: toBytes(value, `header ${key}`) }
  })
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
}

function invalid(what: string, wanted: string): FanlaneError {
  return new FanlaneError('SEND_INVALID', `ctx.send: ${what} must be ${wanted}.`)
}
