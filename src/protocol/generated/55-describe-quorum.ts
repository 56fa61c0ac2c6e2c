/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeQuorumRequestPartitionData {
  readonly partitionIndex: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumRequestPartitionData(r: Reader, _version: number): DescribeQuorumRequestPartitionData {
  const partitionIndex = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex } : { partitionIndex, unknownTags }
}

export function writeDescribeQuorumRequestPartitionData(w: Writer, value: Input<DescribeQuorumRequestPartitionData>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeQuorumRequestTopicData {
  readonly topicName: string
  readonly partitions: readonly DescribeQuorumRequestPartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumRequestTopicData(r: Reader, version: number): DescribeQuorumRequestTopicData {
  const topicName = r.string(true)
  const partitions = readStructs(r, version, true, 5, readDescribeQuorumRequestPartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitions } : { topicName, partitions, unknownTags }
}

export function writeDescribeQuorumRequestTopicData(w: Writer, value: Input<DescribeQuorumRequestTopicData>, version: number): void {
  w.string(value.topicName ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeDescribeQuorumRequestPartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeQuorumRequest {
  readonly topics: readonly DescribeQuorumRequestTopicData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumRequest(r: Reader, version: number): DescribeQuorumRequest {
  const topics = readStructs(r, version, true, 3, readDescribeQuorumRequestTopicData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topics } : { topics, unknownTags }
}

export function writeDescribeQuorumRequest(w: Writer, value: Input<DescribeQuorumRequest>, version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDescribeQuorumRequestTopicData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ReplicaState {
  readonly replicaId: number
  readonly replicaDirectoryId: Uuid // v2+
  readonly logEndOffset: bigint
  readonly lastFetchTimestamp: bigint // v1+
  readonly lastCaughtUpTimestamp: bigint // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReplicaState(r: Reader, version: number): ReplicaState {
  const replicaId = r.int32()
  const replicaDirectoryId = version >= 2 ? r.uuid() : zeroUuid
  const logEndOffset = r.int64()
  const lastFetchTimestamp = version >= 1 ? r.int64() : -1n
  const lastCaughtUpTimestamp = version >= 1 ? r.int64() : -1n
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { replicaId, replicaDirectoryId, logEndOffset, lastFetchTimestamp, lastCaughtUpTimestamp } : { replicaId, replicaDirectoryId, logEndOffset, lastFetchTimestamp, lastCaughtUpTimestamp, unknownTags }
}

export function writeReplicaState(w: Writer, value: Input<ReplicaState>, version: number): void {
  w.int32(value.replicaId ?? 0)
  if (version >= 2) {
    w.uuid(value.replicaDirectoryId ?? zeroUuid)
  }
  w.int64(value.logEndOffset ?? 0n)
  if (version >= 1) {
    w.int64(value.lastFetchTimestamp ?? -1n)
  }
  if (version >= 1) {
    w.int64(value.lastCaughtUpTimestamp ?? -1n)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeQuorumResponsePartitionData {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null // v2+
  readonly leaderId: number
  readonly leaderEpoch: number
  readonly highWatermark: bigint
  readonly currentVoters: readonly ReplicaState[]
  readonly observers: readonly ReplicaState[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumResponsePartitionData(r: Reader, version: number): DescribeQuorumResponsePartitionData {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = version >= 2 ? r.nullableString(true) : ''
  const leaderId = r.int32()
  const leaderEpoch = r.int32()
  const highWatermark = r.int64()
  const currentVoters = readStructs(r, version, true, 13, readReplicaState)
  const observers = readStructs(r, version, true, 13, readReplicaState)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage, leaderId, leaderEpoch, highWatermark, currentVoters, observers } : { partitionIndex, errorCode, errorMessage, leaderId, leaderEpoch, highWatermark, currentVoters, observers, unknownTags }
}

export function writeDescribeQuorumResponsePartitionData(w: Writer, value: Input<DescribeQuorumResponsePartitionData>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  if (version >= 2) {
    {
      const v = value.errorMessage === undefined ? '' : value.errorMessage
      w.string(v, true)
    }
  }
  w.int32(value.leaderId ?? 0)
  w.int32(value.leaderEpoch ?? 0)
  w.int64(value.highWatermark ?? 0n)
  {
    const v = value.currentVoters === undefined ? [] : value.currentVoters
    w.count(v.length, true)
    for (const e of v) writeReplicaState(w, e, version)
  }
  {
    const v = value.observers === undefined ? [] : value.observers
    w.count(v.length, true)
    for (const e of v) writeReplicaState(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeQuorumResponseTopicData {
  readonly topicName: string
  readonly partitions: readonly DescribeQuorumResponsePartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumResponseTopicData(r: Reader, version: number): DescribeQuorumResponseTopicData {
  const topicName = r.string(true)
  const partitions = readStructs(r, version, true, 25, readDescribeQuorumResponsePartitionData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicName, partitions } : { topicName, partitions, unknownTags }
}

export function writeDescribeQuorumResponseTopicData(w: Writer, value: Input<DescribeQuorumResponseTopicData>, version: number): void {
  w.string(value.topicName ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeDescribeQuorumResponsePartitionData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListener(r: Reader, _version: number): Listener {
  const name = r.string(true)
  const host = r.string(true)
  const port = r.uint16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, host, port } : { name, host, port, unknownTags }
}

export function writeListener(w: Writer, value: Input<Listener>, _version: number): void {
  w.string(value.name ?? '', true)
  w.string(value.host ?? '', true)
  w.uint16(value.port ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface Node {
  readonly nodeId: number
  readonly listeners: readonly Listener[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readNode(r: Reader, version: number): Node {
  const nodeId = r.int32()
  const listeners = readStructs(r, version, true, 5, readListener)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { nodeId, listeners } : { nodeId, listeners, unknownTags }
}

export function writeNode(w: Writer, value: Input<Node>, version: number): void {
  w.int32(value.nodeId ?? 0)
  {
    const v = value.listeners === undefined ? [] : value.listeners
    w.count(v.length, true)
    for (const e of v) writeListener(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeQuorumResponse {
  readonly errorCode: number
  readonly errorMessage: string | null // v2+
  readonly topics: readonly DescribeQuorumResponseTopicData[]
  readonly nodes: readonly Node[] // v2+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeQuorumResponse(r: Reader, version: number): DescribeQuorumResponse {
  const errorCode = r.int16()
  const errorMessage = version >= 2 ? r.nullableString(true) : ''
  const topics = readStructs(r, version, true, 3, readDescribeQuorumResponseTopicData)
  const nodes = version >= 2 ? readStructs(r, version, true, 6, readNode) : []
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, errorMessage, topics, nodes } : { errorCode, errorMessage, topics, nodes, unknownTags }
}

export function writeDescribeQuorumResponse(w: Writer, value: Input<DescribeQuorumResponse>, version: number): void {
  w.int16(value.errorCode ?? 0)
  if (version >= 2) {
    {
      const v = value.errorMessage === undefined ? '' : value.errorMessage
      w.string(v, true)
    }
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeDescribeQuorumResponseTopicData(w, e, version)
  }
  if (version >= 2) {
    {
      const v = value.nodes === undefined ? [] : value.nodes
      w.count(v.length, true)
      for (const e of v) writeNode(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeQuorumApi: Api<DescribeQuorumRequest, DescribeQuorumResponse> = {
  key: 55,
  name: 'DescribeQuorum',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 0,
  readRequest: readDescribeQuorumRequest,
  writeRequest: writeDescribeQuorumRequest,
  readResponse: readDescribeQuorumResponse,
  writeResponse: writeDescribeQuorumResponse,
}
