/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

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

export interface FetchPartition {
  readonly partitionIndex: number
  readonly partitionMaxBytes: number // in no version
  readonly acknowledgementBatches: readonly AcknowledgementBatch[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchPartition(r: Reader, version: number): FetchPartition {
  const partitionIndex = r.int32()
  const partitionMaxBytes = 0
  const acknowledgementBatches = readStructs(r, version, true, 18, readAcknowledgementBatch)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, partitionMaxBytes, acknowledgementBatches } : { partitionIndex, partitionMaxBytes, acknowledgementBatches, unknownTags }
}

export function writeFetchPartition(w: Writer, value: Input<FetchPartition>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  if (false) {
    w.int32(value.partitionMaxBytes ?? 0)
  } else if (value.partitionMaxBytes !== undefined && value.partitionMaxBytes !== 0) {
    throw unsupportedField('FetchPartition.partitionMaxBytes', version)
  }
  {
    const v = value.acknowledgementBatches === undefined ? [] : value.acknowledgementBatches
    w.count(v.length, true)
    for (const e of v) writeAcknowledgementBatch(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface FetchTopic {
  readonly topicId: Uuid
  readonly partitions: readonly FetchPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchTopic(r: Reader, version: number): FetchTopic {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 6, readFetchPartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeFetchTopic(w: Writer, value: Input<FetchTopic>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeFetchPartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ForgottenTopic {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readForgottenTopic(r: Reader, _version: number): ForgottenTopic {
  const topicId = r.uuid()
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeForgottenTopic(w: Writer, value: Input<ForgottenTopic>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareFetchRequest {
  readonly groupId: string | null
  readonly memberId: string | null
  readonly shareSessionEpoch: number
  readonly maxWaitMs: number
  readonly minBytes: number
  readonly maxBytes: number
  readonly maxRecords: number
  readonly batchSize: number
  readonly topics: readonly FetchTopic[]
  readonly forgottenTopicsData: readonly ForgottenTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareFetchRequest(r: Reader, version: number): ShareFetchRequest {
  const groupId = r.nullableString(true)
  const memberId = r.nullableString(true)
  const shareSessionEpoch = r.int32()
  const maxWaitMs = r.int32()
  const minBytes = r.int32()
  const maxBytes = r.int32()
  const maxRecords = r.int32()
  const batchSize = r.int32()
  const topics = readStructs(r, version, true, 18, readFetchTopic)
  const forgottenTopicsData = readStructs(r, version, true, 18, readForgottenTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { groupId, memberId, shareSessionEpoch, maxWaitMs, minBytes, maxBytes, maxRecords, batchSize, topics, forgottenTopicsData } : { groupId, memberId, shareSessionEpoch, maxWaitMs, minBytes, maxBytes, maxRecords, batchSize, topics, forgottenTopicsData, unknownTags }
}

export function writeShareFetchRequest(w: Writer, value: Input<ShareFetchRequest>, version: number): void {
  w.string(value.groupId ?? null, true)
  {
    const v = value.memberId === undefined ? '' : value.memberId
    w.string(v, true)
  }
  w.int32(value.shareSessionEpoch ?? 0)
  w.int32(value.maxWaitMs ?? 0)
  w.int32(value.minBytes ?? 0)
  w.int32(value.maxBytes ?? 2147483647)
  w.int32(value.maxRecords ?? 0)
  w.int32(value.batchSize ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeFetchTopic(w, e, version)
  }
  {
    const v = value.forgottenTopicsData === undefined ? [] : value.forgottenTopicsData
    w.count(v.length, true)
    for (const e of v) writeForgottenTopic(w, e, version)
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

export interface AcquiredRecords {
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly deliveryCount: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAcquiredRecords(r: Reader, _version: number): AcquiredRecords {
  const firstOffset = r.int64()
  const lastOffset = r.int64()
  const deliveryCount = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { firstOffset, lastOffset, deliveryCount } : { firstOffset, lastOffset, deliveryCount, unknownTags }
}

export function writeAcquiredRecords(w: Writer, value: Input<AcquiredRecords>, _version: number): void {
  w.int64(value.firstOffset ?? 0n)
  w.int64(value.lastOffset ?? 0n)
  w.int16(value.deliveryCount ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionData {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly acknowledgeErrorCode: number
  readonly acknowledgeErrorMessage: string | null
  readonly currentLeader: LeaderIdAndEpoch
  readonly records: Buffer
  readonly acquiredRecords: readonly AcquiredRecords[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, version: number): PartitionData {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const acknowledgeErrorCode = r.int16()
  const acknowledgeErrorMessage = r.nullableString(true)
  const currentLeader = readLeaderIdAndEpoch(r, version)
  const records = r.bytes(true)
  const acquiredRecords = readStructs(r, version, true, 19, readAcquiredRecords)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage, acknowledgeErrorCode, acknowledgeErrorMessage, currentLeader, records, acquiredRecords } : { partitionIndex, errorCode, errorMessage, acknowledgeErrorCode, acknowledgeErrorMessage, currentLeader, records, acquiredRecords, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.int16(value.acknowledgeErrorCode ?? 0)
  w.string(value.acknowledgeErrorMessage ?? null, true)
  {
    const v = value.currentLeader === undefined ? {} : value.currentLeader
    writeLeaderIdAndEpoch(w, v, version)
  }
  w.bytes(value.records ?? noBytes, true)
  {
    const v = value.acquiredRecords === undefined ? [] : value.acquiredRecords
    w.count(v.length, true)
    for (const e of v) writeAcquiredRecords(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ShareFetchableTopicResponse {
  readonly topicId: Uuid
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareFetchableTopicResponse(r: Reader, version: number): ShareFetchableTopicResponse {
  const topicId = r.uuid()
  const partitions = readStructs(r, version, true, 22, readPartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeShareFetchableTopicResponse(w: Writer, value: Input<ShareFetchableTopicResponse>, version: number): void {
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

export interface ShareFetchResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly acquisitionLockTimeoutMs: number
  readonly responses: readonly ShareFetchableTopicResponse[]
  readonly nodeEndpoints: readonly NodeEndpoint[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readShareFetchResponse(r: Reader, version: number): ShareFetchResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const acquisitionLockTimeoutMs = r.int32()
  const responses = readStructs(r, version, true, 18, readShareFetchableTopicResponse)
  const nodeEndpoints = readStructs(r, version, true, 11, readNodeEndpoint)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, acquisitionLockTimeoutMs, responses, nodeEndpoints } : { throttleTimeMs, errorCode, errorMessage, acquisitionLockTimeoutMs, responses, nodeEndpoints, unknownTags }
}

export function writeShareFetchResponse(w: Writer, value: Input<ShareFetchResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  w.int32(value.acquisitionLockTimeoutMs ?? 0)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, true)
    for (const e of v) writeShareFetchableTopicResponse(w, e, version)
  }
  {
    const v = value.nodeEndpoints === undefined ? [] : value.nodeEndpoints
    w.count(v.length, true)
    for (const e of v) writeNodeEndpoint(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const shareFetchApi: Api<ShareFetchRequest, ShareFetchResponse> = {
  key: 78,
  name: 'ShareFetch',
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readShareFetchRequest,
  writeRequest: writeShareFetchRequest,
  readResponse: readShareFetchResponse,
  writeResponse: writeShareFetchResponse,
}
