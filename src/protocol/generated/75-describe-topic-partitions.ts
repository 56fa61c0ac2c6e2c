/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableScalars, readNullableStruct, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicRequest {
  readonly name: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicRequest(r: Reader, _version: number): TopicRequest {
  const name = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name } : { name, unknownTags }
}

export function writeTopicRequest(w: Writer, value: Input<TopicRequest>, _version: number): void {
  w.string(value.name ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsRequestCursor {
  readonly topicName: string
  readonly partitionIndex: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsRequestCursor(r: Reader, _version: number): DescribeTopicPartitionsRequestCursor {
  const topicName = r.string(true)
  const partitionIndex = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitionIndex } : { topicName, partitionIndex, unknownTags }
}

export function writeDescribeTopicPartitionsRequestCursor(w: Writer, value: Input<DescribeTopicPartitionsRequestCursor>, _version: number): void {
  w.string(value.topicName ?? '', true)
  w.int32(value.partitionIndex ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsRequest {
  readonly topics: readonly TopicRequest[]
  readonly responsePartitionLimit: number
  readonly cursor: DescribeTopicPartitionsRequestCursor | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsRequest(r: Reader, version: number): DescribeTopicPartitionsRequest {
  const topics = readStructs(r, version, true, 2, readTopicRequest)
  const responsePartitionLimit = r.int32()
  const cursor = readNullableStruct(r, version, readDescribeTopicPartitionsRequestCursor)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topics, responsePartitionLimit, cursor } : { topics, responsePartitionLimit, cursor, unknownTags }
}

export function writeDescribeTopicPartitionsRequest(w: Writer, value: Input<DescribeTopicPartitionsRequest>, version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeTopicRequest(w, e, version)
  }
  w.int32(value.responsePartitionLimit ?? 2000)
  {
    const v = value.cursor === undefined ? null : value.cursor
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeDescribeTopicPartitionsRequestCursor(w, v, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsResponsePartition {
  readonly errorCode: number
  readonly partitionIndex: number
  readonly leaderId: number
  readonly leaderEpoch: number
  readonly replicaNodes: readonly number[]
  readonly isrNodes: readonly number[]
  readonly eligibleLeaderReplicas: readonly number[] | null
  readonly lastKnownElr: readonly number[] | null
  readonly offlineReplicas: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsResponsePartition(r: Reader, _version: number): DescribeTopicPartitionsResponsePartition {
  const errorCode = r.int16()
  const partitionIndex = r.int32()
  const leaderId = r.int32()
  const leaderEpoch = r.int32()
  const replicaNodes = readScalars(r, true, 4, scalar.int32)
  const isrNodes = readScalars(r, true, 4, scalar.int32)
  const eligibleLeaderReplicas = readNullableScalars(r, true, 4, scalar.int32)
  const lastKnownElr = readNullableScalars(r, true, 4, scalar.int32)
  const offlineReplicas = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, eligibleLeaderReplicas, lastKnownElr, offlineReplicas } : { errorCode, partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, eligibleLeaderReplicas, lastKnownElr, offlineReplicas, unknownTags }
}

export function writeDescribeTopicPartitionsResponsePartition(w: Writer, value: Input<DescribeTopicPartitionsResponsePartition>, _version: number): void {
  w.int16(value.errorCode ?? 0)
  w.int32(value.partitionIndex ?? 0)
  w.int32(value.leaderId ?? 0)
  w.int32(value.leaderEpoch ?? -1)
  {
    const v = value.replicaNodes === undefined ? [] : value.replicaNodes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  {
    const v = value.isrNodes === undefined ? [] : value.isrNodes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  {
    const v = value.eligibleLeaderReplicas === undefined ? null : value.eligibleLeaderReplicas
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) w.int32(e)
    }
  }
  {
    const v = value.lastKnownElr === undefined ? null : value.lastKnownElr
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) w.int32(e)
    }
  }
  {
    const v = value.offlineReplicas === undefined ? [] : value.offlineReplicas
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsResponseTopic {
  readonly errorCode: number
  readonly name: string | null
  readonly topicId: Uuid
  readonly isInternal: boolean
  readonly partitions: readonly DescribeTopicPartitionsResponsePartition[]
  readonly topicAuthorizedOperations: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsResponseTopic(r: Reader, version: number): DescribeTopicPartitionsResponseTopic {
  const errorCode = r.int16()
  const name = r.nullableString(true)
  const topicId = r.uuid()
  const isInternal = r.bool()
  const partitions = readStructs(r, version, true, 20, readDescribeTopicPartitionsResponsePartition)
  const topicAuthorizedOperations = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations } : { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations, unknownTags }
}

export function writeDescribeTopicPartitionsResponseTopic(w: Writer, value: Input<DescribeTopicPartitionsResponseTopic>, version: number): void {
  w.int16(value.errorCode ?? 0)
  {
    const v = value.name === undefined ? '' : value.name
    w.string(v, true)
  }
  w.uuid(value.topicId ?? zeroUuid)
  w.bool(value.isInternal ?? false)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeDescribeTopicPartitionsResponsePartition(w, e, version)
  }
  w.int32(value.topicAuthorizedOperations ?? -2147483648)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsResponseCursor {
  readonly topicName: string
  readonly partitionIndex: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsResponseCursor(r: Reader, _version: number): DescribeTopicPartitionsResponseCursor {
  const topicName = r.string(true)
  const partitionIndex = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitionIndex } : { topicName, partitionIndex, unknownTags }
}

export function writeDescribeTopicPartitionsResponseCursor(w: Writer, value: Input<DescribeTopicPartitionsResponseCursor>, _version: number): void {
  w.string(value.topicName ?? '', true)
  w.int32(value.partitionIndex ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTopicPartitionsResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly DescribeTopicPartitionsResponseTopic[]
  readonly nextCursor: DescribeTopicPartitionsResponseCursor | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTopicPartitionsResponse(r: Reader, version: number): DescribeTopicPartitionsResponse {
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, true, 26, readDescribeTopicPartitionsResponseTopic)
  const nextCursor = readNullableStruct(r, version, readDescribeTopicPartitionsResponseCursor)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, topics, nextCursor } : { throttleTimeMs, topics, nextCursor, unknownTags }
}

export function writeDescribeTopicPartitionsResponse(w: Writer, value: Input<DescribeTopicPartitionsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDescribeTopicPartitionsResponseTopic(w, e, version)
  }
  {
    const v = value.nextCursor === undefined ? null : value.nextCursor
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeDescribeTopicPartitionsResponseCursor(w, v, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeTopicPartitionsApi: Api<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse> = {
  key: 75,
  name: 'DescribeTopicPartitions',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDescribeTopicPartitionsRequest,
  writeRequest: writeDescribeTopicPartitionsRequest,
  readResponse: readDescribeTopicPartitionsResponse,
  writeResponse: writeDescribeTopicPartitionsResponse,
}
