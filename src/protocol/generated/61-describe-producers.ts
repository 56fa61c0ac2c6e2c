/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicRequest {
  readonly name: string
  readonly partitionIndexes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicRequest(r: Reader, _version: number): TopicRequest {
  const name = r.string(true)
  const partitionIndexes = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitionIndexes } : { name, partitionIndexes, unknownTags }
}

export function writeTopicRequest(w: Writer, value: Input<TopicRequest>, _version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitionIndexes === undefined ? [] : value.partitionIndexes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeProducersRequest {
  readonly topics: readonly TopicRequest[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeProducersRequest(r: Reader, version: number): DescribeProducersRequest {
  const topics = readStructs(r, version, true, 3, readTopicRequest)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topics } : { topics, unknownTags }
}

export function writeDescribeProducersRequest(w: Writer, value: Input<DescribeProducersRequest>, version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeTopicRequest(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ProducerState {
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly lastSequence: number
  readonly lastTimestamp: bigint
  readonly coordinatorEpoch: number
  readonly currentTxnStartOffset: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readProducerState(r: Reader, _version: number): ProducerState {
  const producerId = r.int64()
  const producerEpoch = r.int32()
  const lastSequence = r.int32()
  const lastTimestamp = r.int64()
  const coordinatorEpoch = r.int32()
  const currentTxnStartOffset = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { producerId, producerEpoch, lastSequence, lastTimestamp, coordinatorEpoch, currentTxnStartOffset } : { producerId, producerEpoch, lastSequence, lastTimestamp, coordinatorEpoch, currentTxnStartOffset, unknownTags }
}

export function writeProducerState(w: Writer, value: Input<ProducerState>, _version: number): void {
  w.int64(value.producerId ?? 0n)
  w.int32(value.producerEpoch ?? 0)
  w.int32(value.lastSequence ?? -1)
  w.int64(value.lastTimestamp ?? -1n)
  w.int32(value.coordinatorEpoch ?? 0)
  w.int64(value.currentTxnStartOffset ?? -1n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PartitionResponse {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly activeProducers: readonly ProducerState[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionResponse(r: Reader, version: number): PartitionResponse {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const activeProducers = readStructs(r, version, true, 37, readProducerState)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode, errorMessage, activeProducers } : { partitionIndex, errorCode, errorMessage, activeProducers, unknownTags }
}

export function writePartitionResponse(w: Writer, value: Input<PartitionResponse>, version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  {
    const v = value.activeProducers === undefined ? [] : value.activeProducers
    w.count(v.length, true)
    for (const e of v) writeProducerState(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicResponse {
  readonly name: string
  readonly partitions: readonly PartitionResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicResponse(r: Reader, version: number): TopicResponse {
  const name = r.string(true)
  const partitions = readStructs(r, version, true, 9, readPartitionResponse)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeTopicResponse(w: Writer, value: Input<TopicResponse>, version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writePartitionResponse(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeProducersResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly TopicResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeProducersResponse(r: Reader, version: number): DescribeProducersResponse {
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, true, 3, readTopicResponse)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, topics } : { throttleTimeMs, topics, unknownTags }
}

export function writeDescribeProducersResponse(w: Writer, value: Input<DescribeProducersResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeTopicResponse(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeProducersApi: Api<DescribeProducersRequest, DescribeProducersResponse> = {
  key: 61,
  name: 'DescribeProducers',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDescribeProducersRequest,
  writeRequest: writeDescribeProducersRequest,
  readResponse: readDescribeProducersResponse,
  writeResponse: writeDescribeProducersResponse,
}
