/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TxnOffsetCommitRequestPartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number // v2+
  readonly committedMetadata: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitRequestPartition(r: Reader, version: number): TxnOffsetCommitRequestPartition {
  const flexible = version >= 3
  const partitionIndex = r.int32()
  const committedOffset = r.int64()
  const committedLeaderEpoch = version >= 2 ? r.int32() : -1
  const committedMetadata = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata } : { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata, unknownTags }
}

export function writeTxnOffsetCommitRequestPartition(w: Writer, value: Input<TxnOffsetCommitRequestPartition>, version: number): void {
  const flexible = version >= 3
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.committedOffset ?? 0n)
  if (version >= 2) {
    w.int32(value.committedLeaderEpoch ?? -1)
  }
  {
    const v = value.committedMetadata === undefined ? '' : value.committedMetadata
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TxnOffsetCommitRequestTopic {
  readonly name: string
  readonly partitions: readonly TxnOffsetCommitRequestPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitRequestTopic(r: Reader, version: number): TxnOffsetCommitRequestTopic {
  const flexible = version >= 3
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 14, readTxnOffsetCommitRequestPartition)
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

export function writeTxnOffsetCommitRequestTopic(w: Writer, value: Input<TxnOffsetCommitRequestTopic>, version: number): void {
  const flexible = version >= 3
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeTxnOffsetCommitRequestPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TxnOffsetCommitRequest {
  readonly transactionalId: string
  readonly groupId: string
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly generationId: number // v3+
  readonly memberId: string // v3+
  readonly groupInstanceId: string | null // v3+
  readonly topics: readonly TxnOffsetCommitRequestTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitRequest(r: Reader, version: number): TxnOffsetCommitRequest {
  const flexible = version >= 3
  const transactionalId = r.string(flexible)
  const groupId = r.string(flexible)
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const generationId = version >= 3 ? r.int32() : -1
  const memberId = version >= 3 ? r.string(flexible) : ''
  const groupInstanceId = version >= 3 ? r.nullableString(flexible) : null
  const topics = readStructs(r, version, flexible, 3, readTxnOffsetCommitRequestTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactionalId, groupId, producerId, producerEpoch, generationId, memberId, groupInstanceId, topics } : { transactionalId, groupId, producerId, producerEpoch, generationId, memberId, groupInstanceId, topics, unknownTags }
}

export function writeTxnOffsetCommitRequest(w: Writer, value: Input<TxnOffsetCommitRequest>, version: number): void {
  const flexible = version >= 3
  w.string(value.transactionalId ?? '', flexible)
  w.string(value.groupId ?? '', flexible)
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  if (version >= 3) {
    w.int32(value.generationId ?? -1)
  } else if (value.generationId !== undefined && value.generationId !== -1) {
    throw unsupportedField('TxnOffsetCommitRequest.generationId', version)
  }
  if (version >= 3) {
    w.string(value.memberId ?? '', flexible)
  } else if (value.memberId !== undefined && value.memberId !== '') {
    throw unsupportedField('TxnOffsetCommitRequest.memberId', version)
  }
  if (version >= 3) {
    w.string(value.groupInstanceId ?? null, flexible)
  } else if (value.groupInstanceId !== undefined && value.groupInstanceId !== null) {
    throw unsupportedField('TxnOffsetCommitRequest.groupInstanceId', version)
  }
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeTxnOffsetCommitRequestTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TxnOffsetCommitResponsePartition {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitResponsePartition(r: Reader, version: number): TxnOffsetCommitResponsePartition {
  const flexible = version >= 3
  const partitionIndex = r.int32()
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
  return unknownTags === undefined ? { partitionIndex, errorCode } : { partitionIndex, errorCode, unknownTags }
}

export function writeTxnOffsetCommitResponsePartition(w: Writer, value: Input<TxnOffsetCommitResponsePartition>, version: number): void {
  const flexible = version >= 3
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TxnOffsetCommitResponseTopic {
  readonly name: string
  readonly partitions: readonly TxnOffsetCommitResponsePartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitResponseTopic(r: Reader, version: number): TxnOffsetCommitResponseTopic {
  const flexible = version >= 3
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 6, readTxnOffsetCommitResponsePartition)
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

export function writeTxnOffsetCommitResponseTopic(w: Writer, value: Input<TxnOffsetCommitResponseTopic>, version: number): void {
  const flexible = version >= 3
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeTxnOffsetCommitResponsePartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TxnOffsetCommitResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly TxnOffsetCommitResponseTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTxnOffsetCommitResponse(r: Reader, version: number): TxnOffsetCommitResponse {
  const flexible = version >= 3
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, flexible, 3, readTxnOffsetCommitResponseTopic)
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

export function writeTxnOffsetCommitResponse(w: Writer, value: Input<TxnOffsetCommitResponse>, version: number): void {
  const flexible = version >= 3
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeTxnOffsetCommitResponseTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const txnOffsetCommitApi: Api<TxnOffsetCommitRequest, TxnOffsetCommitResponse> = {
  key: 28,
  name: 'TxnOffsetCommit',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 3,
  readRequest: readTxnOffsetCommitRequest,
  writeRequest: writeTxnOffsetCommitRequest,
  readResponse: readTxnOffsetCommitResponse,
  writeResponse: writeTxnOffsetCommitResponse,
}
