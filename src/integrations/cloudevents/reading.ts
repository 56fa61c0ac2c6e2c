/**
 * From a record to its event, by Kafka's protocol binding of CloudEvents 1.0. Which of the two content modes it is in is
 * decided by the header `content-type`: `application/cloudevents+json` is structured, anything else is binary.
 */
import { TextDecoder } from 'node:util'
import type { ConsumedRecord } from '../../index.ts'
import { type CloudEvent, checkAttributes, invalidEvent, shown } from './event.ts'
import { essenceOf, mediaKind } from './media-type.ts'

const PREFIX = 'ce_'
const utf8: TextDecoder = new TextDecoder('utf-8', { fatal: true })

/** The value must be raw bytes: a record without `decode.value`. */
export type EventRecord = Pick<ConsumedRecord<unknown, Buffer>, 'headers' | 'value'>

/** Throws a PermanentError that says what is wrong. */
export function eventOf(record: EventRecord): CloudEvent {
  const { value } = record
  if (value !== null && !Buffer.isBuffer(value)) {
    throw invalidEvent('its value was decoded already: leave decode.value out, the event tells how to read its data.')
  }
  const contentType = header(record, 'content-type')
  const essence = essenceOf(contentType)
  if (!essence.startsWith('application/cloudevents')) return binary(record, contentType)
  if (essence === 'application/cloudevents+json') return structured(value)
  throw invalidEvent(`content-type ${shown(contentType)} is not supported: only application/cloudevents+json is.`)
}

function binary(record: EventRecord, contentType: string | undefined): CloudEvent {
  const attributes: Record<string, unknown> = Object.create(null)
  for (const { key } of record.headers) {
    if (key.startsWith(PREFIX)) attributes[key.slice(PREFIX.length)] = header(record, key)
  }
  if (Object.keys(attributes).length === 0) {
    throw invalidEvent('it has neither ce_ headers nor the content-type application/cloudevents+json.')
  }
  if ('data' in attributes) throw invalidEvent("'data' is the value of the record, not a header.")
  if (contentType !== undefined) attributes.datacontenttype = contentType
  checkAttributes(attributes)
  const data =
    record.value === null ? {} : { data: dataOf(record.value, attributes.datacontenttype as string | undefined) }
  return { ...attributes, ...data } as CloudEvent
}

function dataOf(bytes: Buffer, contentType: string | undefined): unknown {
  const kind = mediaKind(contentType)
  if (kind === 'bytes') return bytes
  const text = textOf(bytes, 'its data')
  return kind === 'text' ? text : jsonOf(text, 'its data')
}

function structured(value: Buffer | null): CloudEvent {
  if (value === null) throw invalidEvent('the record has no value (a tombstone).')
  const parsed = jsonOf(textOf(value, 'the value'), 'the value')
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalidEvent(`the value must be a JSON object, it is ${shown(parsed)}.`)
  }
  const { data, data_base64: base64, ...rest } = parsed as Readonly<Record<string, unknown>>
  // JSON's null is "not set", by the JSON format of CloudEvents.
  const attributes = Object.fromEntries(Object.entries(rest).filter(([, each]) => each !== null))
  checkAttributes(attributes)
  if (base64 === undefined || base64 === null) {
    return { ...attributes, ...(data === undefined ? {} : { data }) } as CloudEvent
  }
  if (data !== undefined) throw invalidEvent("'data' and 'data_base64' are both there: one event has one of them.")
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) {
    throw invalidEvent("'data_base64' is not base64.")
  }
  return { ...attributes, data: Buffer.from(base64, 'base64') } as unknown as CloudEvent
}

function header({ headers }: EventRecord, name: string): string | undefined {
  const found = headers.filter(({ key }) => key === name)
  if (found.length > 1) throw invalidEvent(`the header '${name}' is there ${found.length} times.`)
  const value = found[0]?.value ?? null
  return value === null ? undefined : textOf(value, `the header '${name}'`)
}

function textOf(bytes: Buffer, what: string): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw invalidEvent(`${what} is not UTF-8.`, cause)
  }
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidEvent(`${what} is not JSON: ${(cause as Error).message}.`, cause)
  }
}
