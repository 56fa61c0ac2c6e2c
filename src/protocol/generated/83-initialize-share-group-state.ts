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
  readonly stateEpoch: number
  readonly startOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, _version: number): PartitionData {
  const partition = r.int32()
  const stateEpoch = r.int32()
  const startOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, stateEpoch, startOffset } : { partition, stateEpoch, startOffset, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, _version: number): void {
  w.int32(value.partition ?? 0)
  w.int32(value.stateEpoch ?? 0)
  w.int64(value.startOffset ?? 0n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface InitializeStateData {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitializeStateData(r: Reader, version: number): InitializeStateData {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 17, readPartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeInitializeStateData(w: Writer, value: Input<InitializeStateData>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface InitializeShareGroupStateRequest {
  readonly groupId: string
  readonly topics: readonly InitializeStateData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitializeShareGroupStateRequest(r: Reader, version: number): InitializeShareGroupStateRequest {
  const groupId = r.string(true)
  const topics = readStructs(r, version, true, 18, readInitializeStateData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, topics } : { groupId, topics, unknownTags }
}

export function writeInitializeShareGroupStateRequest(w: Writer, value: Input<InitializeShareGroupStateRequest>, version: number): void {
  w.string(value.groupId ?? '', true)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeInitializeStateData(w, e, version)
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

export interface InitializeStateResult {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitializeStateResult(r: Reader, version: number): InitializeStateResult {
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

export function writeInitializeStateResult(w: Writer, value: Input<InitializeStateResult>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface InitializeShareGroupStateResponse {
  readonly results: readonly InitializeStateResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitializeShareGroupStateResponse(r: Reader, version: number): InitializeShareGroupStateResponse {
  const results = readStructs(r, version, true, 18, readInitializeStateResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { results } : { results, unknownTags }
}

export function writeInitializeShareGroupStateResponse(w: Writer, value: Input<InitializeShareGroupStateResponse>, version: number): void {
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeInitializeStateResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const initializeShareGroupStateApi: Api<InitializeShareGroupStateRequest, InitializeShareGroupStateResponse> = {
  key: 83,
  name: 'InitializeShareGroupState',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readInitializeShareGroupStateRequest,
  writeRequest: writeInitializeShareGroupStateRequest,
  readResponse: readInitializeShareGroupStateResponse,
  writeResponse: writeInitializeShareGroupStateResponse,
}
