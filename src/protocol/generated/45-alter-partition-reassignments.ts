/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ReassignablePartition {
  readonly partitionIndex: number
  readonly replicas: readonly number[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReassignablePartition(r: Reader, _version: number): ReassignablePartition {
  const partitionIndex = r.int32()
  const replicas = readNullableScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, replicas } : { partitionIndex, replicas, unknownTags }
}

export function writeReassignablePartition(w: Writer, value: Input<ReassignablePartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  {
    const v = value.replicas === undefined ? null : value.replicas
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) w.int32(e)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReassignableTopic {
  readonly name: string
  readonly partitions: readonly ReassignablePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReassignableTopic(r: Reader, version: number): ReassignableTopic {
  const name = r.string(true)
  const partitions = readStructs(r, version, true, 6, readReassignablePartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeReassignableTopic(w: Writer, value: Input<ReassignableTopic>, version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeReassignablePartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterPartitionReassignmentsRequest {
  readonly timeoutMs: number
  readonly allowReplicationFactorChange: boolean // v1+
  readonly topics: readonly ReassignableTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterPartitionReassignmentsRequest(r: Reader, version: number): AlterPartitionReassignmentsRequest {
  const timeoutMs = r.int32()
  const allowReplicationFactorChange = version >= 1 ? r.bool() : true
  const topics = readStructs(r, version, true, 3, readReassignableTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { timeoutMs, allowReplicationFactorChange, topics } : { timeoutMs, allowReplicationFactorChange, topics, unknownTags }
}

export function writeAlterPartitionReassignmentsRequest(w: Writer, value: Input<AlterPartitionReassignmentsRequest>, version: number): void {
  w.int32(value.timeoutMs ?? 60000)
  if (version >= 1) {
    w.bool(value.allowReplicationFactorChange ?? true)
  } else if (value.allowReplicationFactorChange !== undefined && value.allowReplicationFactorChange !== true) {
    throw unsupportedField('AlterPartitionReassignmentsRequest.allowReplicationFactorChange', version)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeReassignableTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReassignablePartitionResponse {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReassignablePartitionResponse(r: Reader, _version: number): ReassignablePartitionResponse {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage } : { partitionIndex, errorCode, errorMessage, unknownTags }
}

export function writeReassignablePartitionResponse(w: Writer, value: Input<ReassignablePartitionResponse>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReassignableTopicResponse {
  readonly name: string
  readonly partitions: readonly ReassignablePartitionResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReassignableTopicResponse(r: Reader, version: number): ReassignableTopicResponse {
  const name = r.string(true)
  const partitions = readStructs(r, version, true, 8, readReassignablePartitionResponse)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeReassignableTopicResponse(w: Writer, value: Input<ReassignableTopicResponse>, version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeReassignablePartitionResponse(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterPartitionReassignmentsResponse {
  readonly throttleTimeMs: number
  readonly allowReplicationFactorChange: boolean // v1+
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly responses: readonly ReassignableTopicResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterPartitionReassignmentsResponse(r: Reader, version: number): AlterPartitionReassignmentsResponse {
  const throttleTimeMs = r.int32()
  const allowReplicationFactorChange = version >= 1 ? r.bool() : true
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const responses = readStructs(r, version, true, 3, readReassignableTopicResponse)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, allowReplicationFactorChange, errorCode, errorMessage, responses } : { throttleTimeMs, allowReplicationFactorChange, errorCode, errorMessage, responses, unknownTags }
}

export function writeAlterPartitionReassignmentsResponse(w: Writer, value: Input<AlterPartitionReassignmentsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  if (version >= 1) {
    w.bool(value.allowReplicationFactorChange ?? true)
  }
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, true)
    for (const e of v) writeReassignableTopicResponse(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const alterPartitionReassignmentsApi: Api<AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse> = {
  key: 45,
  name: 'AlterPartitionReassignments',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  readRequest: readAlterPartitionReassignmentsRequest,
  writeRequest: writeAlterPartitionReassignmentsRequest,
  readResponse: readAlterPartitionReassignmentsResponse,
  writeResponse: writeAlterPartitionReassignmentsResponse,
}
