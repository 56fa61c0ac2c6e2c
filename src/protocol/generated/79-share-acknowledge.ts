/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AcknowledgementBatch {
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly acknowledgeTypes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAcknowledgementBatch(r: Reader, _version: number): AcknowledgementBatch {
  const firstOffset = r.int64()
  const lastOffset = r.int64()
  const acknowledgeTypes = readScalars(r, true, 1, scalar.int8)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { firstOffset, lastOffset, acknowledgeTypes } : { firstOffset, lastOffset, acknowledgeTypes, unknownTags }
}

export function writeAcknowledgementBatch(w: Writer, value: Input<AcknowledgementBatch>, _version: number): void {
  w.int64(value.firstOffset ?? 0n)
  w.int64(value.lastOffset ?? 0n)
  {
    const v = value.acknowledgeTypes === undefined ? [] : value.acknowledgeTypes
    w.count(v.length, true)
    for (const e of v) w.int8(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AcknowledgePartition {
  readonly partitionIndex: number
  readonly acknowledgementBatches: readonly AcknowledgementBatch[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAcknowledgePartition(r: Reader, version: number): AcknowledgePartition {
  const partitionIndex = r.int32()
  const acknowledgementBatches = readStructs(r, version, true, 18, readAcknowledgementBatch)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, acknowledgementBatches } : { partitionIndex, acknowledgementBatches, unknownTags }
}

export function writeAcknowledgePartition(w: Writer, value: Input<AcknowledgePartition>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  {
    const v = value.acknowledgementBatches === undefined ? [] : value.acknowledgementBatches
    w.count(v.length, true)
    for (const e of v) writeAcknowledgementBatch(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AcknowledgeTopic {
  readonly topicId: Uuid
  readonly partitions: readonly AcknowledgePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAcknowledgeTopic(r: Reader, version: number): AcknowledgeTopic {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 6, readAcknowledgePartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeAcknowledgeTopic(w: Writer, value: Input<AcknowledgeTopic>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeAcknowledgePartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareAcknowledgeRequest {
  readonly groupId: string | null
  readonly memberId: string | null
  readonly shareSessionEpoch: number
  readonly topics: readonly AcknowledgeTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareAcknowledgeRequest(r: Reader, version: number): ShareAcknowledgeRequest {
  const groupId = r.nullableString(true)
  const memberId = r.nullableString(true)
  const shareSessionEpoch = r.int32()
  const topics = readStructs(r, version, true, 18, readAcknowledgeTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, shareSessionEpoch, topics } : { groupId, memberId, shareSessionEpoch, topics, unknownTags }
}

export function writeShareAcknowledgeRequest(w: Writer, value: Input<ShareAcknowledgeRequest>, version: number): void {
  w.string(value.groupId ?? null, true)
  {
    const v = value.memberId === undefined ? '' : value.memberId
    w.string(v, true)
  }
  w.int32(value.shareSessionEpoch ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeAcknowledgeTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface LeaderIdAndEpoch {
  readonly leaderId: number
  readonly leaderEpoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readLeaderIdAndEpoch(r: Reader, _version: number): LeaderIdAndEpoch {
  const leaderId = r.int32()
  const leaderEpoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { leaderId, leaderEpoch } : { leaderId, leaderEpoch, unknownTags }
}

export function writeLeaderIdAndEpoch(w: Writer, value: Input<LeaderIdAndEpoch>, _version: number): void {
  w.int32(value.leaderId ?? 0)
  w.int32(value.leaderEpoch ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionData {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly currentLeader: LeaderIdAndEpoch
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, version: number): PartitionData {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const currentLeader = readLeaderIdAndEpoch(r, version)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage, currentLeader } : { partitionIndex, errorCode, errorMessage, currentLeader, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  {
    const v = value.currentLeader === undefined ? {} : value.currentLeader
    writeLeaderIdAndEpoch(w, v, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareAcknowledgeTopicResponse {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareAcknowledgeTopicResponse(r: Reader, version: number): ShareAcknowledgeTopicResponse {
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

export function writeShareAcknowledgeTopicResponse(w: Writer, value: Input<ShareAcknowledgeTopicResponse>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface NodeEndpoint {
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly rack: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readNodeEndpoint(r: Reader, _version: number): NodeEndpoint {
  const nodeId = r.int32()
  const host = r.string(true)
  const port = r.int32()
  const rack = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { nodeId, host, port, rack } : { nodeId, host, port, rack, unknownTags }
}

export function writeNodeEndpoint(w: Writer, value: Input<NodeEndpoint>, _version: number): void {
  w.int32(value.nodeId ?? 0)
  w.string(value.host ?? '', true)
  w.int32(value.port ?? 0)
  w.string(value.rack ?? null, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareAcknowledgeResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly responses: readonly ShareAcknowledgeTopicResponse[]
  readonly nodeEndpoints: readonly NodeEndpoint[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareAcknowledgeResponse(r: Reader, version: number): ShareAcknowledgeResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const responses = readStructs(r, version, true, 18, readShareAcknowledgeTopicResponse)
  const nodeEndpoints = readStructs(r, version, true, 11, readNodeEndpoint)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, responses, nodeEndpoints } : { throttleTimeMs, errorCode, errorMessage, responses, nodeEndpoints, unknownTags }
}

export function writeShareAcknowledgeResponse(w: Writer, value: Input<ShareAcknowledgeResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, true)
    for (const e of v) writeShareAcknowledgeTopicResponse(w, e, version)
  }
  {
    const v = value.nodeEndpoints === undefined ? [] : value.nodeEndpoints
    w.count(v.length, true)
    for (const e of v) writeNodeEndpoint(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const shareAcknowledgeApi: Api<ShareAcknowledgeRequest, ShareAcknowledgeResponse> = {
  key: 79,
  name: 'ShareAcknowledge',
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readShareAcknowledgeRequest,
  writeRequest: writeShareAcknowledgeRequest,
  readResponse: readShareAcknowledgeResponse,
  writeResponse: writeShareAcknowledgeResponse,
}
