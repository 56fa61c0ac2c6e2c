/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface ReplicaState {
  readonly replicaId: number
  readonly replicaEpoch: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readReplicaState(r: Reader, _version: number): ReplicaState {
  const replicaId = r.int32()
  const replicaEpoch = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { replicaId, replicaEpoch } : { replicaId, replicaEpoch, unknownTags }
}

export function writeReplicaState(w: Writer, value: Input<ReplicaState>, _version: number): void {
  w.int32(value.replicaId ?? -1)
  w.int64(value.replicaEpoch ?? -1n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface FetchPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number // v9+
  readonly fetchOffset: bigint
  readonly lastFetchedEpoch: number // v12+
  readonly logStartOffset: bigint // v5+
  readonly partitionMaxBytes: number
  readonly replicaDirectoryId: Uuid // v17+, tag 0
  readonly highWatermark: bigint // v18+, tag 1
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchPartition(r: Reader, version: number): FetchPartition {
  const flexible = version >= 12
  const partition = r.int32()
  const currentLeaderEpoch = version >= 9 ? r.int32() : -1
  const fetchOffset = r.int64()
  const lastFetchedEpoch = version >= 12 ? r.int32() : -1
  const logStartOffset = version >= 5 ? r.int64() : -1n
  const partitionMaxBytes = r.int32()
  let replicaDirectoryId: Uuid = zeroUuid
  let highWatermark: bigint = 9223372036854775807n
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          if (version >= 17) replicaDirectoryId = r.uuid()
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        case 1:
          if (version >= 18) highWatermark = r.int64()
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partition, currentLeaderEpoch, fetchOffset, lastFetchedEpoch, logStartOffset, partitionMaxBytes, replicaDirectoryId, highWatermark } : { partition, currentLeaderEpoch, fetchOffset, lastFetchedEpoch, logStartOffset, partitionMaxBytes, replicaDirectoryId, highWatermark, unknownTags }
}

export function writeFetchPartition(w: Writer, value: Input<FetchPartition>, version: number): void {
  const flexible = version >= 12
  w.int32(value.partition ?? 0)
  if (version >= 9) {
    w.int32(value.currentLeaderEpoch ?? -1)
  }
  w.int64(value.fetchOffset ?? 0n)
  if (version >= 12) {
    w.int32(value.lastFetchedEpoch ?? -1)
  } else if (value.lastFetchedEpoch !== undefined && value.lastFetchedEpoch !== -1) {
    throw unsupportedField('FetchPartition.lastFetchedEpoch', version)
  }
  if (version >= 5) {
    w.int64(value.logStartOffset ?? -1n)
  }
  w.int32(value.partitionMaxBytes ?? 0)
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = version >= 17 && value.replicaDirectoryId !== undefined && value.replicaDirectoryId !== zeroUuid
    if (has0) count++
    const has1 = version >= 18 && value.highWatermark !== undefined && value.highWatermark !== 9223372036854775807n
    if (has1) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.replicaDirectoryId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.replicaDirectoryId
        w.uuid(v)
        outer.tagged(0, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 1)
    if (has1 && value.highWatermark !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.highWatermark
        w.int64(v)
        outer.tagged(1, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export interface FetchTopic {
  readonly topic: string // v4–12
  readonly topicId: Uuid // v13+
  readonly partitions: readonly FetchPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchTopic(r: Reader, version: number): FetchTopic {
  const flexible = version >= 12
  const topic = version <= 12 ? r.string(flexible) : ''
  const topicId = version >= 13 ? r.uuid() : zeroUuid
  const partitions = readStructs(r, version, flexible, 16, readFetchPartition)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, topicId, partitions } : { topic, topicId, partitions, unknownTags }
}

export function writeFetchTopic(w: Writer, value: Input<FetchTopic>, version: number): void {
  const flexible = version >= 12
  if (version <= 12) {
    w.string(value.topic ?? '', flexible)
  }
  if (version >= 13) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeFetchPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ForgottenTopic {
  readonly topic: string // v7–12
  readonly topicId: Uuid // v13+
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readForgottenTopic(r: Reader, version: number): ForgottenTopic {
  const flexible = version >= 12
  const topic = version <= 12 ? r.string(flexible) : ''
  const topicId = version >= 13 ? r.uuid() : zeroUuid
  const partitions = readScalars(r, flexible, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, topicId, partitions } : { topic, topicId, partitions, unknownTags }
}

export function writeForgottenTopic(w: Writer, value: Input<ForgottenTopic>, version: number): void {
  const flexible = version >= 12
  if (version <= 12) {
    w.string(value.topic ?? '', flexible)
  }
  if (version >= 13) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface FetchRequest {
  readonly clusterId: string | null // v12+, tag 0
  readonly replicaId: number // v4–14
  readonly replicaState: ReplicaState // v15+, tag 1
  readonly maxWaitMs: number
  readonly minBytes: number
  readonly maxBytes: number
  readonly isolationLevel: number
  readonly sessionId: number // v7+
  readonly sessionEpoch: number // v7+
  readonly topics: readonly FetchTopic[]
  readonly forgottenTopicsData: readonly ForgottenTopic[] // v7+
  readonly rackId: string // v11+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchRequest(r: Reader, version: number): FetchRequest {
  const flexible = version >= 12
  let clusterId: string | null = null
  const replicaId = version <= 14 ? r.int32() : -1
  let replicaState: ReplicaState = { replicaId: -1, replicaEpoch: -1n }
  const maxWaitMs = r.int32()
  const minBytes = r.int32()
  const maxBytes = r.int32()
  const isolationLevel = r.int8()
  const sessionId = version >= 7 ? r.int32() : 0
  const sessionEpoch = version >= 7 ? r.int32() : -1
  const topics = readStructs(r, version, flexible, 3, readFetchTopic)
  const forgottenTopicsData = version >= 7 ? readStructs(r, version, flexible, 3, readForgottenTopic) : []
  const rackId = version >= 11 ? r.string(flexible) : ''
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          clusterId = r.nullableString(true)
          break
        case 1:
          if (version >= 15) replicaState = readReplicaState(r, version)
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { clusterId, replicaId, replicaState, maxWaitMs, minBytes, maxBytes, isolationLevel, sessionId, sessionEpoch, topics, forgottenTopicsData, rackId } : { clusterId, replicaId, replicaState, maxWaitMs, minBytes, maxBytes, isolationLevel, sessionId, sessionEpoch, topics, forgottenTopicsData, rackId, unknownTags }
}

export function writeFetchRequest(w: Writer, value: Input<FetchRequest>, version: number): void {
  const flexible = version >= 12
  if (version <= 14) {
    w.int32(value.replicaId ?? -1)
  } else if (value.replicaId !== undefined && value.replicaId !== -1) {
    throw unsupportedField('FetchRequest.replicaId', version)
  }
  w.int32(value.maxWaitMs ?? 0)
  w.int32(value.minBytes ?? 0)
  w.int32(value.maxBytes ?? 2147483647)
  w.int8(value.isolationLevel ?? 0)
  if (version >= 7) {
    w.int32(value.sessionId ?? 0)
  }
  if (version >= 7) {
    w.int32(value.sessionEpoch ?? -1)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeFetchTopic(w, e, version)
  }
  if (version >= 7) {
    {
      const v = value.forgottenTopicsData === undefined ? [] : value.forgottenTopicsData
      w.count(v.length, flexible)
      for (const e of v) writeForgottenTopic(w, e, version)
    }
  } else if (value.forgottenTopicsData !== undefined && value.forgottenTopicsData.length > 0) {
    throw unsupportedField('FetchRequest.forgottenTopicsData', version)
  }
  if (version >= 11) {
    w.string(value.rackId ?? '', flexible)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.clusterId !== undefined && value.clusterId !== null
    if (has0) count++
    const has1 = version >= 15 && value.replicaState !== undefined && ((value.replicaState.replicaId !== undefined && value.replicaState.replicaId !== -1) || (value.replicaState.replicaEpoch !== undefined && value.replicaState.replicaEpoch !== -1n))
    if (has1) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.clusterId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.clusterId
        w.string(v, true)
        outer.tagged(0, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 1)
    if (has1 && value.replicaState !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.replicaState
        writeReplicaState(w, v, version)
        outer.tagged(1, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export interface EpochEndOffset {
  readonly epoch: number
  readonly endOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEpochEndOffset(r: Reader, _version: number): EpochEndOffset {
  const epoch = r.int32()
  const endOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { epoch, endOffset } : { epoch, endOffset, unknownTags }
}

export function writeEpochEndOffset(w: Writer, value: Input<EpochEndOffset>, _version: number): void {
  w.int32(value.epoch ?? -1)
  w.int64(value.endOffset ?? -1n)
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
  w.int32(value.leaderId ?? -1)
  w.int32(value.leaderEpoch ?? -1)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface SnapshotId {
  readonly endOffset: bigint
  readonly epoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSnapshotId(r: Reader, _version: number): SnapshotId {
  const endOffset = r.int64()
  const epoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { endOffset, epoch } : { endOffset, epoch, unknownTags }
}

export function writeSnapshotId(w: Writer, value: Input<SnapshotId>, _version: number): void {
  w.int64(value.endOffset ?? -1n)
  w.int32(value.epoch ?? -1)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAbortedTransaction(r: Reader, version: number): AbortedTransaction {
  const flexible = version >= 12
  const producerId = r.int64()
  const firstOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { producerId, firstOffset } : { producerId, firstOffset, unknownTags }
}

export function writeAbortedTransaction(w: Writer, value: Input<AbortedTransaction>, version: number): void {
  const flexible = version >= 12
  w.int64(value.producerId ?? 0n)
  w.int64(value.firstOffset ?? 0n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface PartitionData {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  readonly logStartOffset: bigint // v5+
  readonly divergingEpoch: EpochEndOffset // v12+, tag 0
  readonly currentLeader: LeaderIdAndEpoch // v12+, tag 1
  readonly snapshotId: SnapshotId // v12+, tag 2
  readonly abortedTransactions: readonly AbortedTransaction[] | null
  readonly preferredReadReplica: number // v11+
  readonly records: Buffer | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionData(r: Reader, version: number): PartitionData {
  const flexible = version >= 12
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const highWatermark = r.int64()
  const lastStableOffset = r.int64()
  const logStartOffset = version >= 5 ? r.int64() : -1n
  let divergingEpoch: EpochEndOffset = { epoch: -1, endOffset: -1n }
  let currentLeader: LeaderIdAndEpoch = { leaderId: -1, leaderEpoch: -1 }
  let snapshotId: SnapshotId = { endOffset: -1n, epoch: -1 }
  const abortedTransactions = readNullableStructs(r, version, flexible, 16, readAbortedTransaction)
  const preferredReadReplica = version >= 11 ? r.int32() : -1
  const records = r.nullableBytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          divergingEpoch = readEpochEndOffset(r, version)
          break
        case 1:
          currentLeader = readLeaderIdAndEpoch(r, version)
          break
        case 2:
          snapshotId = readSnapshotId(r, version)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, highWatermark, lastStableOffset, logStartOffset, divergingEpoch, currentLeader, snapshotId, abortedTransactions, preferredReadReplica, records } : { partitionIndex, errorCode, highWatermark, lastStableOffset, logStartOffset, divergingEpoch, currentLeader, snapshotId, abortedTransactions, preferredReadReplica, records, unknownTags }
}

export function writePartitionData(w: Writer, value: Input<PartitionData>, version: number): void {
  const flexible = version >= 12
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.int64(value.highWatermark ?? 0n)
  w.int64(value.lastStableOffset ?? -1n)
  if (version >= 5) {
    w.int64(value.logStartOffset ?? -1n)
  }
  {
    const v = value.abortedTransactions === undefined ? [] : value.abortedTransactions
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeAbortedTransaction(w, e, version)
    }
  }
  if (version >= 11) {
    w.int32(value.preferredReadReplica ?? -1)
  }
  {
    const v = value.records === undefined ? noBytes : value.records
    w.bytes(v, flexible)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.divergingEpoch !== undefined && ((value.divergingEpoch.epoch !== undefined && value.divergingEpoch.epoch !== -1) || (value.divergingEpoch.endOffset !== undefined && value.divergingEpoch.endOffset !== -1n))
    if (has0) count++
    const has1 = value.currentLeader !== undefined && ((value.currentLeader.leaderId !== undefined && value.currentLeader.leaderId !== -1) || (value.currentLeader.leaderEpoch !== undefined && value.currentLeader.leaderEpoch !== -1))
    if (has1) count++
    const has2 = value.snapshotId !== undefined && ((value.snapshotId.endOffset !== undefined && value.snapshotId.endOffset !== -1n) || (value.snapshotId.epoch !== undefined && value.snapshotId.epoch !== -1))
    if (has2) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.divergingEpoch !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.divergingEpoch
        writeEpochEndOffset(w, v, version)
        outer.tagged(0, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 1)
    if (has1 && value.currentLeader !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.currentLeader
        writeLeaderIdAndEpoch(w, v, version)
        outer.tagged(1, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 2)
    if (has2 && value.snapshotId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.snapshotId
        writeSnapshotId(w, v, version)
        outer.tagged(2, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export interface FetchableTopicResponse {
  readonly topic: string // v4–12
  readonly topicId: Uuid // v13+
  readonly partitions: readonly PartitionData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchableTopicResponse(r: Reader, version: number): FetchableTopicResponse {
  const flexible = version >= 12
  const topic = version <= 12 ? r.string(flexible) : ''
  const topicId = version >= 13 ? r.uuid() : zeroUuid
  const partitions = readStructs(r, version, flexible, 30, readPartitionData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, topicId, partitions } : { topic, topicId, partitions, unknownTags }
}

export function writeFetchableTopicResponse(w: Writer, value: Input<FetchableTopicResponse>, version: number): void {
  const flexible = version >= 12
  if (version <= 12) {
    w.string(value.topic ?? '', flexible)
  }
  if (version >= 13) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writePartitionData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
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

export interface FetchResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number // v7+
  readonly sessionId: number // v7+
  readonly responses: readonly FetchableTopicResponse[]
  readonly nodeEndpoints: readonly NodeEndpoint[] // v16+, tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFetchResponse(r: Reader, version: number): FetchResponse {
  const flexible = version >= 12
  const throttleTimeMs = r.int32()
  const errorCode = version >= 7 ? r.int16() : 0
  const sessionId = version >= 7 ? r.int32() : 0
  const responses = readStructs(r, version, flexible, 3, readFetchableTopicResponse)
  let nodeEndpoints: readonly NodeEndpoint[] = []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          if (version >= 16) nodeEndpoints = readStructs(r, version, true, 11, readNodeEndpoint)
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, sessionId, responses, nodeEndpoints } : { throttleTimeMs, errorCode, sessionId, responses, nodeEndpoints, unknownTags }
}

export function writeFetchResponse(w: Writer, value: Input<FetchResponse>, version: number): void {
  const flexible = version >= 12
  w.int32(value.throttleTimeMs ?? 0)
  if (version >= 7) {
    w.int16(value.errorCode ?? 0)
  }
  if (version >= 7) {
    w.int32(value.sessionId ?? 0)
  }
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, flexible)
    for (const e of v) writeFetchableTopicResponse(w, e, version)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = version >= 16 && value.nodeEndpoints !== undefined && (value.nodeEndpoints.length > 0)
    if (has0) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.nodeEndpoints !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.nodeEndpoints
        w.count(v.length, true)
        for (const e of v) writeNodeEndpoint(w, e, version)
        outer.tagged(0, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export const fetchApi: Api<FetchRequest, FetchResponse> = {
  key: 1,
  name: 'Fetch',
  minVersion: 4,
  maxVersion: 18,
  flexibleFrom: 12,
  readRequest: readFetchRequest,
  writeRequest: writeFetchRequest,
  readResponse: readFetchResponse,
  writeResponse: writeFetchResponse,
}
