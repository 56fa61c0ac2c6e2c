/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ListPartitionReassignmentsTopics {
  readonly name: string
  readonly partitionIndexes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListPartitionReassignmentsTopics(r: Reader, _version: number): ListPartitionReassignmentsTopics {
  const name = r.string(true)
  const partitionIndexes = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitionIndexes } : { name, partitionIndexes, unknownTags }
}

export function writeListPartitionReassignmentsTopics(w: Writer, value: Input<ListPartitionReassignmentsTopics>, _version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitionIndexes === undefined ? [] : value.partitionIndexes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ListPartitionReassignmentsRequest {
  readonly timeoutMs: number
  readonly topics: readonly ListPartitionReassignmentsTopics[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListPartitionReassignmentsRequest(r: Reader, version: number): ListPartitionReassignmentsRequest {
  const timeoutMs = r.int32()
  const topics = readNullableStructs(r, version, true, 3, readListPartitionReassignmentsTopics)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { timeoutMs, topics } : { timeoutMs, topics, unknownTags }
}

export function writeListPartitionReassignmentsRequest(w: Writer, value: Input<ListPartitionReassignmentsRequest>, version: number): void {
  w.int32(value.timeoutMs ?? 60000)
  {
    const v = value.topics === undefined ? null : value.topics
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeListPartitionReassignmentsTopics(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OngoingPartitionReassignment {
  readonly partitionIndex: number
  readonly replicas: readonly number[]
  readonly addingReplicas: readonly number[]
  readonly removingReplicas: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOngoingPartitionReassignment(r: Reader, _version: number): OngoingPartitionReassignment {
  const partitionIndex = r.int32()
  const replicas = readScalars(r, true, 4, scalar.int32)
  const addingReplicas = readScalars(r, true, 4, scalar.int32)
  const removingReplicas = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, replicas, addingReplicas, removingReplicas } : { partitionIndex, replicas, addingReplicas, removingReplicas, unknownTags }
}

export function writeOngoingPartitionReassignment(w: Writer, value: Input<OngoingPartitionReassignment>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  {
    const v = value.replicas === undefined ? [] : value.replicas
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  {
    const v = value.addingReplicas === undefined ? [] : value.addingReplicas
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  {
    const v = value.removingReplicas === undefined ? [] : value.removingReplicas
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface OngoingTopicReassignment {
  readonly name: string
  readonly partitions: readonly OngoingPartitionReassignment[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOngoingTopicReassignment(r: Reader, version: number): OngoingTopicReassignment {
  const name = r.string(true)
  const partitions = readStructs(r, version, true, 8, readOngoingPartitionReassignment)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeOngoingTopicReassignment(w: Writer, value: Input<OngoingTopicReassignment>, version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeOngoingPartitionReassignment(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ListPartitionReassignmentsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly topics: readonly OngoingTopicReassignment[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListPartitionReassignmentsResponse(r: Reader, version: number): ListPartitionReassignmentsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const topics = readStructs(r, version, true, 3, readOngoingTopicReassignment)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, topics } : { throttleTimeMs, errorCode, errorMessage, topics, unknownTags }
}

export function writeListPartitionReassignmentsResponse(w: Writer, value: Input<ListPartitionReassignmentsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeOngoingTopicReassignment(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const listPartitionReassignmentsApi: Api<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse> = {
  key: 46,
  name: 'ListPartitionReassignments',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readListPartitionReassignmentsRequest,
  writeRequest: writeListPartitionReassignmentsRequest,
  readResponse: readListPartitionReassignmentsResponse,
  writeResponse: writeListPartitionReassignmentsResponse,
}
