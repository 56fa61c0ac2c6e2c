/** From an event to a record, in either content mode. The same rules as for reading: a bad event is not written. */
import type { SendRecord } from '../../index.ts'
import { type CloudEvent, checkAttributes, invalidEvent } from './event.ts'
import { mediaKind } from './media-type.ts'

export interface EventRecordOptions {
  readonly topic: string
  /** 'binary' (default): attributes in headers, data as it is. 'structured': all of it as one JSON value. */
  readonly mode?: 'binary' | 'structured'
  /** Default: the extension `partitionkey` of the event, else none. */
  readonly key?: Buffer | string | null
}

/** For `ctx.send` and `producer.send`. */
export type OutgoingEvent = Required<Pick<SendRecord, 'topic' | 'key' | 'value'>> & {
  readonly headers: Readonly<Record<string, string>>
}

export function recordOf(event: CloudEvent, options: EventRecordOptions): OutgoingEvent {
  const { data, ...attributes } = event
  checkAttributes(attributes)
  const { topic, mode = 'binary' } = options
  const partitionKey = attributes.partitionkey
  const key = options.key ?? (partitionKey === undefined ? null : String(partitionKey))
  return mode === 'structured'
    ? { topic, key, ...structured(attributes, data) }
    : { topic, key, ...binary(attributes, data) }
}

type Written = Pick<OutgoingEvent, 'value' | 'headers'>
type Attributes = Readonly<Record<string, unknown>>

function binary(attributes: Attributes, data: unknown): Written {
  const { datacontenttype, ...rest } = attributes
  const contentType = (datacontenttype as string | undefined) ?? defaultType(data)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) headers[`ce_${name}`] = String(value)
  if (contentType !== undefined) headers['content-type'] = contentType
  return { value: bytesOf(data, contentType), headers }
}

/** What says nothing about itself is written so that a reader gets back what was given. */
function defaultType(data: unknown): string | undefined {
  return data === undefined || Buffer.isBuffer(data) ? undefined : 'application/json'
}

function bytesOf(data: unknown, contentType: string | undefined): Buffer | string | null {
  if (data === undefined) return null
  if (Buffer.isBuffer(data)) return data
  const kind = mediaKind(contentType)
  if (kind === 'json') return jsonText(data)
  if (typeof data === 'string') return data
  throw invalidEvent(`data of type ${contentType} must be bytes or text: encode it, or set datacontenttype.`)
}

function structured(attributes: Attributes, data: unknown): Written {
  const body = Buffer.isBuffer(data) ? { data_base64: data.toString('base64') } : data === undefined ? {} : { data }
  return {
    value: jsonText({ ...attributes, ...body }),
    headers: { 'content-type': 'application/cloudevents+json; charset=UTF-8' },
  }
}

function jsonText(data: unknown): string {
  try {
    const text = JSON.stringify(data)
    if (text !== undefined) return text
  } catch (cause) {
    throw invalidEvent(`its data cannot be written as JSON: ${(cause as Error).message}.`, cause)
  }
  throw invalidEvent('its data cannot be written as JSON: it is a function or a symbol.')
}
