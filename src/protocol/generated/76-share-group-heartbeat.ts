/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableScalars, readNullableStruct, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ShareGroupHeartbeatRequest {
  readonly groupId: string
  readonly memberId: string
  readonly memberEpoch: number
  readonly rackId: string | null
  readonly subscribedTopicNames: readonly string[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareGroupHeartbeatRequest(r: Reader, _version: number): ShareGroupHeartbeatRequest {
  const groupId = r.string(true)
  const memberId = r.string(true)
  const memberEpoch = r.int32()
  const rackId = r.nullableString(true)
  const subscribedTopicNames = readNullableScalars(r, true, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, memberEpoch, rackId, subscribedTopicNames } : { groupId, memberId, memberEpoch, rackId, subscribedTopicNames, unknownTags }
}

export function writeShareGroupHeartbeatRequest(w: Writer, value: Input<ShareGroupHeartbeatRequest>, _version: number): void {
  w.string(value.groupId ?? '', true)
  w.string(value.memberId ?? '', true)
  w.int32(value.memberEpoch ?? 0)
  w.string(value.rackId ?? null, true)
  {
    const v = value.subscribedTopicNames === undefined ? null : value.subscribedTopicNames
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) w.string(e, true)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartitions(r: Reader, _version: number): TopicPartitions {
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

export function writeTopicPartitions(w: Writer, value: Input<TopicPartitions>, _version: number): void {
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
  readonly topicPartitions: readonly TopicPartitions[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAssignment(r: Reader, version: number): Assignment {
  const topicPartitions = readStructs(r, version, true, 18, readTopicPartitions)
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
    for (const e of v) writeTopicPartitions(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareGroupHeartbeatResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly memberId: string | null
  readonly memberEpoch: number
  readonly heartbeatIntervalMs: number
  readonly assignment: Assignment | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareGroupHeartbeatResponse(r: Reader, version: number): ShareGroupHeartbeatResponse {
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

export function writeShareGroupHeartbeatResponse(w: Writer, value: Input<ShareGroupHeartbeatResponse>, version: number): void {
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

export const shareGroupHeartbeatApi: Api<ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse> = {
  key: 76,
  name: 'ShareGroupHeartbeat',
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readShareGroupHeartbeatRequest,
  writeRequest: writeShareGroupHeartbeatRequest,
  readResponse: readShareGroupHeartbeatResponse,
  writeResponse: writeShareGroupHeartbeatResponse,
}
