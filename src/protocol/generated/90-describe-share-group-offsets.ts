/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeShareGroupOffsetsRequestTopic {
  readonly topicName: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsRequestTopic(r: Reader, _version: number): DescribeShareGroupOffsetsRequestTopic {
  const topicName = r.string(true)
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitions } : { topicName, partitions, unknownTags }
}

export function writeDescribeShareGroupOffsetsRequestTopic(w: Writer, value: Input<DescribeShareGroupOffsetsRequestTopic>, _version: number): void {
  w.string(value.topicName ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsRequestGroup {
  readonly groupId: string
  readonly topics: readonly DescribeShareGroupOffsetsRequestTopic[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsRequestGroup(r: Reader, version: number): DescribeShareGroupOffsetsRequestGroup {
  const groupId = r.string(true)
  const topics = readNullableStructs(r, version, true, 3, readDescribeShareGroupOffsetsRequestTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeDescribeShareGroupOffsetsRequestGroup(w: Writer, value: Input<DescribeShareGroupOffsetsRequestGroup>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeDescribeShareGroupOffsetsRequestTopic(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsRequest {
  readonly groups: readonly DescribeShareGroupOffsetsRequestGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsRequest(r: Reader, version: number): DescribeShareGroupOffsetsRequest {
  const groups = readStructs(r, version, true, 3, readDescribeShareGroupOffsetsRequestGroup)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groups } : { groups, unknownTags }
}

export function writeDescribeShareGroupOffsetsRequest(w: Writer, value: Input<DescribeShareGroupOffsetsRequest>, version: number): void {
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, true)
    for (const e of v) writeDescribeShareGroupOffsetsRequestGroup(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsResponsePartition {
  readonly partitionIndex: number
  readonly startOffset: bigint
  readonly leaderEpoch: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsResponsePartition(r: Reader, _version: number): DescribeShareGroupOffsetsResponsePartition {
  const partitionIndex = r.int32()
  const startOffset = r.int64()
  const leaderEpoch = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, startOffset, leaderEpoch, errorCode, errorMessage } : { partitionIndex, startOffset, leaderEpoch, errorCode, errorMessage, unknownTags }
}

export function writeDescribeShareGroupOffsetsResponsePartition(w: Writer, value: Input<DescribeShareGroupOffsetsResponsePartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.startOffset ?? 0n)
  w.int32(value.leaderEpoch ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsResponseTopic {
  readonly topicName: string
  readonly topicId: Uuid
  readonly partitions: readonly DescribeShareGroupOffsetsResponsePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsResponseTopic(r: Reader, version: number): DescribeShareGroupOffsetsResponseTopic {
  const topicName = r.string(true)
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 20, readDescribeShareGroupOffsetsResponsePartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, topicId, partitions } : { topicName, topicId, partitions, unknownTags }
}

export function writeDescribeShareGroupOffsetsResponseTopic(w: Writer, value: Input<DescribeShareGroupOffsetsResponseTopic>, version: number): void {
  w.string(value.topicName ?? '', true)
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeDescribeShareGroupOffsetsResponsePartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsResponseGroup {
  readonly groupId: string
  readonly topics: readonly DescribeShareGroupOffsetsResponseTopic[]
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsResponseGroup(r: Reader, version: number): DescribeShareGroupOffsetsResponseGroup {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 19, readDescribeShareGroupOffsetsResponseTopic)
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics, errorCode, errorMessage } : { groupId, topics, errorCode, errorMessage, unknownTags }
}

export function writeDescribeShareGroupOffsetsResponseGroup(w: Writer, value: Input<DescribeShareGroupOffsetsResponseGroup>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDescribeShareGroupOffsetsResponseTopic(w, e, version)
  }
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeShareGroupOffsetsResponse {
  readonly throttleTimeMs: number
  readonly groups: readonly DescribeShareGroupOffsetsResponseGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeShareGroupOffsetsResponse(r: Reader, version: number): DescribeShareGroupOffsetsResponse {
  const throttleTimeMs = r.int32()
  const groups = readStructs(r, version, true, 6, readDescribeShareGroupOffsetsResponseGroup)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, groups } : { throttleTimeMs, groups, unknownTags }
}

export function writeDescribeShareGroupOffsetsResponse(w: Writer, value: Input<DescribeShareGroupOffsetsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, true)
    for (const e of v) writeDescribeShareGroupOffsetsResponseGroup(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeShareGroupOffsetsApi: Api<DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse> = {
  key: 90,
  name: 'DescribeShareGroupOffsets',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDescribeShareGroupOffsetsRequest,
  writeRequest: writeDescribeShareGroupOffsetsRequest,
  readResponse: readDescribeShareGroupOffsetsResponse,
  writeResponse: writeDescribeShareGroupOffsetsResponse,
}
