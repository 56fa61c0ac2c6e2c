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
  readonly leaderEpoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, _version: number): PartitionData {
  const partition = r.int32()
  const leaderEpoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, leaderEpoch } : { partition, leaderEpoch, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, _version: number): void {
  w.int32(value.partition ?? 0)
  w.int32(value.leaderEpoch ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadStateSummaryData {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadStateSummaryData(r: Reader, version: number): ReadStateSummaryData {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 9, readPartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeReadStateSummaryData(w: Writer, value: Input<ReadStateSummaryData>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadShareGroupStateSummaryRequest {
  readonly groupId: string
  readonly topics: readonly ReadStateSummaryData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadShareGroupStateSummaryRequest(r: Reader, version: number): ReadShareGroupStateSummaryRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 18, readReadStateSummaryData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeReadShareGroupStateSummaryRequest(w: Writer, value: Input<ReadShareGroupStateSummaryRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeReadStateSummaryData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionResult {
  readonly partition: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly stateEpoch: number
  readonly leaderEpoch: number
  readonly startOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionResult(r: Reader, _version: number): PartitionResult {
  const partition = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const stateEpoch = r.int32()
  const leaderEpoch = r.int32()
  const startOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, errorCode, errorMessage, stateEpoch, leaderEpoch, startOffset } : { partition, errorCode, errorMessage, stateEpoch, leaderEpoch, startOffset, unknownTags }
}

export function writePartitionResult(w: Writer, value: Input<PartitionResult>, _version: number): void {
  w.int32(value.partition ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.int32(value.stateEpoch ?? 0)
  w.int32(value.leaderEpoch ?? 0)
  w.int64(value.startOffset ?? 0n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadStateSummaryResult {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadStateSummaryResult(r: Reader, version: number): ReadStateSummaryResult {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 24, readPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeReadStateSummaryResult(w: Writer, value: Input<ReadStateSummaryResult>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadShareGroupStateSummaryResponse {
  readonly results: readonly ReadStateSummaryResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadShareGroupStateSummaryResponse(r: Reader, version: number): ReadShareGroupStateSummaryResponse {
  const results = readStructs(r, version, true, 18, readReadStateSummaryResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { results } : { results, unknownTags }
}

export function writeReadShareGroupStateSummaryResponse(w: Writer, value: Input<ReadShareGroupStateSummaryResponse>, version: number): void {
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeReadStateSummaryResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const readShareGroupStateSummaryApi: Api<ReadShareGroupStateSummaryRequest, ReadShareGroupStateSummaryResponse> = {
  key: 87,
  name: 'ReadShareGroupStateSummary',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readReadShareGroupStateSummaryRequest,
  writeRequest: writeReadShareGroupStateSummaryRequest,
  readResponse: readReadShareGroupStateSummaryResponse,
  writeResponse: writeReadShareGroupStateSummaryResponse,
}
