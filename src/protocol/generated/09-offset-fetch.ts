/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface OffsetFetchRequestTopic {
  readonly name: string
  readonly partitionIndexes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchRequestTopic(r: Reader, version: number): OffsetFetchRequestTopic {
  const flexible = version >= 6
  const name = r.string(flexible)
  const partitionIndexes = readScalars(r, flexible, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, partitionIndexes } : { name, partitionIndexes, unknownTags }
}

export function writeOffsetFetchRequestTopic(w: Writer, value: Input<OffsetFetchRequestTopic>, version: number): void {
  const flexible = version >= 6
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitionIndexes === undefined ? [] : value.partitionIndexes
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetFetchRequestTopics {
  readonly name: string // v8–9
  readonly topicId: Uuid // v10+
  readonly partitionIndexes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchRequestTopics(r: Reader, version: number): OffsetFetchRequestTopics {
  const name = version <= 9 ? r.string(true) : ''
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const partitionIndexes = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, topicId, partitionIndexes } : { name, topicId, partitionIndexes, unknownTags }
}

export function writeOffsetFetchRequestTopics(w: Writer, value: Input<OffsetFetchRequestTopics>, version: number): void {
  if (version <= 9) {
    w.string(value.name ?? '', true)
  }
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitionIndexes === undefined ? [] : value.partitionIndexes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OffsetFetchRequestGroup {
  readonly groupId: string
  readonly memberId: string | null // v9+
  readonly memberEpoch: number // v9+
  readonly topics: readonly OffsetFetchRequestTopics[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchRequestGroup(r: Reader, version: number): OffsetFetchRequestGroup {
  const groupId = r.string(true)
  const memberId = version >= 9 ? r.nullableString(true) : null
  const memberEpoch = version >= 9 ? r.int32() : -1
  const topics = readNullableStructs(r, version, true, 3, readOffsetFetchRequestTopics)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, memberEpoch, topics } : { groupId, memberId, memberEpoch, topics, unknownTags }
}

export function writeOffsetFetchRequestGroup(w: Writer, value: Input<OffsetFetchRequestGroup>, version: number): void {
  w.string(value.groupId ?? '', true)
  if (version >= 9) {
    w.string(value.memberId ?? null, true)
  }
  if (version >= 9) {
    w.int32(value.memberEpoch ?? -1)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeOffsetFetchRequestTopics(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OffsetFetchRequest {
  readonly groupId: string // v1–7
  readonly topics: readonly OffsetFetchRequestTopic[] | null // v1–7
  readonly groups: readonly OffsetFetchRequestGroup[] // v8+
  readonly requireStable: boolean // v7+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchRequest(r: Reader, version: number): OffsetFetchRequest {
  const flexible = version >= 6
  const groupId = version <= 7 ? r.string(flexible) : ''
  const topics = version <= 7 ? (version >= 2 ? readNullableStructs(r, version, flexible, 3, readOffsetFetchRequestTopic) : readStructs(r, version, flexible, 3, readOffsetFetchRequestTopic)) : []
  const groups = version >= 8 ? readStructs(r, version, flexible, 3, readOffsetFetchRequestGroup) : []
  const requireStable = version >= 7 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, topics, groups, requireStable } : { groupId, topics, groups, requireStable, unknownTags }
}

export function writeOffsetFetchRequest(w: Writer, value: Input<OffsetFetchRequest>, version: number): void {
  const flexible = version >= 6
  if (version <= 7) {
    w.string(value.groupId ?? '', flexible)
  } else if (value.groupId !== undefined && value.groupId !== '') {
    throw unsupportedField('OffsetFetchRequest.groupId', version)
  }
  if (version <= 7) {
    {
      const v = value.topics === undefined ? [] : value.topics
      if (!(version >= 2) && v === null) throw unsupportedField('OffsetFetchRequest.topics = null', version)
      if (v === null) w.count(-1, flexible)
      else {
        w.count(v.length, flexible)
        for (const e of v) writeOffsetFetchRequestTopic(w, e, version)
      }
    }
  } else if (value.topics !== undefined && value.topics !== null && value.topics.length > 0) {
    throw unsupportedField('OffsetFetchRequest.topics', version)
  }
  if (version >= 8) {
    {
      const v = value.groups === undefined ? [] : value.groups
      w.count(v.length, flexible)
      for (const e of v) writeOffsetFetchRequestGroup(w, e, version)
    }
  } else if (value.groups !== undefined && value.groups.length > 0) {
    throw unsupportedField('OffsetFetchRequest.groups', version)
  }
  if (version >= 7) {
    w.bool(value.requireStable ?? false)
  } else if (value.requireStable !== undefined && value.requireStable !== false) {
    throw unsupportedField('OffsetFetchRequest.requireStable', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetFetchResponsePartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number // v5+
  readonly metadata: string | null
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponsePartition(r: Reader, version: number): OffsetFetchResponsePartition {
  const flexible = version >= 6
  const partitionIndex = r.int32()
  const committedOffset = r.int64()
  const committedLeaderEpoch = version >= 5 ? r.int32() : -1
  const metadata = r.nullableString(flexible)
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
  return unknownTags === undefined ? { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode } : { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode, unknownTags }
}

export function writeOffsetFetchResponsePartition(w: Writer, value: Input<OffsetFetchResponsePartition>, version: number): void {
  const flexible = version >= 6
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.committedOffset ?? 0n)
  if (version >= 5) {
    w.int32(value.committedLeaderEpoch ?? -1)
  }
  {
    const v = value.metadata === undefined ? '' : value.metadata
    w.string(v, flexible)
  }
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetFetchResponseTopic {
  readonly name: string
  readonly partitions: readonly OffsetFetchResponsePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponseTopic(r: Reader, version: number): OffsetFetchResponseTopic {
  const flexible = version >= 6
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 16, readOffsetFetchResponsePartition)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeOffsetFetchResponseTopic(w: Writer, value: Input<OffsetFetchResponseTopic>, version: number): void {
  const flexible = version >= 6
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeOffsetFetchResponsePartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetFetchResponsePartitions {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number
  readonly metadata: string | null
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponsePartitions(r: Reader, _version: number): OffsetFetchResponsePartitions {
  const partitionIndex = r.int32()
  const committedOffset = r.int64()
  const committedLeaderEpoch = r.int32()
  const metadata = r.nullableString(true)
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode } : { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode, unknownTags }
}

export function writeOffsetFetchResponsePartitions(w: Writer, value: Input<OffsetFetchResponsePartitions>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.committedOffset ?? 0n)
  w.int32(value.committedLeaderEpoch ?? -1)
  {
    const v = value.metadata === undefined ? '' : value.metadata
    w.string(v, true)
  }
  w.int16(value.errorCode ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OffsetFetchResponseTopics {
  readonly name: string // v8–9
  readonly topicId: Uuid // v10+
  readonly partitions: readonly OffsetFetchResponsePartitions[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponseTopics(r: Reader, version: number): OffsetFetchResponseTopics {
  const name = version <= 9 ? r.string(true) : ''
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const partitions = readStructs(r, version, true, 20, readOffsetFetchResponsePartitions)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, topicId, partitions } : { name, topicId, partitions, unknownTags }
}

export function writeOffsetFetchResponseTopics(w: Writer, value: Input<OffsetFetchResponseTopics>, version: number): void {
  if (version <= 9) {
    w.string(value.name ?? '', true)
  }
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeOffsetFetchResponsePartitions(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OffsetFetchResponseGroup {
  readonly groupId: string
  readonly topics: readonly OffsetFetchResponseTopics[]
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponseGroup(r: Reader, version: number): OffsetFetchResponseGroup {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 3, readOffsetFetchResponseTopics)
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics, errorCode } : { groupId, topics, errorCode, unknownTags }
}

export function writeOffsetFetchResponseGroup(w: Writer, value: Input<OffsetFetchResponseGroup>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeOffsetFetchResponseTopics(w, e, version)
  }
  w.int16(value.errorCode ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OffsetFetchResponse {
  readonly throttleTimeMs: number // v3+
  readonly topics: readonly OffsetFetchResponseTopic[] // v1–7
  readonly errorCode: number // v2–7
  readonly groups: readonly OffsetFetchResponseGroup[] // v8+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetFetchResponse(r: Reader, version: number): OffsetFetchResponse {
  const flexible = version >= 6
  const throttleTimeMs = version >= 3 ? r.int32() : 0
  const topics = version <= 7 ? readStructs(r, version, flexible, 3, readOffsetFetchResponseTopic) : []
  const errorCode = version >= 2 && version <= 7 ? r.int16() : 0
  const groups = version >= 8 ? readStructs(r, version, flexible, 5, readOffsetFetchResponseGroup) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, topics, errorCode, groups } : { throttleTimeMs, topics, errorCode, groups, unknownTags }
}

export function writeOffsetFetchResponse(w: Writer, value: Input<OffsetFetchResponse>, version: number): void {
  const flexible = version >= 6
  if (version >= 3) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  if (version <= 7) {
    {
      const v = value.topics === undefined ? [] : value.topics
      w.count(v.length, flexible)
      for (const e of v) writeOffsetFetchResponseTopic(w, e, version)
    }
  }
  if (version >= 2 && version <= 7) {
    w.int16(value.errorCode ?? 0)
  }
  if (version >= 8) {
    {
      const v = value.groups === undefined ? [] : value.groups
      w.count(v.length, flexible)
      for (const e of v) writeOffsetFetchResponseGroup(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const offsetFetchApi: Api<OffsetFetchRequest, OffsetFetchResponse> = {
  key: 9,
  name: 'OffsetFetch',
  minVersion: 1,
  maxVersion: 9,
  flexibleFrom: 6,
  readRequest: readOffsetFetchRequest,
  writeRequest: writeOffsetFetchRequest,
  readResponse: readOffsetFetchResponse,
  writeResponse: writeOffsetFetchResponse,
}
