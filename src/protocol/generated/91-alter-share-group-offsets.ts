/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AlterShareGroupOffsetsRequestPartition {
  readonly partitionIndex: number
  readonly startOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsRequestPartition(r: Reader, _version: number): AlterShareGroupOffsetsRequestPartition {
  const partitionIndex = r.int32()
  const startOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, startOffset } : { partitionIndex, startOffset, unknownTags }
}

export function writeAlterShareGroupOffsetsRequestPartition(w: Writer, value: Input<AlterShareGroupOffsetsRequestPartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.startOffset ?? 0n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterShareGroupOffsetsRequestTopic {
  readonly topicName: string
  readonly partitions: readonly AlterShareGroupOffsetsRequestPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsRequestTopic(r: Reader, version: number): AlterShareGroupOffsetsRequestTopic {
  const topicName = r.string(true)
  const partitions = readStructs(r, version, true, 13, readAlterShareGroupOffsetsRequestPartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitions } : { topicName, partitions, unknownTags }
}

export function writeAlterShareGroupOffsetsRequestTopic(w: Writer, value: Input<AlterShareGroupOffsetsRequestTopic>, version: number): void {
  w.string(value.topicName ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeAlterShareGroupOffsetsRequestPartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterShareGroupOffsetsRequest {
  readonly groupId: string
  readonly topics: readonly AlterShareGroupOffsetsRequestTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsRequest(r: Reader, version: number): AlterShareGroupOffsetsRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 3, readAlterShareGroupOffsetsRequestTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeAlterShareGroupOffsetsRequest(w: Writer, value: Input<AlterShareGroupOffsetsRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeAlterShareGroupOffsetsRequestTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterShareGroupOffsetsResponsePartition {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsResponsePartition(r: Reader, _version: number): AlterShareGroupOffsetsResponsePartition {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage } : { partitionIndex, errorCode, errorMessage, unknownTags }
}

export function writeAlterShareGroupOffsetsResponsePartition(w: Writer, value: Input<AlterShareGroupOffsetsResponsePartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterShareGroupOffsetsResponseTopic {
  readonly topicName: string
  readonly topicId: Uuid
  readonly partitions: readonly AlterShareGroupOffsetsResponsePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsResponseTopic(r: Reader, version: number): AlterShareGroupOffsetsResponseTopic {
  const topicName = r.string(true)
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 8, readAlterShareGroupOffsetsResponsePartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, topicId, partitions } : { topicName, topicId, partitions, unknownTags }
}

export function writeAlterShareGroupOffsetsResponseTopic(w: Writer, value: Input<AlterShareGroupOffsetsResponseTopic>, version: number): void {
  w.string(value.topicName ?? '', true)
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeAlterShareGroupOffsetsResponsePartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterShareGroupOffsetsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly responses: readonly AlterShareGroupOffsetsResponseTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterShareGroupOffsetsResponse(r: Reader, version: number): AlterShareGroupOffsetsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const responses = readStructs(r, version, true, 19, readAlterShareGroupOffsetsResponseTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, responses } : { throttleTimeMs, errorCode, errorMessage, responses, unknownTags }
}

export function writeAlterShareGroupOffsetsResponse(w: Writer, value: Input<AlterShareGroupOffsetsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, true)
    for (const e of v) writeAlterShareGroupOffsetsResponseTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const alterShareGroupOffsetsApi: Api<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse> = {
  key: 91,
  name: 'AlterShareGroupOffsets',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readAlterShareGroupOffsetsRequest,
  writeRequest: writeAlterShareGroupOffsetsRequest,
  readResponse: readAlterShareGroupOffsetsResponse,
  writeResponse: writeAlterShareGroupOffsetsResponse,
}
