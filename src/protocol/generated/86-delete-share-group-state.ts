/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface PartitionData {
  readonly partition: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, _version: number): PartitionData {
  const partition = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition } : { partition, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, _version: number): void {
  w.int32(value.partition ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteStateData {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteStateData(r: Reader, version: number): DeleteStateData {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 5, readPartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeDeleteStateData(w: Writer, value: Input<DeleteStateData>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteShareGroupStateRequest {
  readonly groupId: string
  readonly topics: readonly DeleteStateData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupStateRequest(r: Reader, version: number): DeleteShareGroupStateRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 18, readDeleteStateData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeDeleteShareGroupStateRequest(w: Writer, value: Input<DeleteShareGroupStateRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDeleteStateData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionResult {
  readonly partition: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionResult(r: Reader, _version: number): PartitionResult {
  const partition = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, errorCode, errorMessage } : { partition, errorCode, errorMessage, unknownTags }
}

export function writePartitionResult(w: Writer, value: Input<PartitionResult>, _version: number): void {
  w.int32(value.partition ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteStateResult {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteStateResult(r: Reader, version: number): DeleteStateResult {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 8, readPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeDeleteStateResult(w: Writer, value: Input<DeleteStateResult>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DeleteShareGroupStateResponse {
  readonly results: readonly DeleteStateResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteShareGroupStateResponse(r: Reader, version: number): DeleteShareGroupStateResponse {
  const results = readStructs(r, version, true, 18, readDeleteStateResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { results } : { results, unknownTags }
}

export function writeDeleteShareGroupStateResponse(w: Writer, value: Input<DeleteShareGroupStateResponse>, version: number): void {
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeDeleteStateResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const deleteShareGroupStateApi: Api<DeleteShareGroupStateRequest, DeleteShareGroupStateResponse> = {
  key: 86,
  name: 'DeleteShareGroupState',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDeleteShareGroupStateRequest,
  writeRequest: writeDeleteShareGroupStateRequest,
  readResponse: readDeleteShareGroupStateResponse,
  writeResponse: writeDeleteShareGroupStateResponse,
}
