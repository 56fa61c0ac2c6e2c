/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeTransactionsRequest {
  readonly transactionalIds: readonly string[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTransactionsRequest(r: Reader, _version: number): DescribeTransactionsRequest {
  const transactionalIds = readScalars(r, true, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { transactionalIds } : { transactionalIds, unknownTags }
}

export function writeDescribeTransactionsRequest(w: Writer, value: Input<DescribeTransactionsRequest>, _version: number): void {
  {
    const v = value.transactionalIds === undefined ? [] : value.transactionalIds
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicData {
  readonly topic: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicData(r: Reader, _version: number): TopicData {
  const topic = r.string(true)
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topic, partitions } : { topic, partitions, unknownTags }
}

export function writeTopicData(w: Writer, value: Input<TopicData>, _version: number): void {
  w.string(value.topic ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TransactionState {
  readonly errorCode: number
  readonly transactionalId: string
  readonly transactionState: string
  readonly transactionTimeoutMs: number
  readonly transactionStartTimeMs: bigint
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly topics: readonly TopicData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTransactionState(r: Reader, version: number): TransactionState {
  const errorCode = r.int16()
  const transactionalId = r.string(true)
  const transactionState = r.string(true)
  const transactionTimeoutMs = r.int32()
  const transactionStartTimeMs = r.int64()
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const topics = readStructs(r, version, true, 3, readTopicData)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { errorCode, transactionalId, transactionState, transactionTimeoutMs, transactionStartTimeMs, producerId, producerEpoch, topics } : { errorCode, transactionalId, transactionState, transactionTimeoutMs, transactionStartTimeMs, producerId, producerEpoch, topics, unknownTags }
}

export function writeTransactionState(w: Writer, value: Input<TransactionState>, version: number): void {
  w.int16(value.errorCode ?? 0)
  w.string(value.transactionalId ?? '', true)
  w.string(value.transactionState ?? '', true)
  w.int32(value.transactionTimeoutMs ?? 0)
  w.int64(value.transactionStartTimeMs ?? 0n)
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeTopicData(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeTransactionsResponse {
  readonly throttleTimeMs: number
  readonly transactionStates: readonly TransactionState[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeTransactionsResponse(r: Reader, version: number): DescribeTransactionsResponse {
  const throttleTimeMs = r.int32()
  const transactionStates = readStructs(r, version, true, 28, readTransactionState)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, transactionStates } : { throttleTimeMs, transactionStates, unknownTags }
}

export function writeDescribeTransactionsResponse(w: Writer, value: Input<DescribeTransactionsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.transactionStates === undefined ? [] : value.transactionStates
    w.count(v.length, true)
    for (const e of v) writeTransactionState(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeTransactionsApi: Api<DescribeTransactionsRequest, DescribeTransactionsResponse> = {
  key: 65,
  name: 'DescribeTransactions',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDescribeTransactionsRequest,
  writeRequest: writeDescribeTransactionsRequest,
  readResponse: readDescribeTransactionsResponse,
  writeResponse: writeDescribeTransactionsResponse,
}
