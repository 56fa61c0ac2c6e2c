/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStruct, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface StreamsGroupDescribeRequest {
  readonly groupIds: readonly string[]
  readonly includeAuthorizedOperations: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupDescribeRequest(r: Reader, _version: number): StreamsGroupDescribeRequest {
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

export function writeStreamsGroupDescribeRequest(w: Writer, value: Input<StreamsGroupDescribeRequest>, _version: number): void {
  {
    const v = value.groupIds === undefined ? [] : value.groupIds
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.bool(value.includeAuthorizedOperations ?? false)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Endpoint {
  readonly host: string
  readonly port: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEndpoint(r: Reader, _version: number): Endpoint {
  const host = r.string(true)
  const port = r.uint16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { host, port } : { host, port, unknownTags }
}

export function writeEndpoint(w: Writer, value: Input<Endpoint>, _version: number): void {
  w.string(value.host ?? '', true)
  w.uint16(value.port ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TaskOffset {
  readonly subtopologyId: string
  readonly partition: number
  readonly offset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTaskOffset(r: Reader, _version: number): TaskOffset {
  const subtopologyId = r.string(true)
  const partition = r.int32()
  const offset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { subtopologyId, partition, offset } : { subtopologyId, partition, offset, unknownTags }
}

export function writeTaskOffset(w: Writer, value: Input<TaskOffset>, _version: number): void {
  w.string(value.subtopologyId ?? '', true)
  w.int32(value.partition ?? 0)
  w.int64(value.offset ?? 0n)
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
  readonly activeTasks: readonly TaskIds[]
  readonly standbyTasks: readonly TaskIds[]
  readonly warmupTasks: readonly TaskIds[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAssignment(r: Reader, version: number): Assignment {
  const activeTasks = readStructs(r, version, true, 3, readTaskIds)
  const standbyTasks = readStructs(r, version, true, 3, readTaskIds)
  const warmupTasks = readStructs(r, version, true, 3, readTaskIds)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { activeTasks, standbyTasks, warmupTasks } : { activeTasks, standbyTasks, warmupTasks, unknownTags }
}

export function writeAssignment(w: Writer, value: Input<Assignment>, version: number): void {
  {
    const v = value.activeTasks === undefined ? [] : value.activeTasks
    w.count(v.length, true)
    for (const e of v) writeTaskIds(w, e, version)
  }
  {
    const v = value.standbyTasks === undefined ? [] : value.standbyTasks
    w.count(v.length, true)
    for (const e of v) writeTaskIds(w, e, version)
  }
  {
    const v = value.warmupTasks === undefined ? [] : value.warmupTasks
    w.count(v.length, true)
    for (const e of v) writeTaskIds(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TaskIds {
  readonly subtopologyId: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTaskIds(r: Reader, _version: number): TaskIds {
  const subtopologyId = r.string(true)
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { subtopologyId, partitions } : { subtopologyId, partitions, unknownTags }
}

export function writeTaskIds(w: Writer, value: Input<TaskIds>, _version: number): void {
  w.string(value.subtopologyId ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface KeyValue {
  readonly key: string
  readonly value: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readKeyValue(r: Reader, _version: number): KeyValue {
  const key = r.string(true)
  const value = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { key, value } : { key, value, unknownTags }
}

export function writeKeyValue(w: Writer, value: Input<KeyValue>, _version: number): void {
  w.string(value.key ?? '', true)
  w.string(value.value ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicInfo {
  readonly name: string
  readonly partitions: number
  readonly replicationFactor: number
  readonly topicConfigs: readonly KeyValue[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicInfo(r: Reader, version: number): TopicInfo {
  const name = r.string(true)
  const partitions = r.int32()
  const replicationFactor = r.int16()
  const topicConfigs = readStructs(r, version, true, 3, readKeyValue)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions, replicationFactor, topicConfigs } : { name, partitions, replicationFactor, topicConfigs, unknownTags }
}

export function writeTopicInfo(w: Writer, value: Input<TopicInfo>, version: number): void {
  w.string(value.name ?? '', true)
  w.int32(value.partitions ?? 0)
  w.int16(value.replicationFactor ?? 0)
  {
    const v = value.topicConfigs === undefined ? [] : value.topicConfigs
    w.count(v.length, true)
    for (const e of v) writeKeyValue(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Subtopology {
  readonly subtopologyId: string
  readonly sourceTopics: readonly string[]
  readonly repartitionSinkTopics: readonly string[]
  readonly stateChangelogTopics: readonly TopicInfo[]
  readonly repartitionSourceTopics: readonly TopicInfo[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSubtopology(r: Reader, version: number): Subtopology {
  const subtopologyId = r.string(true)
  const sourceTopics = readScalars(r, true, 1, scalar.string)
  const repartitionSinkTopics = readScalars(r, true, 1, scalar.string)
  const stateChangelogTopics = readStructs(r, version, true, 9, readTopicInfo)
  const repartitionSourceTopics = readStructs(r, version, true, 9, readTopicInfo)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { subtopologyId, sourceTopics, repartitionSinkTopics, stateChangelogTopics, repartitionSourceTopics } : { subtopologyId, sourceTopics, repartitionSinkTopics, stateChangelogTopics, repartitionSourceTopics, unknownTags }
}

export function writeSubtopology(w: Writer, value: Input<Subtopology>, version: number): void {
  w.string(value.subtopologyId ?? '', true)
  {
    const v = value.sourceTopics === undefined ? [] : value.sourceTopics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.repartitionSinkTopics === undefined ? [] : value.repartitionSinkTopics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.stateChangelogTopics === undefined ? [] : value.stateChangelogTopics
    w.count(v.length, true)
    for (const e of v) writeTopicInfo(w, e, version)
  }
  {
    const v = value.repartitionSourceTopics === undefined ? [] : value.repartitionSourceTopics
    w.count(v.length, true)
    for (const e of v) writeTopicInfo(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Topology {
  readonly epoch: number
  readonly subtopologies: readonly Subtopology[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopology(r: Reader, version: number): Topology {
  const epoch = r.int32()
  const subtopologies = readNullableStructs(r, version, true, 6, readSubtopology)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { epoch, subtopologies } : { epoch, subtopologies, unknownTags }
}

export function writeTopology(w: Writer, value: Input<Topology>, version: number): void {
  w.int32(value.epoch ?? 0)
  {
    const v = value.subtopologies === undefined ? null : value.subtopologies
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeSubtopology(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Member {
  readonly memberId: string
  readonly memberEpoch: number
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly topologyEpoch: number
  readonly processId: string
  readonly userEndpoint: Endpoint | null
  readonly clientTags: readonly KeyValue[]
  readonly taskOffsets: readonly TaskOffset[]
  readonly taskEndOffsets: readonly TaskOffset[]
  readonly assignment: Assignment
  readonly targetAssignment: Assignment
  readonly isClassic: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMember(r: Reader, version: number): Member {
  const memberId = r.string(true)
  const memberEpoch = r.int32()
  const instanceId = r.nullableString(true)
  const rackId = r.nullableString(true)
  const clientId = r.string(true)
  const clientHost = r.string(true)
  const topologyEpoch = r.int32()
  const processId = r.string(true)
  const userEndpoint = readNullableStruct(r, version, readEndpoint)
  const clientTags = readStructs(r, version, true, 3, readKeyValue)
  const taskOffsets = readStructs(r, version, true, 14, readTaskOffset)
  const taskEndOffsets = readStructs(r, version, true, 14, readTaskOffset)
  const assignment = readAssignment(r, version)
  const targetAssignment = readAssignment(r, version)
  const isClassic = r.bool()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { memberId, memberEpoch, instanceId, rackId, clientId, clientHost, topologyEpoch, processId, userEndpoint, clientTags, taskOffsets, taskEndOffsets, assignment, targetAssignment, isClassic } : { memberId, memberEpoch, instanceId, rackId, clientId, clientHost, topologyEpoch, processId, userEndpoint, clientTags, taskOffsets, taskEndOffsets, assignment, targetAssignment, isClassic, unknownTags }
}

export function writeMember(w: Writer, value: Input<Member>, version: number): void {
  w.string(value.memberId ?? '', true)
  w.int32(value.memberEpoch ?? 0)
  w.string(value.instanceId ?? null, true)
  w.string(value.rackId ?? null, true)
  w.string(value.clientId ?? '', true)
  w.string(value.clientHost ?? '', true)
  w.int32(value.topologyEpoch ?? 0)
  w.string(value.processId ?? '', true)
  {
    const v = value.userEndpoint === undefined ? null : value.userEndpoint
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeEndpoint(w, v, version)
    }
  }
  {
    const v = value.clientTags === undefined ? [] : value.clientTags
    w.count(v.length, true)
    for (const e of v) writeKeyValue(w, e, version)
  }
  {
    const v = value.taskOffsets === undefined ? [] : value.taskOffsets
    w.count(v.length, true)
    for (const e of v) writeTaskOffset(w, e, version)
  }
  {
    const v = value.taskEndOffsets === undefined ? [] : value.taskEndOffsets
    w.count(v.length, true)
    for (const e of v) writeTaskOffset(w, e, version)
  }
  {
    const v = value.assignment === undefined ? {} : value.assignment
    writeAssignment(w, v, version)
  }
  {
    const v = value.targetAssignment === undefined ? {} : value.targetAssignment
    writeAssignment(w, v, version)
  }
  w.bool(value.isClassic ?? false)
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
  readonly topology: Topology | null
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
  const topology = readNullableStruct(r, version, readTopology)
  const members = readStructs(r, version, true, 28, readMember)
  const authorizedOperations = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, errorMessage, groupId, groupState, groupEpoch, assignmentEpoch, topology, members, authorizedOperations } : { errorCode, errorMessage, groupId, groupState, groupEpoch, assignmentEpoch, topology, members, authorizedOperations, unknownTags }
}

export function writeDescribedGroup(w: Writer, value: Input<DescribedGroup>, version: number): void {
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.string(value.groupId ?? '', true)
  w.string(value.groupState ?? '', true)
  w.int32(value.groupEpoch ?? 0)
  w.int32(value.assignmentEpoch ?? 0)
  {
    const v = value.topology === undefined ? null : value.topology
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeTopology(w, v, version)
    }
  }
  {
    const v = value.members === undefined ? [] : value.members
    w.count(v.length, true)
    for (const e of v) writeMember(w, e, version)
  }
  w.int32(value.authorizedOperations ?? -2147483648)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StreamsGroupDescribeResponse {
  readonly throttleTimeMs: number
  readonly groups: readonly DescribedGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupDescribeResponse(r: Reader, version: number): StreamsGroupDescribeResponse {
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

export function writeStreamsGroupDescribeResponse(w: Writer, value: Input<StreamsGroupDescribeResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, true)
    for (const e of v) writeDescribedGroup(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const streamsGroupDescribeApi: Api<StreamsGroupDescribeRequest, StreamsGroupDescribeResponse> = {
  key: 89,
  name: 'StreamsGroupDescribe',
  minVersion: 0,
  maxVersion: -1,
  flexibleFrom: 0,
  readRequest: readStreamsGroupDescribeRequest,
  writeRequest: writeStreamsGroupDescribeRequest,
  readResponse: readStreamsGroupDescribeResponse,
  writeResponse: writeStreamsGroupDescribeResponse,
}
