/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface FindCoordinatorRequest {
  readonly key: string // v0–3
  readonly keyType: number // v1+
  readonly coordinatorKeys: readonly string[] // v4+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFindCoordinatorRequest(r: Reader, version: number): FindCoordinatorRequest {
  const flexible = version >= 3
  const key = version <= 3 ? r.string(flexible) : ''
  const keyType = version >= 1 ? r.int8() : 0
  const coordinatorKeys = version >= 4 ? readScalars(r, flexible, 1, scalar.string) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { key, keyType, coordinatorKeys } : { key, keyType, coordinatorKeys, unknownTags }
}

export function writeFindCoordinatorRequest(w: Writer, value: Input<FindCoordinatorRequest>, version: number): void {
  const flexible = version >= 3
  if (version <= 3) {
    w.string(value.key ?? '', flexible)
  } else if (value.key !== undefined && value.key !== '') {
    throw unsupportedField('FindCoordinatorRequest.key', version)
  }
  if (version >= 1) {
    w.int8(value.keyType ?? 0)
  } else if (value.keyType !== undefined && value.keyType !== 0) {
    throw unsupportedField('FindCoordinatorRequest.keyType', version)
  }
  if (version >= 4) {
    {
      const v = value.coordinatorKeys === undefined ? [] : value.coordinatorKeys
      w.count(v.length, flexible)
      for (const e of v) w.string(e, flexible)
    }
  } else if (value.coordinatorKeys !== undefined && value.coordinatorKeys.length > 0) {
    throw unsupportedField('FindCoordinatorRequest.coordinatorKeys', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface Coordinator {
  readonly key: string
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCoordinator(r: Reader, _version: number): Coordinator {
  const key = r.string(true)
  const nodeId = r.int32()
  const host = r.string(true)
  const port = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { key, nodeId, host, port, errorCode, errorMessage } : { key, nodeId, host, port, errorCode, errorMessage, unknownTags }
}

export function writeCoordinator(w: Writer, value: Input<Coordinator>, _version: number): void {
  w.string(value.key ?? '', true)
  w.int32(value.nodeId ?? 0)
  w.string(value.host ?? '', true)
  w.int32(value.port ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface FindCoordinatorResponse {
  readonly throttleTimeMs: number // v1+
  readonly errorCode: number // v0–3
  readonly errorMessage: string | null // v1–3
  readonly nodeId: number // v0–3
  readonly host: string // v0–3
  readonly port: number // v0–3
  readonly coordinators: readonly Coordinator[] // v4+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFindCoordinatorResponse(r: Reader, version: number): FindCoordinatorResponse {
  const flexible = version >= 3
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const errorCode = version <= 3 ? r.int16() : 0
  const errorMessage = version >= 1 && version <= 3 ? r.nullableString(flexible) : ''
  const nodeId = version <= 3 ? r.int32() : 0
  const host = version <= 3 ? r.string(flexible) : ''
  const port = version <= 3 ? r.int32() : 0
  const coordinators = version >= 4 ? readStructs(r, version, flexible, 14, readCoordinator) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, nodeId, host, port, coordinators } : { throttleTimeMs, errorCode, errorMessage, nodeId, host, port, coordinators, unknownTags }
}

export function writeFindCoordinatorResponse(w: Writer, value: Input<FindCoordinatorResponse>, version: number): void {
  const flexible = version >= 3
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  if (version <= 3) {
    w.int16(value.errorCode ?? 0)
  }
  if (version >= 1 && version <= 3) {
    {
      const v = value.errorMessage === undefined ? '' : value.errorMessage
      w.string(v, flexible)
    }
  }
  if (version <= 3) {
    w.int32(value.nodeId ?? 0)
  }
  if (version <= 3) {
    w.string(value.host ?? '', flexible)
  }
  if (version <= 3) {
    w.int32(value.port ?? 0)
  }
  if (version >= 4) {
    {
      const v = value.coordinators === undefined ? [] : value.coordinators
      w.count(v.length, flexible)
      for (const e of v) writeCoordinator(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const findCoordinatorApi: Api<FindCoordinatorRequest, FindCoordinatorResponse> = {
  key: 10,
  name: 'FindCoordinator',
  minVersion: 0,
  maxVersion: 6,
  flexibleFrom: 3,
  readRequest: readFindCoordinatorRequest,
  writeRequest: writeFindCoordinatorRequest,
  readResponse: readFindCoordinatorResponse,
  writeResponse: writeFindCoordinatorResponse,
}
