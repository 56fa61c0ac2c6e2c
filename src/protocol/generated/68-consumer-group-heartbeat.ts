/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableScalars, readNullableStruct, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupHeartbeatRequestTopicPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupHeartbeatRequestTopicPartitions(r: Reader, _version: number): ConsumerGroupHeartbeatRequestTopicPartitions {
  const topicId = r.uuid()
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeConsumerGroupHeartbeatRequestTopicPartitions(w: Writer, value: Input<ConsumerGroupHeartbeatRequestTopicPartitions>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupHeartbeatRequest {
  readonly groupId: string
  readonly memberId: string
  readonly memberEpoch: number
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly rebalanceTimeoutMs: number
  readonly subscribedTopicNames: readonly string[] | null
  readonly subscribedTopicRegex: string | null // v1+
  readonly serverAssignor: string | null
  readonly topicPartitions: readonly ConsumerGroupHeartbeatRequestTopicPartitions[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupHeartbeatRequest(r: Reader, version: number): ConsumerGroupHeartbeatRequest {
  const groupId = r.string(true)
  const memberId = r.string(true)
  const memberEpoch = r.int32()
  const instanceId = r.nullableString(true)
  const rackId = r.nullableString(true)
  const rebalanceTimeoutMs = r.int32()
  const subscribedTopicNames = readNullableScalars(r, true, 1, scalar.string)
  const subscribedTopicRegex = version >= 1 ? r.nullableString(true) : null
  const serverAssignor = r.nullableString(true)
  const topicPartitions = readNullableStructs(r, version, true, 18, readConsumerGroupHeartbeatRequestTopicPartitions)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, memberEpoch, instanceId, rackId, rebalanceTimeoutMs, subscribedTopicNames, subscribedTopicRegex, serverAssignor, topicPartitions } : { groupId, memberId, memberEpoch, instanceId, rackId, rebalanceTimeoutMs, subscribedTopicNames, subscribedTopicRegex, serverAssignor, topicPartitions, unknownTags }
}

export function writeConsumerGroupHeartbeatRequest(w: Writer, value: Input<ConsumerGroupHeartbeatRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  w.string(value.memberId ?? '', true)
  w.int32(value.memberEpoch ?? 0)
  w.string(value.instanceId ?? null, true)
  w.string(value.rackId ?? null, true)
  w.int32(value.rebalanceTimeoutMs ?? -1)
  {
    const v = value.subscribedTopicNames === undefined ? null : value.subscribedTopicNames
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) w.string(e, true)
    }
  }
  if (version >= 1) {
    w.string(value.subscribedTopicRegex ?? null, true)
  } else if (value.subscribedTopicRegex !== undefined && value.subscribedTopicRegex !== null) {
    throw unsupportedField('ConsumerGroupHeartbeatRequest.subscribedTopicRegex', version)
  }
  w.string(value.serverAssignor ?? null, true)
  {
    const v = value.topicPartitions === undefined ? null : value.topicPartitions
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeConsumerGroupHeartbeatRequestTopicPartitions(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupHeartbeatResponseTopicPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupHeartbeatResponseTopicPartitions(r: Reader, _version: number): ConsumerGroupHeartbeatResponseTopicPartitions {
  const topicId = r.uuid()
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeConsumerGroupHeartbeatResponseTopicPartitions(w: Writer, value: Input<ConsumerGroupHeartbeatResponseTopicPartitions>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Assignment {
  readonly topicPartitions: readonly ConsumerGroupHeartbeatResponseTopicPartitions[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAssignment(r: Reader, version: number): Assignment {
  const topicPartitions = readStructs(r, version, true, 18, readConsumerGroupHeartbeatResponseTopicPartitions)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicPartitions } : { topicPartitions, unknownTags }
}

export function writeAssignment(w: Writer, value: Input<Assignment>, version: number): void {
  {
    const v = value.topicPartitions === undefined ? [] : value.topicPartitions
    w.count(v.length, true)
    for (const e of v) writeConsumerGroupHeartbeatResponseTopicPartitions(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupHeartbeatResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly memberId: string | null
  readonly memberEpoch: number
  readonly heartbeatIntervalMs: number
  readonly assignment: Assignment | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupHeartbeatResponse(r: Reader, version: number): ConsumerGroupHeartbeatResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const memberId = r.nullableString(true)
  const memberEpoch = r.int32()
  const heartbeatIntervalMs = r.int32()
  const assignment = readNullableStruct(r, version, readAssignment)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, memberId, memberEpoch, heartbeatIntervalMs, assignment } : { throttleTimeMs, errorCode, errorMessage, memberId, memberEpoch, heartbeatIntervalMs, assignment, unknownTags }
}

export function writeConsumerGroupHeartbeatResponse(w: Writer, value: Input<ConsumerGroupHeartbeatResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.string(value.memberId ?? null, true)
  w.int32(value.memberEpoch ?? 0)
  w.int32(value.heartbeatIntervalMs ?? 0)
  {
    const v = value.assignment === undefined ? null : value.assignment
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeAssignment(w, v, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const consumerGroupHeartbeatApi: Api<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse> = {
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  readRequest: readConsumerGroupHeartbeatRequest,
  writeRequest: writeConsumerGroupHeartbeatRequest,
  readResponse: readConsumerGroupHeartbeatResponse,
  writeResponse: writeConsumerGroupHeartbeatResponse,
}
