/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribableLogDirTopic {
  readonly topic: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribableLogDirTopic(r: Reader, version: number): DescribableLogDirTopic {
  const flexible = version >= 2
  const topic = r.string(flexible)
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
  return unknownTags === undefined ? { topic, partitions } : { topic, partitions, unknownTags }
}

export function writeDescribableLogDirTopic(w: Writer, value: Input<DescribableLogDirTopic>, version: number): void {
  const flexible = version >= 2
  w.string(value.topic ?? '', flexible)
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

export interface DescribeLogDirsRequest {
  readonly topics: readonly DescribableLogDirTopic[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeLogDirsRequest(r: Reader, version: number): DescribeLogDirsRequest {
  const flexible = version >= 2
  const topics = readNullableStructs(r, version, flexible, 3, readDescribableLogDirTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topics } : { topics, unknownTags }
}

export function writeDescribeLogDirsRequest(w: Writer, value: Input<DescribeLogDirsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.topics === undefined ? [] : value.topics
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeDescribableLogDirTopic(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeLogDirsPartition {
  readonly partitionIndex: number
  readonly partitionSize: bigint
  readonly offsetLag: bigint
  readonly isFutureKey: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeLogDirsPartition(r: Reader, version: number): DescribeLogDirsPartition {
  const flexible = version >= 2
  const partitionIndex = r.int32()
  const partitionSize = r.int64()
  const offsetLag = r.int64()
  const isFutureKey = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { partitionIndex, partitionSize, offsetLag, isFutureKey } : { partitionIndex, partitionSize, offsetLag, isFutureKey, unknownTags }
}

export function writeDescribeLogDirsPartition(w: Writer, value: Input<DescribeLogDirsPartition>, version: number): void {
  const flexible = version >= 2
  w.int32(value.partitionIndex ?? 0)
  w.int64(value.partitionSize ?? 0n)
  w.int64(value.offsetLag ?? 0n)
  w.bool(value.isFutureKey ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeLogDirsTopic {
  readonly name: string
  readonly partitions: readonly DescribeLogDirsPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeLogDirsTopic(r: Reader, version: number): DescribeLogDirsTopic {
  const flexible = version >= 2
  const name = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 21, readDescribeLogDirsPartition)
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

export function writeDescribeLogDirsTopic(w: Writer, value: Input<DescribeLogDirsTopic>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeDescribeLogDirsPartition(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeLogDirsResult {
  readonly errorCode: number
  readonly logDir: string
  readonly topics: readonly DescribeLogDirsTopic[]
  readonly totalBytes: bigint // v4+
  readonly usableBytes: bigint // v4+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeLogDirsResult(r: Reader, version: number): DescribeLogDirsResult {
  const flexible = version >= 2
  const errorCode = r.int16()
  const logDir = r.string(flexible)
  const topics = readStructs(r, version, flexible, 3, readDescribeLogDirsTopic)
  const totalBytes = version >= 4 ? r.int64() : -1n
  const usableBytes = version >= 4 ? r.int64() : -1n
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, logDir, topics, totalBytes, usableBytes } : { errorCode, logDir, topics, totalBytes, usableBytes, unknownTags }
}

export function writeDescribeLogDirsResult(w: Writer, value: Input<DescribeLogDirsResult>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  w.string(value.logDir ?? '', flexible)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeDescribeLogDirsTopic(w, e, version)
  }
  if (version >= 4) {
    w.int64(value.totalBytes ?? -1n)
  }
  if (version >= 4) {
    w.int64(value.usableBytes ?? -1n)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeLogDirsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number // v3+
  readonly results: readonly DescribeLogDirsResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeLogDirsResponse(r: Reader, version: number): DescribeLogDirsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const errorCode = version >= 3 ? r.int16() : 0
  const results = readStructs(r, version, flexible, 5, readDescribeLogDirsResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, results } : { throttleTimeMs, errorCode, results, unknownTags }
}

export function writeDescribeLogDirsResponse(w: Writer, value: Input<DescribeLogDirsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  if (version >= 3) {
    w.int16(value.errorCode ?? 0)
  }
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeDescribeLogDirsResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeLogDirsApi: Api<DescribeLogDirsRequest, DescribeLogDirsResponse> = {
  key: 35,
  name: 'DescribeLogDirs',
  minVersion: 1,
  maxVersion: 4,
  flexibleFrom: 2,
  readRequest: readDescribeLogDirsRequest,
  writeRequest: writeDescribeLogDirsRequest,
  readResponse: readDescribeLogDirsResponse,
  writeResponse: writeDescribeLogDirsResponse,
}
