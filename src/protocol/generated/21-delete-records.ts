/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DeleteRecordsPartition {
  readonly partitionIndex: number
  readonly offset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsPartition(r: Reader, version: number): DeleteRecordsPartition {
  const flexible = version >= 2
  const partitionIndex = r.int32()
  const offset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, offset } : { partitionIndex, offset, unknownTags }
}

export function writeDeleteRecordsPartition(w: Writer, value: Input<DeleteRecordsPartition>, version: number): void {
  const flexible = version >= 2
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.offset ?? 0n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteRecordsTopic {
  readonly name: string
  readonly partitions: readonly DeleteRecordsPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsTopic(r: Reader, version: number): DeleteRecordsTopic {
  const flexible = version >= 2
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 12, readDeleteRecordsPartition)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeDeleteRecordsTopic(w: Writer, value: Input<DeleteRecordsTopic>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeDeleteRecordsPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteRecordsRequest {
  readonly topics: readonly DeleteRecordsTopic[]
  readonly timeoutMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsRequest(r: Reader, version: number): DeleteRecordsRequest {
  const flexible = version >= 2
  const topics = readStructs(r, version, flexible, 3, readDeleteRecordsTopic)
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
  return unknownTags === undefined ? { topics, timeoutMs } : { topics, timeoutMs, unknownTags }
}

export function writeDeleteRecordsRequest(w: Writer, value: Input<DeleteRecordsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeDeleteRecordsTopic(w, e, version)
  }
  w.int32(value.timeoutMs ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteRecordsPartitionResult {
  readonly partitionIndex: number
  readonly lowWatermark: bigint
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsPartitionResult(r: Reader, version: number): DeleteRecordsPartitionResult {
  const flexible = version >= 2
  const partitionIndex = r.int32()
  const lowWatermark = r.int64()
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, lowWatermark, errorCode } : { partitionIndex, lowWatermark, errorCode, unknownTags }
}

export function writeDeleteRecordsPartitionResult(w: Writer, value: Input<DeleteRecordsPartitionResult>, version: number): void {
  const flexible = version >= 2
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.lowWatermark ?? 0n)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteRecordsTopicResult {
  readonly name: string
  readonly partitions: readonly DeleteRecordsPartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsTopicResult(r: Reader, version: number): DeleteRecordsTopicResult {
  const flexible = version >= 2
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 14, readDeleteRecordsPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeDeleteRecordsTopicResult(w: Writer, value: Input<DeleteRecordsTopicResult>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeDeleteRecordsPartitionResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteRecordsResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly DeleteRecordsTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteRecordsResponse(r: Reader, version: number): DeleteRecordsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, flexible, 3, readDeleteRecordsTopicResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, topics } : { throttleTimeMs, topics, unknownTags }
}

export function writeDeleteRecordsResponse(w: Writer, value: Input<DeleteRecordsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeDeleteRecordsTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const deleteRecordsApi: Api<DeleteRecordsRequest, DeleteRecordsResponse> = {
  key: 21,
  name: 'DeleteRecords',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readDeleteRecordsRequest,
  writeRequest: writeDeleteRecordsRequest,
  readResponse: readDeleteRecordsResponse,
  writeResponse: writeDeleteRecordsResponse,
}
