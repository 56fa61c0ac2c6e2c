/** From what a handler sends to what is written: bytes, checked where the handler can still see the error. */
import { FanlaneError } from '../errors.ts'
import type { Header, OutgoingRecord } from '../ports/log-client.ts'
import type { SendRecord } from './handler.ts'

/** Kafka's default `max.message.bytes`; a larger record would be refused by the broker after the handler is gone. */
const MAX_RECORD_BYTES = 1_048_588
/** Offsets, lengths and attributes of one record, and its share of the batch header. */
const OVERHEAD_BYTES = 70

export function toOutgoing(record: SendRecord): OutgoingRecord {
  if (typeof record?.topic !== 'string' || record.topic === '') {
    throw new FanlaneError('SEND_WITHOUT_TOPIC', 'ctx.send needs { topic }: name the topic to write to.')
  }
  const key = toBytes(record.key, 'key')
  const value = toBytes(record.value, 'value')
  const headers = toHeaders(record.headers)
  let size = OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0)
  for (const header of headers) size += header.key.length + (header.value?.length ?? 0) + 4
  if (size > MAX_RECORD_BYTES) {
    throw new FanlaneError(
      'SEND_TOO_LARGE',
      `ctx.send to ${record.topic}: ${size} bytes is more than a broker takes (${MAX_RECORD_BYTES}). Send less, or a reference to it.`,
    )
  }
  return {
    topic: record.topic,
    key,
    value,
    headers,
    size,
    ...(record.partition === undefined ? {} : { partition: record.partition }),
    ...(record.timestamp === undefined ? {} : { timestamp: record.timestamp }),
  }
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
  if (headers === undefined) return []
  if (Array.isArray(headers)) return headers as readonly Header[]
  return Object.entries(headers as Readonly<Record<string, Buffer | string | null>>).map(([key, value]) => ({
    key,
    value: toBytes(value, `header ${key}`),
  }))
}
