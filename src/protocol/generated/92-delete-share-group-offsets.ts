/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DeleteShareGroupOffsetsRequestTopic {
  readonly topicName: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupOffsetsRequestTopic(r: Reader, _version: number): DeleteShareGroupOffsetsRequestTopic {
  const topicName = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName } : { topicName, unknownTags }
}

export function writeDeleteShareGroupOffsetsRequestTopic(w: Writer, value: Input<DeleteShareGroupOffsetsRequestTopic>, _version: number): void {
  w.string(value.topicName ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteShareGroupOffsetsRequest {
  readonly groupId: string
  readonly topics: readonly DeleteShareGroupOffsetsRequestTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupOffsetsRequest(r: Reader, version: number): DeleteShareGroupOffsetsRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 2, readDeleteShareGroupOffsetsRequestTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeDeleteShareGroupOffsetsRequest(w: Writer, value: Input<DeleteShareGroupOffsetsRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDeleteShareGroupOffsetsRequestTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteShareGroupOffsetsResponseTopic {
  readonly topicName: string
  readonly topicId: Uuid
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupOffsetsResponseTopic(r: Reader, _version: number): DeleteShareGroupOffsetsResponseTopic {
  const topicName = r.string(true)
  const topicId = r.uuid()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, topicId, errorCode, errorMessage } : { topicName, topicId, errorCode, errorMessage, unknownTags }
}

export function writeDeleteShareGroupOffsetsResponseTopic(w: Writer, value: Input<DeleteShareGroupOffsetsResponseTopic>, _version: number): void {
  w.string(value.topicName ?? '', true)
  w.uuid(value.topicId ?? zeroUuid)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteShareGroupOffsetsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly responses: readonly DeleteShareGroupOffsetsResponseTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupOffsetsResponse(r: Reader, version: number): DeleteShareGroupOffsetsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const responses = readStructs(r, version, true, 21, readDeleteShareGroupOffsetsResponseTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, responses } : { throttleTimeMs, errorCode, errorMessage, responses, unknownTags }
}

export function writeDeleteShareGroupOffsetsResponse(w: Writer, value: Input<DeleteShareGroupOffsetsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, true)
    for (const e of v) writeDeleteShareGroupOffsetsResponseTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const deleteShareGroupOffsetsApi: Api<DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse> = {
  key: 92,
  name: 'DeleteShareGroupOffsets',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDeleteShareGroupOffsetsRequest,
  writeRequest: writeDeleteShareGroupOffsetsRequest,
  readResponse: readDeleteShareGroupOffsetsResponse,
  writeResponse: writeDeleteShareGroupOffsetsResponse,
}
