/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartitions(r: Reader, version: number): TopicPartitions {
  const flexible = version >= 2
  const topic = r.string(flexible)
  const partitions = readScalars(r, flexible, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, partitions } : { topic, partitions, unknownTags }
}

export function writeTopicPartitions(w: Writer, value: Input<TopicPartitions>, version: number): void {
  const flexible = version >= 2
  w.string(value.topic ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ElectLeadersRequest {
  readonly electionType: number // v1+
  readonly topicPartitions: readonly TopicPartitions[] | null
  readonly timeoutMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readElectLeadersRequest(r: Reader, version: number): ElectLeadersRequest {
  const flexible = version >= 2
  const electionType = version >= 1 ? r.int8() : 0
  const topicPartitions = readNullableStructs(r, version, flexible, 3, readTopicPartitions)
  const timeoutMs = r.int32()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { electionType, topicPartitions, timeoutMs } : { electionType, topicPartitions, timeoutMs, unknownTags }
}

export function writeElectLeadersRequest(w: Writer, value: Input<ElectLeadersRequest>, version: number): void {
  const flexible = version >= 2
  if (version >= 1) {
    w.int8(value.electionType ?? 0)
  } else if (value.electionType !== undefined && value.electionType !== 0) {
    throw unsupportedField('ElectLeadersRequest.electionType', version)
  }
  {
    const v = value.topicPartitions === undefined ? [] : value.topicPartitions
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeTopicPartitions(w, e, version)
    }
  }
  w.int32(value.timeoutMs ?? 60000)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface PartitionResult {
  readonly partitionId: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionResult(r: Reader, version: number): PartitionResult {
  const flexible = version >= 2
  const partitionId = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionId, errorCode, errorMessage } : { partitionId, errorCode, errorMessage, unknownTags }
}

export function writePartitionResult(w: Writer, value: Input<PartitionResult>, version: number): void {
  const flexible = version >= 2
  w.int32(value.partitionId ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ReplicaElectionResult {
  readonly topic: string
  readonly partitionResult: readonly PartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReplicaElectionResult(r: Reader, version: number): ReplicaElectionResult {
  const flexible = version >= 2
  const topic = r.string(flexible)
  const partitionResult = readStructs(r, version, flexible, 8, readPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, partitionResult } : { topic, partitionResult, unknownTags }
}

export function writeReplicaElectionResult(w: Writer, value: Input<ReplicaElectionResult>, version: number): void {
  const flexible = version >= 2
  w.string(value.topic ?? '', flexible)
  {
    const v = value.partitionResult === undefined ? [] : value.partitionResult
    w.count(v.length, flexible)
    for (const e of v) writePartitionResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ElectLeadersResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number // v1+
  readonly replicaElectionResults: readonly ReplicaElectionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readElectLeadersResponse(r: Reader, version: number): ElectLeadersResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const errorCode = version >= 1 ? r.int16() : 0
  const replicaElectionResults = readStructs(r, version, flexible, 3, readReplicaElectionResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, replicaElectionResults } : { throttleTimeMs, errorCode, replicaElectionResults, unknownTags }
}

export function writeElectLeadersResponse(w: Writer, value: Input<ElectLeadersResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  if (version >= 1) {
    w.int16(value.errorCode ?? 0)
  }
  {
    const v = value.replicaElectionResults === undefined ? [] : value.replicaElectionResults
    w.count(v.length, flexible)
    for (const e of v) writeReplicaElectionResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const electLeadersApi: Api<ElectLeadersRequest, ElectLeadersResponse> = {
  key: 43,
  name: 'ElectLeaders',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readElectLeadersRequest,
  writeRequest: writeElectLeadersRequest,
  readResponse: readElectLeadersResponse,
  writeResponse: writeElectLeadersResponse,
}
