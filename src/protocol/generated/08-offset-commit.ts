/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface OffsetCommitRequestPartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number // v6+
  readonly committedMetadata: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitRequestPartition(r: Reader, version: number): OffsetCommitRequestPartition {
  const flexible = version >= 8
  const partitionIndex = r.int32()
  const committedOffset = r.int64()
  const committedLeaderEpoch = version >= 6 ? r.int32() : -1
  const committedMetadata = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata } : { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata, unknownTags }
}

export function writeOffsetCommitRequestPartition(w: Writer, value: Input<OffsetCommitRequestPartition>, version: number): void {
  const flexible = version >= 8
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.committedOffset ?? 0n)
  if (version >= 6) {
    w.int32(value.committedLeaderEpoch ?? -1)
  }
  {
    const v = value.committedMetadata === undefined ? '' : value.committedMetadata
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetCommitRequestTopic {
  readonly name: string // v2–9
  readonly topicId: Uuid // v10+
  readonly partitions: readonly OffsetCommitRequestPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitRequestTopic(r: Reader, version: number): OffsetCommitRequestTopic {
  const flexible = version >= 8
  const name = version <= 9 ? r.string(flexible) : ''
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const partitions = readStructs(r, version, flexible, 14, readOffsetCommitRequestPartition)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, partitions } : { name, topicId, partitions, unknownTags }
}

export function writeOffsetCommitRequestTopic(w: Writer, value: Input<OffsetCommitRequestTopic>, version: number): void {
  const flexible = version >= 8
  if (version <= 9) {
    w.string(value.name ?? '', flexible)
  }
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeOffsetCommitRequestPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetCommitRequest {
  readonly groupId: string
  readonly generationIdOrMemberEpoch: number
  readonly memberId: string
  readonly groupInstanceId: string | null // v7+
  readonly retentionTimeMs: bigint // v2–4
  readonly topics: readonly OffsetCommitRequestTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitRequest(r: Reader, version: number): OffsetCommitRequest {
  const flexible = version >= 8
  const groupId = r.string(flexible)
  const generationIdOrMemberEpoch = r.int32()
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 7 ? r.nullableString(flexible) : null
  const retentionTimeMs = version <= 4 ? r.int64() : -1n
  const topics = readStructs(r, version, flexible, 3, readOffsetCommitRequestTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId, retentionTimeMs, topics } : { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId, retentionTimeMs, topics, unknownTags }
}

export function writeOffsetCommitRequest(w: Writer, value: Input<OffsetCommitRequest>, version: number): void {
  const flexible = version >= 8
  w.string(value.groupId ?? '', flexible)
  w.int32(value.generationIdOrMemberEpoch ?? -1)
  w.string(value.memberId ?? '', flexible)
  if (version >= 7) {
    w.string(value.groupInstanceId ?? null, flexible)
  } else if (value.groupInstanceId !== undefined && value.groupInstanceId !== null) {
    throw unsupportedField('OffsetCommitRequest.groupInstanceId', version)
  }
  if (version <= 4) {
    w.int64(value.retentionTimeMs ?? -1n)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeOffsetCommitRequestTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetCommitResponsePartition {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitResponsePartition(r: Reader, version: number): OffsetCommitResponsePartition {
  const flexible = version >= 8
  const partitionIndex = r.int32()
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
  return unknownTags === undefined ? { partitionIndex, errorCode } : { partitionIndex, errorCode, unknownTags }
}

export function writeOffsetCommitResponsePartition(w: Writer, value: Input<OffsetCommitResponsePartition>, version: number): void {
  const flexible = version >= 8
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetCommitResponseTopic {
  readonly name: string // v2–9
  readonly topicId: Uuid // v10+
  readonly partitions: readonly OffsetCommitResponsePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitResponseTopic(r: Reader, version: number): OffsetCommitResponseTopic {
  const flexible = version >= 8
  const name = version <= 9 ? r.string(flexible) : ''
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const partitions = readStructs(r, version, flexible, 6, readOffsetCommitResponsePartition)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, partitions } : { name, topicId, partitions, unknownTags }
}

export function writeOffsetCommitResponseTopic(w: Writer, value: Input<OffsetCommitResponseTopic>, version: number): void {
  const flexible = version >= 8
  if (version <= 9) {
    w.string(value.name ?? '', flexible)
  }
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeOffsetCommitResponsePartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetCommitResponse {
  readonly throttleTimeMs: number // v3+
  readonly topics: readonly OffsetCommitResponseTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitResponse(r: Reader, version: number): OffsetCommitResponse {
  const flexible = version >= 8
  const throttleTimeMs = version >= 3 ? r.int32() : 0
  const topics = readStructs(r, version, flexible, 3, readOffsetCommitResponseTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, topics } : { throttleTimeMs, topics, unknownTags }
}

export function writeOffsetCommitResponse(w: Writer, value: Input<OffsetCommitResponse>, version: number): void {
  const flexible = version >= 8
  if (version >= 3) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeOffsetCommitResponseTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const offsetCommitApi: Api<OffsetCommitRequest, OffsetCommitResponse> = {
  key: 8,
  name: 'OffsetCommit',
  minVersion: 2,
  maxVersion: 9,
  flexibleFrom: 8,
  readRequest: readOffsetCommitRequest,
  writeRequest: writeOffsetCommitRequest,
  readResponse: readOffsetCommitResponse,
  writeResponse: writeOffsetCommitResponse,
}
