/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStruct, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

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

export interface StreamsGroupHeartbeatRequestEndpoint {
  readonly host: string
  readonly port: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatRequestEndpoint(r: Reader, _version: number): StreamsGroupHeartbeatRequestEndpoint {
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

export function writeStreamsGroupHeartbeatRequestEndpoint(w: Writer, value: Input<StreamsGroupHeartbeatRequestEndpoint>, _version: number): void {
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

export interface StreamsGroupHeartbeatRequestTaskIds {
  readonly subtopologyId: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatRequestTaskIds(r: Reader, _version: number): StreamsGroupHeartbeatRequestTaskIds {
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

export function writeStreamsGroupHeartbeatRequestTaskIds(w: Writer, value: Input<StreamsGroupHeartbeatRequestTaskIds>, _version: number): void {
  w.string(value.subtopologyId ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface CopartitionGroup {
  readonly sourceTopics: readonly number[]
  readonly sourceTopicRegex: readonly number[]
  readonly repartitionSourceTopics: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCopartitionGroup(r: Reader, _version: number): CopartitionGroup {
  const sourceTopics = readScalars(r, true, 2, scalar.int16)
  const sourceTopicRegex = readScalars(r, true, 2, scalar.int16)
  const repartitionSourceTopics = readScalars(r, true, 2, scalar.int16)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { sourceTopics, sourceTopicRegex, repartitionSourceTopics } : { sourceTopics, sourceTopicRegex, repartitionSourceTopics, unknownTags }
}

export function writeCopartitionGroup(w: Writer, value: Input<CopartitionGroup>, _version: number): void {
  {
    const v = value.sourceTopics === undefined ? [] : value.sourceTopics
    w.count(v.length, true)
    for (const e of v) w.int16(e)
  }
  {
    const v = value.sourceTopicRegex === undefined ? [] : value.sourceTopicRegex
    w.count(v.length, true)
    for (const e of v) w.int16(e)
  }
  {
    const v = value.repartitionSourceTopics === undefined ? [] : value.repartitionSourceTopics
    w.count(v.length, true)
    for (const e of v) w.int16(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Subtopology {
  readonly subtopologyId: string
  readonly sourceTopics: readonly string[]
  readonly sourceTopicRegex: readonly string[]
  readonly stateChangelogTopics: readonly TopicInfo[]
  readonly repartitionSinkTopics: readonly string[]
  readonly repartitionSourceTopics: readonly TopicInfo[]
  readonly copartitionGroups: readonly CopartitionGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSubtopology(r: Reader, version: number): Subtopology {
  const subtopologyId = r.string(true)
  const sourceTopics = readScalars(r, true, 1, scalar.string)
  const sourceTopicRegex = readScalars(r, true, 1, scalar.string)
  const stateChangelogTopics = readStructs(r, version, true, 9, readTopicInfo)
  const repartitionSinkTopics = readScalars(r, true, 1, scalar.string)
  const repartitionSourceTopics = readStructs(r, version, true, 9, readTopicInfo)
  const copartitionGroups = readStructs(r, version, true, 4, readCopartitionGroup)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { subtopologyId, sourceTopics, sourceTopicRegex, stateChangelogTopics, repartitionSinkTopics, repartitionSourceTopics, copartitionGroups } : { subtopologyId, sourceTopics, sourceTopicRegex, stateChangelogTopics, repartitionSinkTopics, repartitionSourceTopics, copartitionGroups, unknownTags }
}

export function writeSubtopology(w: Writer, value: Input<Subtopology>, version: number): void {
  w.string(value.subtopologyId ?? '', true)
  {
    const v = value.sourceTopics === undefined ? [] : value.sourceTopics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.sourceTopicRegex === undefined ? [] : value.sourceTopicRegex
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.stateChangelogTopics === undefined ? [] : value.stateChangelogTopics
    w.count(v.length, true)
    for (const e of v) writeTopicInfo(w, e, version)
  }
  {
    const v = value.repartitionSinkTopics === undefined ? [] : value.repartitionSinkTopics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.repartitionSourceTopics === undefined ? [] : value.repartitionSourceTopics
    w.count(v.length, true)
    for (const e of v) writeTopicInfo(w, e, version)
  }
  {
    const v = value.copartitionGroups === undefined ? [] : value.copartitionGroups
    w.count(v.length, true)
    for (const e of v) writeCopartitionGroup(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Topology {
  readonly epoch: number
  readonly subtopologies: readonly Subtopology[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopology(r: Reader, version: number): Topology {
  const epoch = r.int32()
  const subtopologies = readStructs(r, version, true, 8, readSubtopology)
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
    const v = value.subtopologies === undefined ? [] : value.subtopologies
    w.count(v.length, true)
    for (const e of v) writeSubtopology(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StreamsGroupHeartbeatRequest {
  readonly groupId: string
  readonly memberId: string
  readonly memberEpoch: number
  readonly endpointInformationEpoch: number
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly rebalanceTimeoutMs: number
  readonly topology: Topology | null
  readonly activeTasks: readonly StreamsGroupHeartbeatRequestTaskIds[] | null
  readonly standbyTasks: readonly StreamsGroupHeartbeatRequestTaskIds[] | null
  readonly warmupTasks: readonly StreamsGroupHeartbeatRequestTaskIds[] | null
  readonly processId: string | null
  readonly userEndpoint: StreamsGroupHeartbeatRequestEndpoint | null
  readonly clientTags: readonly KeyValue[] | null
  readonly taskOffsets: readonly TaskOffset[] | null
  readonly taskEndOffsets: readonly TaskOffset[] | null
  readonly shutdownApplication: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatRequest(r: Reader, version: number): StreamsGroupHeartbeatRequest {
  const groupId = r.string(true)
  const memberId = r.string(true)
  const memberEpoch = r.int32()
  const endpointInformationEpoch = r.int32()
  const instanceId = r.nullableString(true)
  const rackId = r.nullableString(true)
  const rebalanceTimeoutMs = r.int32()
  const topology = readNullableStruct(r, version, readTopology)
  const activeTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatRequestTaskIds)
  const standbyTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatRequestTaskIds)
  const warmupTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatRequestTaskIds)
  const processId = r.nullableString(true)
  const userEndpoint = readNullableStruct(r, version, readStreamsGroupHeartbeatRequestEndpoint)
  const clientTags = readNullableStructs(r, version, true, 3, readKeyValue)
  const taskOffsets = readNullableStructs(r, version, true, 14, readTaskOffset)
  const taskEndOffsets = readNullableStructs(r, version, true, 14, readTaskOffset)
  const shutdownApplication = r.bool()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, memberEpoch, endpointInformationEpoch, instanceId, rackId, rebalanceTimeoutMs, topology, activeTasks, standbyTasks, warmupTasks, processId, userEndpoint, clientTags, taskOffsets, taskEndOffsets, shutdownApplication } : { groupId, memberId, memberEpoch, endpointInformationEpoch, instanceId, rackId, rebalanceTimeoutMs, topology, activeTasks, standbyTasks, warmupTasks, processId, userEndpoint, clientTags, taskOffsets, taskEndOffsets, shutdownApplication, unknownTags }
}

export function writeStreamsGroupHeartbeatRequest(w: Writer, value: Input<StreamsGroupHeartbeatRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  w.string(value.memberId ?? '', true)
  w.int32(value.memberEpoch ?? 0)
  w.int32(value.endpointInformationEpoch ?? 0)
  w.string(value.instanceId ?? null, true)
  w.string(value.rackId ?? null, true)
  w.int32(value.rebalanceTimeoutMs ?? -1)
  {
    const v = value.topology === undefined ? null : value.topology
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeTopology(w, v, version)
    }
  }
  {
    const v = value.activeTasks === undefined ? null : value.activeTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatRequestTaskIds(w, e, version)
    }
  }
  {
    const v = value.standbyTasks === undefined ? null : value.standbyTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatRequestTaskIds(w, e, version)
    }
  }
  {
    const v = value.warmupTasks === undefined ? null : value.warmupTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatRequestTaskIds(w, e, version)
    }
  }
  w.string(value.processId ?? null, true)
  {
    const v = value.userEndpoint === undefined ? null : value.userEndpoint
    if (v === null) w.int8(-1)
    else {
      w.int8(1)
      writeStreamsGroupHeartbeatRequestEndpoint(w, v, version)
    }
  }
  {
    const v = value.clientTags === undefined ? null : value.clientTags
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeKeyValue(w, e, version)
    }
  }
  {
    const v = value.taskOffsets === undefined ? null : value.taskOffsets
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeTaskOffset(w, e, version)
    }
  }
  {
    const v = value.taskEndOffsets === undefined ? null : value.taskEndOffsets
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeTaskOffset(w, e, version)
    }
  }
  w.bool(value.shutdownApplication ?? false)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Status {
  readonly statusCode: number
  readonly statusDetail: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStatus(r: Reader, _version: number): Status {
  const statusCode = r.int8()
  const statusDetail = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { statusCode, statusDetail } : { statusCode, statusDetail, unknownTags }
}

export function writeStatus(w: Writer, value: Input<Status>, _version: number): void {
  w.int8(value.statusCode ?? 0)
  w.string(value.statusDetail ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicPartition {
  readonly topic: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartition(r: Reader, _version: number): TopicPartition {
  const topic = r.string(true)
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topic, partitions } : { topic, partitions, unknownTags }
}

export function writeTopicPartition(w: Writer, value: Input<TopicPartition>, _version: number): void {
  w.string(value.topic ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StreamsGroupHeartbeatResponseTaskIds {
  readonly subtopologyId: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatResponseTaskIds(r: Reader, _version: number): StreamsGroupHeartbeatResponseTaskIds {
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

export function writeStreamsGroupHeartbeatResponseTaskIds(w: Writer, value: Input<StreamsGroupHeartbeatResponseTaskIds>, _version: number): void {
  w.string(value.subtopologyId ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StreamsGroupHeartbeatResponseEndpoint {
  readonly host: string
  readonly port: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatResponseEndpoint(r: Reader, _version: number): StreamsGroupHeartbeatResponseEndpoint {
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

export function writeStreamsGroupHeartbeatResponseEndpoint(w: Writer, value: Input<StreamsGroupHeartbeatResponseEndpoint>, _version: number): void {
  w.string(value.host ?? '', true)
  w.uint16(value.port ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface EndpointToPartitions {
  readonly userEndpoint: StreamsGroupHeartbeatResponseEndpoint
  readonly activePartitions: readonly TopicPartition[]
  readonly standbyPartitions: readonly TopicPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEndpointToPartitions(r: Reader, version: number): EndpointToPartitions {
  const userEndpoint = readStreamsGroupHeartbeatResponseEndpoint(r, version)
  const activePartitions = readStructs(r, version, true, 3, readTopicPartition)
  const standbyPartitions = readStructs(r, version, true, 3, readTopicPartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { userEndpoint, activePartitions, standbyPartitions } : { userEndpoint, activePartitions, standbyPartitions, unknownTags }
}

export function writeEndpointToPartitions(w: Writer, value: Input<EndpointToPartitions>, version: number): void {
  {
    const v = value.userEndpoint === undefined ? {} : value.userEndpoint
    writeStreamsGroupHeartbeatResponseEndpoint(w, v, version)
  }
  {
    const v = value.activePartitions === undefined ? [] : value.activePartitions
    w.count(v.length, true)
    for (const e of v) writeTopicPartition(w, e, version)
  }
  {
    const v = value.standbyPartitions === undefined ? [] : value.standbyPartitions
    w.count(v.length, true)
    for (const e of v) writeTopicPartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StreamsGroupHeartbeatResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly memberId: string
  readonly memberEpoch: number
  readonly heartbeatIntervalMs: number
  readonly acceptableRecoveryLag: number
  readonly taskOffsetIntervalMs: number
  readonly status: readonly Status[] | null
  readonly activeTasks: readonly StreamsGroupHeartbeatResponseTaskIds[] | null
  readonly standbyTasks: readonly StreamsGroupHeartbeatResponseTaskIds[] | null
  readonly warmupTasks: readonly StreamsGroupHeartbeatResponseTaskIds[] | null
  readonly endpointInformationEpoch: number
  readonly partitionsByUserEndpoint: readonly EndpointToPartitions[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStreamsGroupHeartbeatResponse(r: Reader, version: number): StreamsGroupHeartbeatResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const memberId = r.string(true)
  const memberEpoch = r.int32()
  const heartbeatIntervalMs = r.int32()
  const acceptableRecoveryLag = r.int32()
  const taskOffsetIntervalMs = r.int32()
  const status = readNullableStructs(r, version, true, 3, readStatus)
  const activeTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatResponseTaskIds)
  const standbyTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatResponseTaskIds)
  const warmupTasks = readNullableStructs(r, version, true, 3, readStreamsGroupHeartbeatResponseTaskIds)
  const endpointInformationEpoch = r.int32()
  const partitionsByUserEndpoint = readNullableStructs(r, version, true, 7, readEndpointToPartitions)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, memberId, memberEpoch, heartbeatIntervalMs, acceptableRecoveryLag, taskOffsetIntervalMs, status, activeTasks, standbyTasks, warmupTasks, endpointInformationEpoch, partitionsByUserEndpoint } : { throttleTimeMs, errorCode, errorMessage, memberId, memberEpoch, heartbeatIntervalMs, acceptableRecoveryLag, taskOffsetIntervalMs, status, activeTasks, standbyTasks, warmupTasks, endpointInformationEpoch, partitionsByUserEndpoint, unknownTags }
}

export function writeStreamsGroupHeartbeatResponse(w: Writer, value: Input<StreamsGroupHeartbeatResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.string(value.memberId ?? '', true)
  w.int32(value.memberEpoch ?? 0)
  w.int32(value.heartbeatIntervalMs ?? 0)
  w.int32(value.acceptableRecoveryLag ?? 0)
  w.int32(value.taskOffsetIntervalMs ?? 0)
  {
    const v = value.status === undefined ? null : value.status
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStatus(w, e, version)
    }
  }
  {
    const v = value.activeTasks === undefined ? null : value.activeTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatResponseTaskIds(w, e, version)
    }
  }
  {
    const v = value.standbyTasks === undefined ? null : value.standbyTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatResponseTaskIds(w, e, version)
    }
  }
  {
    const v = value.warmupTasks === undefined ? null : value.warmupTasks
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeStreamsGroupHeartbeatResponseTaskIds(w, e, version)
    }
  }
  w.int32(value.endpointInformationEpoch ?? 0)
  {
    const v = value.partitionsByUserEndpoint === undefined ? null : value.partitionsByUserEndpoint
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeEndpointToPartitions(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const streamsGroupHeartbeatApi: Api<StreamsGroupHeartbeatRequest, StreamsGroupHeartbeatResponse> = {
  key: 88,
  name: 'StreamsGroupHeartbeat',
  minVersion: 0,
  maxVersion: -1,
  flexibleFrom: 0,
  readRequest: readStreamsGroupHeartbeatRequest,
  writeRequest: writeStreamsGroupHeartbeatRequest,
  readResponse: readStreamsGroupHeartbeatResponse,
  writeResponse: writeStreamsGroupHeartbeatResponse,
}
