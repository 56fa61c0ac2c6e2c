/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface WritableTxnMarkerTopic {
  readonly name: string
  readonly partitionIndexes: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWritableTxnMarkerTopic(r: Reader, _version: number): WritableTxnMarkerTopic {
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

export function writeWritableTxnMarkerTopic(w: Writer, value: Input<WritableTxnMarkerTopic>, _version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitionIndexes === undefined ? [] : value.partitionIndexes
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WritableTxnMarker {
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly transactionResult: boolean
  readonly topics: readonly WritableTxnMarkerTopic[]
  readonly coordinatorEpoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWritableTxnMarker(r: Reader, version: number): WritableTxnMarker {
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const transactionResult = r.bool()
  const topics = readStructs(r, version, true, 3, readWritableTxnMarkerTopic)
  const coordinatorEpoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { producerId, producerEpoch, transactionResult, topics, coordinatorEpoch } : { producerId, producerEpoch, transactionResult, topics, coordinatorEpoch, unknownTags }
}

export function writeWritableTxnMarker(w: Writer, value: Input<WritableTxnMarker>, version: number): void {
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  w.bool(value.transactionResult ?? false)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeWritableTxnMarkerTopic(w, e, version)
  }
  w.int32(value.coordinatorEpoch ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WriteTxnMarkersRequest {
  readonly markers: readonly WritableTxnMarker[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWriteTxnMarkersRequest(r: Reader, version: number): WriteTxnMarkersRequest {
  const markers = readStructs(r, version, true, 17, readWritableTxnMarker)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { markers } : { markers, unknownTags }
}

export function writeWriteTxnMarkersRequest(w: Writer, value: Input<WriteTxnMarkersRequest>, version: number): void {
  {
    const v = value.markers === undefined ? [] : value.markers
    w.count(v.length, true)
    for (const e of v) writeWritableTxnMarker(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WritableTxnMarkerPartitionResult {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWritableTxnMarkerPartitionResult(r: Reader, _version: number): WritableTxnMarkerPartitionResult {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partitionIndex, errorCode } : { partitionIndex, errorCode, unknownTags }
}

export function writeWritableTxnMarkerPartitionResult(w: Writer, value: Input<WritableTxnMarkerPartitionResult>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WritableTxnMarkerTopicResult {
  readonly name: string
  readonly partitions: readonly WritableTxnMarkerPartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWritableTxnMarkerTopicResult(r: Reader, version: number): WritableTxnMarkerTopicResult {
  const name = r.string(true)
  const partitions = readStructs(r, version, true, 7, readWritableTxnMarkerPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, partitions } : { name, partitions, unknownTags }
}

export function writeWritableTxnMarkerTopicResult(w: Writer, value: Input<WritableTxnMarkerTopicResult>, version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) writeWritableTxnMarkerPartitionResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WritableTxnMarkerResult {
  readonly producerId: bigint
  readonly topics: readonly WritableTxnMarkerTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWritableTxnMarkerResult(r: Reader, version: number): WritableTxnMarkerResult {
  const producerId = r.int64()
  const topics = readStructs(r, version, true, 3, readWritableTxnMarkerTopicResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { producerId, topics } : { producerId, topics, unknownTags }
}

export function writeWritableTxnMarkerResult(w: Writer, value: Input<WritableTxnMarkerResult>, version: number): void {
  w.int64(value.producerId ?? 0n)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeWritableTxnMarkerTopicResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface WriteTxnMarkersResponse {
  readonly markers: readonly WritableTxnMarkerResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readWriteTxnMarkersResponse(r: Reader, version: number): WriteTxnMarkersResponse {
  const markers = readStructs(r, version, true, 10, readWritableTxnMarkerResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { markers } : { markers, unknownTags }
}

export function writeWriteTxnMarkersResponse(w: Writer, value: Input<WriteTxnMarkersResponse>, version: number): void {
  {
    const v = value.markers === undefined ? [] : value.markers
    w.count(v.length, true)
    for (const e of v) writeWritableTxnMarkerResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const writeTxnMarkersApi: Api<WriteTxnMarkersRequest, WriteTxnMarkersResponse> = {
  key: 27,
  name: 'WriteTxnMarkers',
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readWriteTxnMarkersRequest,
  writeRequest: writeWriteTxnMarkersRequest,
  readResponse: readWriteTxnMarkersResponse,
  writeResponse: writeWriteTxnMarkersResponse,
}
