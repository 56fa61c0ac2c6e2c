/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface RequestHeader {
  readonly requestApiKey: number
  readonly requestApiVersion: number
  readonly correlationId: number
  readonly clientId: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readRequestHeader(r: Reader, version: number): RequestHeader {
  const flexible = version >= 2
  const requestApiKey = r.int16()
  const requestApiVersion = r.int16()
  const correlationId = r.int32()
  const clientId = r.nullableString(false)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { requestApiKey, requestApiVersion, correlationId, clientId } : { requestApiKey, requestApiVersion, correlationId, clientId, unknownTags }
}

export function writeRequestHeader(w: Writer, value: Input<RequestHeader>, version: number): void {
  const flexible = version >= 2
  w.int16(value.requestApiKey ?? 0)
  w.int16(value.requestApiVersion ?? 0)
  w.int32(value.correlationId ?? 0)
  {
    const v = value.clientId === undefined ? '' : value.clientId
    w.string(v, false)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}
export const requestHeaderVersions = { min: 1, max: 2 } as const
