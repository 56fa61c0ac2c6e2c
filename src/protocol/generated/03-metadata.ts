/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface MetadataRequestTopic {
  readonly topicId: Uuid // v10+
  readonly name: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataRequestTopic(r: Reader, version: number): MetadataRequestTopic {
  const flexible = version >= 9
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const name = (version >= 10 ? r.nullableString(flexible) : r.string(flexible))
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topicId, name } : { topicId, name, unknownTags }
}

export function writeMetadataRequestTopic(w: Writer, value: Input<MetadataRequestTopic>, version: number): void {
  const flexible = version >= 9
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.name === undefined ? '' : value.name
    if (!(version >= 10) && v === null) throw unsupportedField('MetadataRequest.name = null', version)
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MetadataRequest {
  readonly topics: readonly MetadataRequestTopic[] | null
  readonly allowAutoTopicCreation: boolean // v4+
  readonly includeClusterAuthorizedOperations: boolean // v8–10
  readonly includeTopicAuthorizedOperations: boolean // v8+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataRequest(r: Reader, version: number): MetadataRequest {
  const flexible = version >= 9
  const topics = (version >= 1 ? readNullableStructs(r, version, flexible, 2, readMetadataRequestTopic) : readStructs(r, version, flexible, 2, readMetadataRequestTopic))
  const allowAutoTopicCreation = version >= 4 ? r.bool() : true
  const includeClusterAuthorizedOperations = version >= 8 && version <= 10 ? r.bool() : false
  const includeTopicAuthorizedOperations = version >= 8 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topics, allowAutoTopicCreation, includeClusterAuthorizedOperations, includeTopicAuthorizedOperations } : { topics, allowAutoTopicCreation, includeClusterAuthorizedOperations, includeTopicAuthorizedOperations, unknownTags }
}

