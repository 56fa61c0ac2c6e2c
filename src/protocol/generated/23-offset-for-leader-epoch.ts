/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface OffsetForLeaderPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly leaderEpoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetForLeaderPartition(r: Reader, version: number): OffsetForLeaderPartition {
  const flexible = version >= 4
  const partition = r.int32()
  const currentLeaderEpoch = r.int32()
  const leaderEpoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partition, currentLeaderEpoch, leaderEpoch } : { partition, currentLeaderEpoch, leaderEpoch, unknownTags }
}

export function writeOffsetForLeaderPartition(w: Writer, value: Input<OffsetForLeaderPartition>, version: number): void {
  const flexible = version >= 4
  w.int32(value.partition ?? 0)
  w.int32(value.currentLeaderEpoch ?? -1)
  w.int32(value.leaderEpoch ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetForLeaderTopic {
  readonly topic: string
  readonly partitions: readonly OffsetForLeaderPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetForLeaderTopic(r: Reader, version: number): OffsetForLeaderTopic {
  const flexible = version >= 4
  const topic = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 12, readOffsetForLeaderPartition)
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

export function writeOffsetForLeaderTopic(w: Writer, value: Input<OffsetForLeaderTopic>, version: number): void {
  const flexible = version >= 4
  w.string(value.topic ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeOffsetForLeaderPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetForLeaderEpochRequest {
  readonly replicaId: number // v3+
  readonly topics: readonly OffsetForLeaderTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetForLeaderEpochRequest(r: Reader, version: number): OffsetForLeaderEpochRequest {
  const flexible = version >= 4
  const replicaId = version >= 3 ? r.int32() : -2
  const topics = readStructs(r, version, flexible, 3, readOffsetForLeaderTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { replicaId, topics } : { replicaId, topics, unknownTags }
}

export function writeOffsetForLeaderEpochRequest(w: Writer, value: Input<OffsetForLeaderEpochRequest>, version: number): void {
  const flexible = version >= 4
  if (version >= 3) {
    w.int32(value.replicaId ?? -2)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeOffsetForLeaderTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface EpochEndOffset {
  readonly errorCode: number
  readonly partition: number
  readonly leaderEpoch: number
  readonly endOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEpochEndOffset(r: Reader, version: number): EpochEndOffset {
  const flexible = version >= 4
  const errorCode = r.int16()
  const partition = r.int32()
  const leaderEpoch = r.int32()
  const endOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, partition, leaderEpoch, endOffset } : { errorCode, partition, leaderEpoch, endOffset, unknownTags }
}

export function writeEpochEndOffset(w: Writer, value: Input<EpochEndOffset>, version: number): void {
  const flexible = version >= 4
  w.int16(value.errorCode ?? 0)
  w.int32(value.partition ?? 0)
  w.int32(value.leaderEpoch ?? -1)
  w.int64(value.endOffset ?? -1n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetForLeaderTopicResult {
  readonly topic: string
  readonly partitions: readonly EpochEndOffset[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetForLeaderTopicResult(r: Reader, version: number): OffsetForLeaderTopicResult {
  const flexible = version >= 4
  const topic = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 18, readEpochEndOffset)
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

export function writeOffsetForLeaderTopicResult(w: Writer, value: Input<OffsetForLeaderTopicResult>, version: number): void {
  const flexible = version >= 4
  w.string(value.topic ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeEpochEndOffset(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OffsetForLeaderEpochResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly OffsetForLeaderTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetForLeaderEpochResponse(r: Reader, version: number): OffsetForLeaderEpochResponse {
  const flexible = version >= 4
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, flexible, 3, readOffsetForLeaderTopicResult)
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

export function writeOffsetForLeaderEpochResponse(w: Writer, value: Input<OffsetForLeaderEpochResponse>, version: number): void {
  const flexible = version >= 4
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeOffsetForLeaderTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const offsetForLeaderEpochApi: Api<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> = {
  key: 23,
  name: 'OffsetForLeaderEpoch',
  minVersion: 2,
  maxVersion: 4,
  flexibleFrom: 4,
  readRequest: readOffsetForLeaderEpochRequest,
  writeRequest: writeOffsetForLeaderEpochRequest,
  readResponse: readOffsetForLeaderEpochResponse,
  writeResponse: writeOffsetForLeaderEpochResponse,
}
