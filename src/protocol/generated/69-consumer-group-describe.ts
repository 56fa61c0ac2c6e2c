/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupDescribeRequest {
  readonly groupIds: readonly string[]
  readonly includeAuthorizedOperations: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupDescribeRequest(r: Reader, _version: number): ConsumerGroupDescribeRequest {
  const groupIds = readScalars(r, true, 1, scalar.string)
  const includeAuthorizedOperations = r.bool()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupIds, includeAuthorizedOperations } : { groupIds, includeAuthorizedOperations, unknownTags }
}

export function writeConsumerGroupDescribeRequest(w: Writer, value: Input<ConsumerGroupDescribeRequest>, _version: number): void {
  {
    const v = value.groupIds === undefined ? [] : value.groupIds
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.bool(value.includeAuthorizedOperations ?? false)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicPartitions {
  readonly topicId: Uuid
  readonly topicName: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartitions(r: Reader, _version: number): TopicPartitions {
  const topicId = r.uuid()
  const topicName = r.string(true)
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, topicName, partitions } : { topicId, topicName, partitions, unknownTags }
}

export function writeTopicPartitions(w: Writer, value: Input<TopicPartitions>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  w.string(value.topicName ?? '', true)
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
  const topicPartitions = readStructs(r, version, true, 19, readTopicPartitions)
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

export interface Member {
  readonly memberId: string
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly memberEpoch: number
  readonly clientId: string
  readonly clientHost: string
  readonly subscribedTopicNames: readonly string[]
  readonly subscribedTopicRegex: string | null
  readonly assignment: Assignment
  readonly targetAssignment: Assignment
  readonly memberType: number // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMember(r: Reader, version: number): Member {
  const memberId = r.string(true)
  const instanceId = r.nullableString(true)
  const rackId = r.nullableString(true)
  const memberEpoch = r.int32()
  const clientId = r.string(true)
  const clientHost = r.string(true)
  const subscribedTopicNames = readScalars(r, true, 1, scalar.string)
  const subscribedTopicRegex = r.nullableString(true)
  const assignment = readAssignment(r, version)
  const targetAssignment = readAssignment(r, version)
  const memberType = version >= 1 ? r.int8() : -1
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { memberId, instanceId, rackId, memberEpoch, clientId, clientHost, subscribedTopicNames, subscribedTopicRegex, assignment, targetAssignment, memberType } : { memberId, instanceId, rackId, memberEpoch, clientId, clientHost, subscribedTopicNames, subscribedTopicRegex, assignment, targetAssignment, memberType, unknownTags }
}

export function writeMember(w: Writer, value: Input<Member>, version: number): void {
  w.string(value.memberId ?? '', true)
  w.string(value.instanceId ?? null, true)
  w.string(value.rackId ?? null, true)
  w.int32(value.memberEpoch ?? 0)
  w.string(value.clientId ?? '', true)
  w.string(value.clientHost ?? '', true)
  {
    const v = value.subscribedTopicNames === undefined ? [] : value.subscribedTopicNames
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.string(value.subscribedTopicRegex ?? null, true)
  {
    const v = value.assignment === undefined ? {} : value.assignment
    writeAssignment(w, v, version)
  }
  {
    const v = value.targetAssignment === undefined ? {} : value.targetAssignment
    writeAssignment(w, v, version)
  }
  if (version >= 1) {
    w.int8(value.memberType ?? -1)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribedGroup {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly groupId: string
  readonly groupState: string
  readonly groupEpoch: number
  readonly assignmentEpoch: number
  readonly assignorName: string
  readonly members: readonly Member[]
  readonly authorizedOperations: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribedGroup(r: Reader, version: number): DescribedGroup {
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const groupId = r.string(true)
  const groupState = r.string(true)
  const groupEpoch = r.int32()
  const assignmentEpoch = r.int32()
  const assignorName = r.string(true)
  const members = readStructs(r, version, true, 16, readMember)
  const authorizedOperations = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, errorMessage, groupId, groupState, groupEpoch, assignmentEpoch, assignorName, members, authorizedOperations } : { errorCode, errorMessage, groupId, groupState, groupEpoch, assignmentEpoch, assignorName, members, authorizedOperations, unknownTags }
}

export function writeDescribedGroup(w: Writer, value: Input<DescribedGroup>, version: number): void {
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.string(value.groupId ?? '', true)
  w.string(value.groupState ?? '', true)
  w.int32(value.groupEpoch ?? 0)
  w.int32(value.assignmentEpoch ?? 0)
  w.string(value.assignorName ?? '', true)
  {
    const v = value.members === undefined ? [] : value.members
    w.count(v.length, true)
    for (const e of v) writeMember(w, e, version)
  }
  w.int32(value.authorizedOperations ?? -2147483648)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupDescribeResponse {
  readonly throttleTimeMs: number
  readonly groups: readonly DescribedGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupDescribeResponse(r: Reader, version: number): ConsumerGroupDescribeResponse {
  const throttleTimeMs = r.int32()
  const groups = readStructs(r, version, true, 20, readDescribedGroup)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, groups } : { throttleTimeMs, groups, unknownTags }
}

export function writeConsumerGroupDescribeResponse(w: Writer, value: Input<ConsumerGroupDescribeResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, true)
    for (const e of v) writeDescribedGroup(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const consumerGroupDescribeApi: Api<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse> = {
  key: 69,
  name: 'ConsumerGroupDescribe',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  readRequest: readConsumerGroupDescribeRequest,
  writeRequest: writeConsumerGroupDescribeRequest,
  readResponse: readConsumerGroupDescribeResponse,
  writeResponse: writeConsumerGroupDescribeResponse,
}
