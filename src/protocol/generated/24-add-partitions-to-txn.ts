/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AddPartitionsToTxnTopic {
  readonly name: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnTopic(r: Reader, version: number): AddPartitionsToTxnTopic {
  const flexible = version >= 3
  const name = r.string(flexible)
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
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeAddPartitionsToTxnTopic(w: Writer, value: Input<AddPartitionsToTxnTopic>, version: number): void {
  const flexible = version >= 3
  w.string(value.name ?? '', flexible)
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

export interface AddPartitionsToTxnTransaction {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly verifyOnly: boolean
  readonly topics: readonly AddPartitionsToTxnTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnTransaction(r: Reader, version: number): AddPartitionsToTxnTransaction {
  const transactionalId = r.string(true)
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const verifyOnly = r.bool()
  const topics = readStructs(r, version, true, 3, readAddPartitionsToTxnTopic)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { transactionalId, producerId, producerEpoch, verifyOnly, topics } : { transactionalId, producerId, producerEpoch, verifyOnly, topics, unknownTags }
}

export function writeAddPartitionsToTxnTransaction(w: Writer, value: Input<AddPartitionsToTxnTransaction>, version: number): void {
  w.string(value.transactionalId ?? '', true)
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  w.bool(value.verifyOnly ?? false)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeAddPartitionsToTxnTopic(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AddPartitionsToTxnRequest {
  readonly transactions: readonly AddPartitionsToTxnTransaction[] // v4+
  readonly v3AndBelowTransactionalId: string // v0–3
  readonly v3AndBelowProducerId: bigint // v0–3
  readonly v3AndBelowProducerEpoch: number // v0–3
  readonly v3AndBelowTopics: readonly AddPartitionsToTxnTopic[] // v0–3
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnRequest(r: Reader, version: number): AddPartitionsToTxnRequest {
  const flexible = version >= 3
  const transactions = version >= 4 ? readStructs(r, version, flexible, 14, readAddPartitionsToTxnTransaction) : []
  const v3AndBelowTransactionalId = version <= 3 ? r.string(flexible) : ''
  const v3AndBelowProducerId = version <= 3 ? r.int64() : 0n
  const v3AndBelowProducerEpoch = version <= 3 ? r.int16() : 0
  const v3AndBelowTopics = version <= 3 ? readStructs(r, version, flexible, 3, readAddPartitionsToTxnTopic) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactions, v3AndBelowTransactionalId, v3AndBelowProducerId, v3AndBelowProducerEpoch, v3AndBelowTopics } : { transactions, v3AndBelowTransactionalId, v3AndBelowProducerId, v3AndBelowProducerEpoch, v3AndBelowTopics, unknownTags }
}

export function writeAddPartitionsToTxnRequest(w: Writer, value: Input<AddPartitionsToTxnRequest>, version: number): void {
  const flexible = version >= 3
  if (version >= 4) {
    {
      const v = value.transactions === undefined ? [] : value.transactions
      w.count(v.length, flexible)
      for (const e of v) writeAddPartitionsToTxnTransaction(w, e, version)
    }
  } else if (value.transactions !== undefined && value.transactions.length > 0) {
    throw unsupportedField('AddPartitionsToTxnRequest.transactions', version)
  }
  if (version <= 3) {
    w.string(value.v3AndBelowTransactionalId ?? '', flexible)
  } else if (value.v3AndBelowTransactionalId !== undefined && value.v3AndBelowTransactionalId !== '') {
    throw unsupportedField('AddPartitionsToTxnRequest.v3AndBelowTransactionalId', version)
  }
  if (version <= 3) {
    w.int64(value.v3AndBelowProducerId ?? 0n)
  } else if (value.v3AndBelowProducerId !== undefined && value.v3AndBelowProducerId !== 0n) {
    throw unsupportedField('AddPartitionsToTxnRequest.v3AndBelowProducerId', version)
  }
  if (version <= 3) {
    w.int16(value.v3AndBelowProducerEpoch ?? 0)
  } else if (value.v3AndBelowProducerEpoch !== undefined && value.v3AndBelowProducerEpoch !== 0) {
    throw unsupportedField('AddPartitionsToTxnRequest.v3AndBelowProducerEpoch', version)
  }
  if (version <= 3) {
    {
      const v = value.v3AndBelowTopics === undefined ? [] : value.v3AndBelowTopics
      w.count(v.length, flexible)
      for (const e of v) writeAddPartitionsToTxnTopic(w, e, version)
    }
  } else if (value.v3AndBelowTopics !== undefined && value.v3AndBelowTopics.length > 0) {
    throw unsupportedField('AddPartitionsToTxnRequest.v3AndBelowTopics', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AddPartitionsToTxnTopicResult {
  readonly name: string
  readonly resultsByPartition: readonly AddPartitionsToTxnPartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnTopicResult(r: Reader, version: number): AddPartitionsToTxnTopicResult {
  const flexible = version >= 3
  const name = r.string(flexible)
  const resultsByPartition = readStructs(r, version, flexible, 6, readAddPartitionsToTxnPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, resultsByPartition } : { name, resultsByPartition, unknownTags }
}

export function writeAddPartitionsToTxnTopicResult(w: Writer, value: Input<AddPartitionsToTxnTopicResult>, version: number): void {
  const flexible = version >= 3
  w.string(value.name ?? '', flexible)
  {
    const v = value.resultsByPartition === undefined ? [] : value.resultsByPartition
    w.count(v.length, flexible)
    for (const e of v) writeAddPartitionsToTxnPartitionResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AddPartitionsToTxnPartitionResult {
  readonly partitionIndex: number
  readonly partitionErrorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnPartitionResult(r: Reader, version: number): AddPartitionsToTxnPartitionResult {
  const flexible = version >= 3
  const partitionIndex = r.int32()
  const partitionErrorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, partitionErrorCode } : { partitionIndex, partitionErrorCode, unknownTags }
}

export function writeAddPartitionsToTxnPartitionResult(w: Writer, value: Input<AddPartitionsToTxnPartitionResult>, version: number): void {
  const flexible = version >= 3
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.partitionErrorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AddPartitionsToTxnResult {
  readonly transactionalId: string
  readonly topicResults: readonly AddPartitionsToTxnTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnResult(r: Reader, version: number): AddPartitionsToTxnResult {
  const transactionalId = r.string(true)
  const topicResults = readStructs(r, version, true, 3, readAddPartitionsToTxnTopicResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { transactionalId, topicResults } : { transactionalId, topicResults, unknownTags }
}

export function writeAddPartitionsToTxnResult(w: Writer, value: Input<AddPartitionsToTxnResult>, version: number): void {
  w.string(value.transactionalId ?? '', true)
  {
    const v = value.topicResults === undefined ? [] : value.topicResults
    w.count(v.length, true)
    for (const e of v) writeAddPartitionsToTxnTopicResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AddPartitionsToTxnResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number // v4+
  readonly resultsByTransaction: readonly AddPartitionsToTxnResult[] // v4+
  readonly resultsByTopicV3AndBelow: readonly AddPartitionsToTxnTopicResult[] // v0–3
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddPartitionsToTxnResponse(r: Reader, version: number): AddPartitionsToTxnResponse {
  const flexible = version >= 3
  const throttleTimeMs = r.int32()
  const errorCode = version >= 4 ? r.int16() : 0
  const resultsByTransaction = version >= 4 ? readStructs(r, version, flexible, 3, readAddPartitionsToTxnResult) : []
  const resultsByTopicV3AndBelow = version <= 3 ? readStructs(r, version, flexible, 3, readAddPartitionsToTxnTopicResult) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, resultsByTransaction, resultsByTopicV3AndBelow } : { throttleTimeMs, errorCode, resultsByTransaction, resultsByTopicV3AndBelow, unknownTags }
}

export function writeAddPartitionsToTxnResponse(w: Writer, value: Input<AddPartitionsToTxnResponse>, version: number): void {
  const flexible = version >= 3
  w.int32(value.throttleTimeMs ?? 0)
  if (version >= 4) {
    w.int16(value.errorCode ?? 0)
  }
  if (version >= 4) {
    {
      const v = value.resultsByTransaction === undefined ? [] : value.resultsByTransaction
      w.count(v.length, flexible)
      for (const e of v) writeAddPartitionsToTxnResult(w, e, version)
    }
  }
  if (version <= 3) {
    {
      const v = value.resultsByTopicV3AndBelow === undefined ? [] : value.resultsByTopicV3AndBelow
      w.count(v.length, flexible)
      for (const e of v) writeAddPartitionsToTxnTopicResult(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const addPartitionsToTxnApi: Api<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> = {
  key: 24,
  name: 'AddPartitionsToTxn',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 3,
  readRequest: readAddPartitionsToTxnRequest,
  writeRequest: writeAddPartitionsToTxnRequest,
  readResponse: readAddPartitionsToTxnResponse,
  writeResponse: writeAddPartitionsToTxnResponse,
}
