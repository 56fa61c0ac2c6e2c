/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface UnregisterBrokerRequest {
  readonly brokerId: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUnregisterBrokerRequest(r: Reader, _version: number): UnregisterBrokerRequest {
  const brokerId = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { brokerId } : { brokerId, unknownTags }
}

export function writeUnregisterBrokerRequest(w: Writer, value: Input<UnregisterBrokerRequest>, _version: number): void {
  w.int32(value.brokerId ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface UnregisterBrokerResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUnregisterBrokerResponse(r: Reader, _version: number): UnregisterBrokerResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage } : { throttleTimeMs, errorCode, errorMessage, unknownTags }
}

export function writeUnregisterBrokerResponse(w: Writer, value: Input<UnregisterBrokerResponse>, _version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const unregisterBrokerApi: Api<UnregisterBrokerRequest, UnregisterBrokerResponse> = {
  key: 64,
  name: 'UnregisterBroker',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readUnregisterBrokerRequest,
  writeRequest: writeUnregisterBrokerRequest,
  readResponse: readUnregisterBrokerResponse,
  writeResponse: writeUnregisterBrokerResponse,
}
