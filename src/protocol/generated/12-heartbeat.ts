/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface HeartbeatRequest {
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readHeartbeatRequest(r: Reader, version: number): HeartbeatRequest {
  const flexible = version >= 4
  const groupId = r.string(flexible)
  const generationId = r.int32()
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 3 ? r.nullableString(flexible) : null
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, generationId, memberId, groupInstanceId } : { groupId, generationId, memberId, groupInstanceId, unknownTags }
}

export function writeHeartbeatRequest(w: Writer, value: Input<HeartbeatRequest>, version: number): void {
  const flexible = version >= 4
  w.string(value.groupId ?? '', flexible)
  w.int32(value.generationId ?? 0)
  w.string(value.memberId ?? '', flexible)
  if (version >= 3) {
    w.string(value.groupInstanceId ?? null, flexible)
  } else if (value.groupInstanceId !== undefined && value.groupInstanceId !== null) {
    throw unsupportedField('HeartbeatRequest.groupInstanceId', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface HeartbeatResponse {
  readonly throttleTimeMs: number // v1+
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readHeartbeatResponse(r: Reader, version: number): HeartbeatResponse {
  const flexible = version >= 4
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode } : { throttleTimeMs, errorCode, unknownTags }
}

export function writeHeartbeatResponse(w: Writer, value: Input<HeartbeatResponse>, version: number): void {
  const flexible = version >= 4
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const heartbeatApi: Api<HeartbeatRequest, HeartbeatResponse> = {
  key: 12,
  name: 'Heartbeat',
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 4,
  readRequest: readHeartbeatRequest,
  writeRequest: writeHeartbeatRequest,
  readResponse: readHeartbeatResponse,
  writeResponse: writeHeartbeatResponse,
}
