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

export interface ReadStateData {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadStateData(r: Reader, version: number): ReadStateData {
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

export function writeReadStateData(w: Writer, value: Input<ReadStateData>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadShareGroupStateRequest {
  readonly groupId: string
  readonly topics: readonly ReadStateData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadShareGroupStateRequest(r: Reader, version: number): ReadShareGroupStateRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 18, readReadStateData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeReadShareGroupStateRequest(w: Writer, value: Input<ReadShareGroupStateRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeReadStateData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface StateBatch {
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly deliveryState: number
  readonly deliveryCount: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readStateBatch(r: Reader, _version: number): StateBatch {
  const firstOffset = r.int64()
  const lastOffset = r.int64()
  const deliveryState = r.int8()
  const deliveryCount = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { firstOffset, lastOffset, deliveryState, deliveryCount } : { firstOffset, lastOffset, deliveryState, deliveryCount, unknownTags }
}

export function writeStateBatch(w: Writer, value: Input<StateBatch>, _version: number): void {
  w.int64(value.firstOffset ?? 0n)
  w.int64(value.lastOffset ?? 0n)
  w.int8(value.deliveryState ?? 0)
  w.int16(value.deliveryCount ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionResult {
  readonly partition: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly stateEpoch: number
  readonly startOffset: bigint
  readonly stateBatches: readonly StateBatch[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionResult(r: Reader, version: number): PartitionResult {
  const partition = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const stateEpoch = r.int32()
  const startOffset = r.int64()
  const stateBatches = readStructs(r, version, true, 20, readStateBatch)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, errorCode, errorMessage, stateEpoch, startOffset, stateBatches } : { partition, errorCode, errorMessage, stateEpoch, startOffset, stateBatches, unknownTags }
}

export function writePartitionResult(w: Writer, value: Input<PartitionResult>, version: number): void {
  w.int32(value.partition ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.int32(value.stateEpoch ?? 0)
  w.int64(value.startOffset ?? 0n)
  {
    const v = value.stateBatches === undefined ? [] : value.stateBatches
    w.count(v.length, true)
    for (const e of v) writeStateBatch(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadStateResult {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadStateResult(r: Reader, version: number): ReadStateResult {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 21, readPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeReadStateResult(w: Writer, value: Input<ReadStateResult>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReadShareGroupStateResponse {
  readonly results: readonly ReadStateResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReadShareGroupStateResponse(r: Reader, version: number): ReadShareGroupStateResponse {
  const results = readStructs(r, version, true, 18, readReadStateResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { results } : { results, unknownTags }
}

export function writeReadShareGroupStateResponse(w: Writer, value: Input<ReadShareGroupStateResponse>, version: number): void {
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeReadStateResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const readShareGroupStateApi: Api<ReadShareGroupStateRequest, ReadShareGroupStateResponse> = {
  key: 84,
  name: 'ReadShareGroupState',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readReadShareGroupStateRequest,
  writeRequest: writeReadShareGroupStateRequest,
  readResponse: readReadShareGroupStateResponse,
  writeResponse: writeReadShareGroupStateResponse,
}
