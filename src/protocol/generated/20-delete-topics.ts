/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DeleteTopicState {
  readonly name: string | null
  readonly topicId: Uuid
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteTopicState(r: Reader, _version: number): DeleteTopicState {
  const name = r.nullableString(true)
  const topicId = r.uuid()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, topicId } : { name, topicId, unknownTags }
}

export function writeDeleteTopicState(w: Writer, value: Input<DeleteTopicState>, _version: number): void {
  w.string(value.name ?? null, true)
  w.uuid(value.topicId ?? zeroUuid)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteTopicsRequest {
  readonly topics: readonly DeleteTopicState[] // v6+
  readonly topicNames: readonly string[] // v1–5
  readonly timeoutMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteTopicsRequest(r: Reader, version: number): DeleteTopicsRequest {
  const flexible = version >= 4
  const topics = version >= 6 ? readStructs(r, version, flexible, 18, readDeleteTopicState) : []
  const topicNames = version <= 5 ? readScalars(r, flexible, 1, scalar.string) : []
  const timeoutMs = r.int32()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topics, topicNames, timeoutMs } : { topics, topicNames, timeoutMs, unknownTags }
}

export function writeDeleteTopicsRequest(w: Writer, value: Input<DeleteTopicsRequest>, version: number): void {
  const flexible = version >= 4
  if (version >= 6) {
    {
      const v = value.topics === undefined ? [] : value.topics
      w.count(v.length, flexible)
      for (const e of v) writeDeleteTopicState(w, e, version)
    }
  } else if (value.topics !== undefined && value.topics.length > 0) {
    throw unsupportedField('DeleteTopicsRequest.topics', version)
  }
  if (version <= 5) {
    {
      const v = value.topicNames === undefined ? [] : value.topicNames
      w.count(v.length, flexible)
      for (const e of v) w.string(e, flexible)
    }
  }
  w.int32(value.timeoutMs ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeletableTopicResult {
  readonly name: string | null
  readonly topicId: Uuid // v6+
  readonly errorCode: number
  readonly errorMessage: string | null // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeletableTopicResult(r: Reader, version: number): DeletableTopicResult {
  const flexible = version >= 4
  const name = (version >= 6 ? r.nullableString(flexible) : r.string(flexible))
  const topicId = version >= 6 ? r.uuid() : zeroUuid
  const errorCode = r.int16()
  const errorMessage = version >= 5 ? r.nullableString(flexible) : null
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, errorCode, errorMessage } : { name, topicId, errorCode, errorMessage, unknownTags }
}

export function writeDeletableTopicResult(w: Writer, value: Input<DeletableTopicResult>, version: number): void {
  const flexible = version >= 4
  {
    const v = value.name === undefined ? '' : value.name
    if (!(version >= 6) && v === null) throw unsupportedField('DeleteTopicsResponse.name = null', version)
    w.string(v, flexible)
  }
  if (version >= 6) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  w.int16(value.errorCode ?? 0)
  if (version >= 5) {
    w.string(value.errorMessage ?? null, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteTopicsResponse {
  readonly throttleTimeMs: number
  readonly responses: readonly DeletableTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteTopicsResponse(r: Reader, version: number): DeleteTopicsResponse {
  const flexible = version >= 4
  const throttleTimeMs = r.int32()
  const responses = readStructs(r, version, flexible, 4, readDeletableTopicResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, responses } : { throttleTimeMs, responses, unknownTags }
}

export function writeDeleteTopicsResponse(w: Writer, value: Input<DeleteTopicsResponse>, version: number): void {
  const flexible = version >= 4
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, flexible)
    for (const e of v) writeDeletableTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const deleteTopicsApi: Api<DeleteTopicsRequest, DeleteTopicsResponse> = {
  key: 20,
  name: 'DeleteTopics',
  minVersion: 1,
  maxVersion: 6,
  flexibleFrom: 4,
  readRequest: readDeleteTopicsRequest,
  writeRequest: writeDeleteTopicsRequest,
  readResponse: readDeleteTopicsResponse,
  writeResponse: writeDeleteTopicsResponse,
}
