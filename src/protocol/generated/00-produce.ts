/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface PartitionProduceData {
  readonly index: number
  readonly records: Buffer | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionProduceData(r: Reader, version: number): PartitionProduceData {
  const flexible = version >= 9
  const index = r.int32()
  const records = r.nullableBytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { index, records } : { index, records, unknownTags }
}

export function writePartitionProduceData(w: Writer, value: Input<PartitionProduceData>, version: number): void {
  const flexible = version >= 9
  w.int32(value.index ?? 0)
  {
    const v = value.records === undefined ? noBytes : value.records
    w.bytes(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TopicProduceData {
  readonly name: string // v3–12
  readonly topicId: Uuid // v13+
  readonly partitionData: readonly PartitionProduceData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicProduceData(r: Reader, version: number): TopicProduceData {
  const flexible = version >= 9
  const name = version <= 12 ? r.string(flexible) : ''
  const topicId = version >= 13 ? r.uuid() : zeroUuid
  const partitionData = readStructs(r, version, flexible, 6, readPartitionProduceData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, partitionData } : { name, topicId, partitionData, unknownTags }
}

export function writeTopicProduceData(w: Writer, value: Input<TopicProduceData>, version: number): void {
  const flexible = version >= 9
  if (version <= 12) {
    w.string(value.name ?? '', flexible)
  }
  if (version >= 13) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitionData === undefined ? [] : value.partitionData
    w.count(v.length, flexible)
    for (const e of v) writePartitionProduceData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ProduceRequest {
  readonly transactionalId: string | null
  readonly acks: number
  readonly timeoutMs: number
  readonly topicData: readonly TopicProduceData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readProduceRequest(r: Reader, version: number): ProduceRequest {
  const flexible = version >= 9
  const transactionalId = r.nullableString(flexible)
  const acks = r.int16()
  const timeoutMs = r.int32()
  const topicData = readStructs(r, version, flexible, 3, readTopicProduceData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactionalId, acks, timeoutMs, topicData } : { transactionalId, acks, timeoutMs, topicData, unknownTags }
}

export function writeProduceRequest(w: Writer, value: Input<ProduceRequest>, version: number): void {
  const flexible = version >= 9
  w.string(value.transactionalId ?? null, flexible)
  w.int16(value.acks ?? 0)
  w.int32(value.timeoutMs ?? 0)
  {
    const v = value.topicData === undefined ? [] : value.topicData
    w.count(v.length, flexible)
    for (const e of v) writeTopicProduceData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface BatchIndexAndErrorMessage {
  readonly batchIndex: number
  readonly batchIndexErrorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readBatchIndexAndErrorMessage(r: Reader, version: number): BatchIndexAndErrorMessage {
  const flexible = version >= 9
  const batchIndex = r.int32()
  const batchIndexErrorMessage = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { batchIndex, batchIndexErrorMessage } : { batchIndex, batchIndexErrorMessage, unknownTags }
}

export function writeBatchIndexAndErrorMessage(w: Writer, value: Input<BatchIndexAndErrorMessage>, version: number): void {
  const flexible = version >= 9
  w.int32(value.batchIndex ?? 0)
  w.string(value.batchIndexErrorMessage ?? null, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
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

export interface PartitionProduceResponse {
  readonly index: number
  readonly errorCode: number
  readonly baseOffset: bigint
  readonly logAppendTimeMs: bigint
  readonly logStartOffset: bigint // v5+
  readonly recordErrors: readonly BatchIndexAndErrorMessage[] // v8+
  readonly errorMessage: string | null // v8+
  readonly currentLeader: LeaderIdAndEpoch // v10+, tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionProduceResponse(r: Reader, version: number): PartitionProduceResponse {
  const flexible = version >= 9
  const index = r.int32()
  const errorCode = r.int16()
  const baseOffset = r.int64()
  const logAppendTimeMs = r.int64()
  const logStartOffset = version >= 5 ? r.int64() : -1n
  const recordErrors = version >= 8 ? readStructs(r, version, flexible, 6, readBatchIndexAndErrorMessage) : []
  const errorMessage = version >= 8 ? r.nullableString(flexible) : null
  let currentLeader: LeaderIdAndEpoch = { leaderId: -1, leaderEpoch: -1 }
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          if (version >= 10) currentLeader = readLeaderIdAndEpoch(r, version)
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { index, errorCode, baseOffset, logAppendTimeMs, logStartOffset, recordErrors, errorMessage, currentLeader } : { index, errorCode, baseOffset, logAppendTimeMs, logStartOffset, recordErrors, errorMessage, currentLeader, unknownTags }
}

export function writePartitionProduceResponse(w: Writer, value: Input<PartitionProduceResponse>, version: number): void {
  const flexible = version >= 9
  w.int32(value.index ?? 0)
  w.int16(value.errorCode ?? 0)
  w.int64(value.baseOffset ?? 0n)
  w.int64(value.logAppendTimeMs ?? -1n)
  if (version >= 5) {
    w.int64(value.logStartOffset ?? -1n)
  }
  if (version >= 8) {
    {
      const v = value.recordErrors === undefined ? [] : value.recordErrors
      w.count(v.length, flexible)
      for (const e of v) writeBatchIndexAndErrorMessage(w, e, version)
    }
  }
  if (version >= 8) {
    w.string(value.errorMessage ?? null, flexible)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = version >= 10 && value.currentLeader !== undefined && ((value.currentLeader.leaderId !== undefined && value.currentLeader.leaderId !== -1) || (value.currentLeader.leaderEpoch !== undefined && value.currentLeader.leaderEpoch !== -1))
    if (has0) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.currentLeader !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.currentLeader
        writeLeaderIdAndEpoch(w, v, version)
        outer.tagged(0, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export interface TopicProduceResponse {
  readonly name: string // v3–12
  readonly topicId: Uuid // v13+
  readonly partitionResponses: readonly PartitionProduceResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicProduceResponse(r: Reader, version: number): TopicProduceResponse {
  const flexible = version >= 9
  const name = version <= 12 ? r.string(flexible) : ''
  const topicId = version >= 13 ? r.uuid() : zeroUuid
  const partitionResponses = readStructs(r, version, flexible, 22, readPartitionProduceResponse)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, partitionResponses } : { name, topicId, partitionResponses, unknownTags }
}

export function writeTopicProduceResponse(w: Writer, value: Input<TopicProduceResponse>, version: number): void {
  const flexible = version >= 9
  if (version <= 12) {
    w.string(value.name ?? '', flexible)
  }
  if (version >= 13) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  {
    const v = value.partitionResponses === undefined ? [] : value.partitionResponses
    w.count(v.length, flexible)
    for (const e of v) writePartitionProduceResponse(w, e, version)
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

export interface ProduceResponse {
  readonly responses: readonly TopicProduceResponse[]
  readonly throttleTimeMs: number
  readonly nodeEndpoints: readonly NodeEndpoint[] // v10+, tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readProduceResponse(r: Reader, version: number): ProduceResponse {
  const flexible = version >= 9
  const responses = readStructs(r, version, flexible, 3, readTopicProduceResponse)
  const throttleTimeMs = r.int32()
  let nodeEndpoints: readonly NodeEndpoint[] = []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          if (version >= 10) nodeEndpoints = readStructs(r, version, true, 11, readNodeEndpoint)
        else unknownTags = r.unknownTag(tag, end, unknownTags)
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { responses, throttleTimeMs, nodeEndpoints } : { responses, throttleTimeMs, nodeEndpoints, unknownTags }
}

export function writeProduceResponse(w: Writer, value: Input<ProduceResponse>, version: number): void {
  const flexible = version >= 9
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, flexible)
    for (const e of v) writeTopicProduceResponse(w, e, version)
  }
  w.int32(value.throttleTimeMs ?? 0)
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = version >= 10 && value.nodeEndpoints !== undefined && (value.nodeEndpoints.length > 0)
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

export const produceApi: Api<ProduceRequest, ProduceResponse> = {
  key: 0,
  name: 'Produce',
  minVersion: 3,
  maxVersion: 13,
  flexibleFrom: 9,
  readRequest: readProduceRequest,
  writeRequest: writeProduceRequest,
  readResponse: readProduceResponse,
  writeResponse: writeProduceResponse,
}
