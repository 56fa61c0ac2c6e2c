/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ListOffsetsPartition {
  readonly partitionIndex: number
  readonly currentLeaderEpoch: number // v4+
  readonly timestamp: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsPartition(r: Reader, version: number): ListOffsetsPartition {
  const flexible = version >= 6
  const partitionIndex = r.int32()
  const currentLeaderEpoch = version >= 4 ? r.int32() : -1
  const timestamp = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, currentLeaderEpoch, timestamp } : { partitionIndex, currentLeaderEpoch, timestamp, unknownTags }
}

export function writeListOffsetsPartition(w: Writer, value: Input<ListOffsetsPartition>, version: number): void {
  const flexible = version >= 6
  w.int32(value.partitionIndex ?? 0)
  if (version >= 4) {
    w.int32(value.currentLeaderEpoch ?? -1)
  }
  w.int64(value.timestamp ?? 0n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListOffsetsTopic {
  readonly name: string
  readonly partitions: readonly ListOffsetsPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsTopic(r: Reader, version: number): ListOffsetsTopic {
  const flexible = version >= 6
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 12, readListOffsetsPartition)
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

export function writeListOffsetsTopic(w: Writer, value: Input<ListOffsetsTopic>, version: number): void {
  const flexible = version >= 6
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeListOffsetsPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListOffsetsRequest {
  readonly replicaId: number
  readonly isolationLevel: number // v2+
  readonly topics: readonly ListOffsetsTopic[]
  readonly timeoutMs: number // v10+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsRequest(r: Reader, version: number): ListOffsetsRequest {
  const flexible = version >= 6
  const replicaId = r.int32()
  const isolationLevel = version >= 2 ? r.int8() : 0
  const topics = readStructs(r, version, flexible, 3, readListOffsetsTopic)
  const timeoutMs = version >= 10 ? r.int32() : 0
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { replicaId, isolationLevel, topics, timeoutMs } : { replicaId, isolationLevel, topics, timeoutMs, unknownTags }
}

export function writeListOffsetsRequest(w: Writer, value: Input<ListOffsetsRequest>, version: number): void {
  const flexible = version >= 6
  w.int32(value.replicaId ?? 0)
  if (version >= 2) {
    w.int8(value.isolationLevel ?? 0)
  } else if (value.isolationLevel !== undefined && value.isolationLevel !== 0) {
    throw unsupportedField('ListOffsetsRequest.isolationLevel', version)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeListOffsetsTopic(w, e, version)
  }
  if (version >= 10) {
    w.int32(value.timeoutMs ?? 0)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListOffsetsPartitionResponse {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly timestamp: bigint
  readonly offset: bigint
  readonly leaderEpoch: number // v4+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsPartitionResponse(r: Reader, version: number): ListOffsetsPartitionResponse {
  const flexible = version >= 6
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const timestamp = r.int64()
  const offset = r.int64()
  const leaderEpoch = version >= 4 ? r.int32() : -1
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, timestamp, offset, leaderEpoch } : { partitionIndex, errorCode, timestamp, offset, leaderEpoch, unknownTags }
}

export function writeListOffsetsPartitionResponse(w: Writer, value: Input<ListOffsetsPartitionResponse>, version: number): void {
  const flexible = version >= 6
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.int64(value.timestamp ?? -1n)
  w.int64(value.offset ?? -1n)
  if (version >= 4) {
    w.int32(value.leaderEpoch ?? -1)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListOffsetsTopicResponse {
  readonly name: string
  readonly partitions: readonly ListOffsetsPartitionResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsTopicResponse(r: Reader, version: number): ListOffsetsTopicResponse {
  const flexible = version >= 6
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 22, readListOffsetsPartitionResponse)
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

export function writeListOffsetsTopicResponse(w: Writer, value: Input<ListOffsetsTopicResponse>, version: number): void {
  const flexible = version >= 6
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeListOffsetsPartitionResponse(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListOffsetsResponse {
  readonly throttleTimeMs: number // v2+
  readonly topics: readonly ListOffsetsTopicResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListOffsetsResponse(r: Reader, version: number): ListOffsetsResponse {
  const flexible = version >= 6
  const throttleTimeMs = version >= 2 ? r.int32() : 0
  const topics = readStructs(r, version, flexible, 3, readListOffsetsTopicResponse)
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

export function writeListOffsetsResponse(w: Writer, value: Input<ListOffsetsResponse>, version: number): void {
  const flexible = version >= 6
  if (version >= 2) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeListOffsetsTopicResponse(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const listOffsetsApi: Api<ListOffsetsRequest, ListOffsetsResponse> = {
  key: 2,
  name: 'ListOffsets',
  minVersion: 1,
  maxVersion: 10,
  flexibleFrom: 6,
  readRequest: readListOffsetsRequest,
  writeRequest: writeListOffsetsRequest,
  readResponse: readListOffsetsResponse,
  writeResponse: writeListOffsetsResponse,
}