export function writeMetadataRequest(w: Writer, value: Input<MetadataRequest>, version: number): void {
  const flexible = version >= 9
  {
    const v = value.topics === undefined ? [] : value.topics
    if (!(version >= 1) && v === null) throw unsupportedField('MetadataRequest.topics = null', version)
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeMetadataRequestTopic(w, e, version)
    }
  }
  if (version >= 4) {
    w.bool(value.allowAutoTopicCreation ?? true)
  } else if (value.allowAutoTopicCreation !== undefined && value.allowAutoTopicCreation !== true) {
    throw unsupportedField('MetadataRequest.allowAutoTopicCreation', version)
  }
  if (version >= 8 && version <= 10) {
    w.bool(value.includeClusterAuthorizedOperations ?? false)
  } else if (value.includeClusterAuthorizedOperations !== undefined && value.includeClusterAuthorizedOperations !== false) {
    throw unsupportedField('MetadataRequest.includeClusterAuthorizedOperations', version)
  }
  if (version >= 8) {
    w.bool(value.includeTopicAuthorizedOperations ?? false)
  } else if (value.includeTopicAuthorizedOperations !== undefined && value.includeTopicAuthorizedOperations !== false) {
    throw unsupportedField('MetadataRequest.includeTopicAuthorizedOperations', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MetadataResponseBroker {
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly rack: string | null // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataResponseBroker(r: Reader, version: number): MetadataResponseBroker {
  const flexible = version >= 9
  const nodeId = r.int32()
  const host = r.string(flexible)
  const port = r.int32()
  const rack = version >= 1 ? r.nullableString(flexible) : null
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { nodeId, host, port, rack } : { nodeId, host, port, rack, unknownTags }
}

export function writeMetadataResponseBroker(w: Writer, value: Input<MetadataResponseBroker>, version: number): void {
  const flexible = version >= 9
  w.int32(value.nodeId ?? 0)
  w.string(value.host ?? '', flexible)
  w.int32(value.port ?? 0)
  if (version >= 1) {
    w.string(value.rack ?? null, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MetadataResponsePartition {
  readonly errorCode: number
  readonly partitionIndex: number
  readonly leaderId: number
  readonly leaderEpoch: number // v7+
  readonly replicaNodes: readonly number[]
  readonly isrNodes: readonly number[]
  readonly offlineReplicas: readonly number[] // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataResponsePartition(r: Reader, version: number): MetadataResponsePartition {
  const flexible = version >= 9
  const errorCode = r.int16()
  const partitionIndex = r.int32()
  const leaderId = r.int32()
  const leaderEpoch = version >= 7 ? r.int32() : -1
  const replicaNodes = readScalars(r, flexible, 4, scalar.int32)
  const isrNodes = readScalars(r, flexible, 4, scalar.int32)
  const offlineReplicas = version >= 5 ? readScalars(r, flexible, 4, scalar.int32) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, offlineReplicas } : { errorCode, partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, offlineReplicas, unknownTags }
}

export function writeMetadataResponsePartition(w: Writer, value: Input<MetadataResponsePartition>, version: number): void {
  const flexible = version >= 9
  w.int16(value.errorCode ?? 0)
  w.int32(value.partitionIndex ?? 0)
  w.int32(value.leaderId ?? 0)
  if (version >= 7) {
    w.int32(value.leaderEpoch ?? -1)
  }
  {
    const v = value.replicaNodes === undefined ? [] : value.replicaNodes
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  {
    const v = value.isrNodes === undefined ? [] : value.isrNodes
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (version >= 5) {
    {
      const v = value.offlineReplicas === undefined ? [] : value.offlineReplicas
      w.count(v.length, flexible)
      for (const e of v) w.int32(e)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MetadataResponseTopic {
  readonly errorCode: number
  readonly name: string | null
  readonly topicId: Uuid // v10+
  readonly isInternal: boolean // v1+
  readonly partitions: readonly MetadataResponsePartition[]
  readonly topicAuthorizedOperations: number // v8+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataResponseTopic(r: Reader, version: number): MetadataResponseTopic {
  const flexible = version >= 9
  const errorCode = r.int16()
  const name = (version >= 12 ? r.nullableString(flexible) : r.string(flexible))
  const topicId = version >= 10 ? r.uuid() : zeroUuid
  const isInternal = version >= 1 ? r.bool() : false
  const partitions = readStructs(r, version, flexible, 18, readMetadataResponsePartition)
  const topicAuthorizedOperations = version >= 8 ? r.int32() : -2147483648
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations } : { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations, unknownTags }
}

export function writeMetadataResponseTopic(w: Writer, value: Input<MetadataResponseTopic>, version: number): void {
  const flexible = version >= 9
  w.int16(value.errorCode ?? 0)
  {
    const v = value.name === undefined ? '' : value.name
    if (!(version >= 12) && v === null) throw unsupportedField('MetadataResponse.name = null', version)
    w.string(v, flexible)
  }
  if (version >= 10) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  if (version >= 1) {
    w.bool(value.isInternal ?? false)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeMetadataResponsePartition(w, e, version)
  }
  if (version >= 8) {
    w.int32(value.topicAuthorizedOperations ?? -2147483648)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MetadataResponse {
  readonly throttleTimeMs: number // v3+
  readonly brokers: readonly MetadataResponseBroker[]
  readonly clusterId: string | null // v2+
  readonly controllerId: number // v1+
  readonly topics: readonly MetadataResponseTopic[]
  readonly clusterAuthorizedOperations: number // v8–10
  readonly errorCode: number // v13+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMetadataResponse(r: Reader, version: number): MetadataResponse {
  const flexible = version >= 9
  const throttleTimeMs = version >= 3 ? r.int32() : 0
  const brokers = readStructs(r, version, flexible, 10, readMetadataResponseBroker)
  const clusterId = version >= 2 ? r.nullableString(flexible) : null
  const controllerId = version >= 1 ? r.int32() : -1
  const topics = readStructs(r, version, flexible, 8, readMetadataResponseTopic)
  const clusterAuthorizedOperations = version >= 8 && version <= 10 ? r.int32() : -2147483648
  const errorCode = version >= 13 ? r.int16() : 0
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, brokers, clusterId, controllerId, topics, clusterAuthorizedOperations, errorCode } : { throttleTimeMs, brokers, clusterId, controllerId, topics, clusterAuthorizedOperations, errorCode, unknownTags }
}

export function writeMetadataResponse(w: Writer, value: Input<MetadataResponse>, version: number): void {
  const flexible = version >= 9
  if (version >= 3) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  {
    const v = value.brokers === undefined ? [] : value.brokers
    w.count(v.length, flexible)
    for (const e of v) writeMetadataResponseBroker(w, e, version)
  }
  if (version >= 2) {
    w.string(value.clusterId ?? null, flexible)
  }
  if (version >= 1) {
    w.int32(value.controllerId ?? -1)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeMetadataResponseTopic(w, e, version)
  }
  if (version >= 8 && version <= 10) {
    w.int32(value.clusterAuthorizedOperations ?? -2147483648)
  }
  if (version >= 13) {
    w.int16(value.errorCode ?? 0)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const metadataApi: Api<MetadataRequest, MetadataResponse> = {
  key: 3,
  name: 'Metadata',
  minVersion: 0,
  maxVersion: 13,
  flexibleFrom: 9,
  readRequest: readMetadataRequest,
  writeRequest: writeMetadataRequest,
  readResponse: readMetadataResponse,
  writeResponse: writeMetadataResponse,
}
