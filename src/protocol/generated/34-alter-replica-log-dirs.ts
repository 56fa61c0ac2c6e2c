/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AlterReplicaLogDirTopic {
  readonly name: string
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDirTopic(r: Reader, version: number): AlterReplicaLogDirTopic {
  const flexible = version >= 2
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

export function writeAlterReplicaLogDirTopic(w: Writer, value: Input<AlterReplicaLogDirTopic>, version: number): void {
  const flexible = version >= 2
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

export interface AlterReplicaLogDir {
  readonly path: string
  readonly topics: readonly AlterReplicaLogDirTopic[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDir(r: Reader, version: number): AlterReplicaLogDir {
  const flexible = version >= 2
  const path = r.string(flexible)
  const topics = readStructs(r, version, flexible, 3, readAlterReplicaLogDirTopic)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { path, topics } : { path, topics, unknownTags }
}

export function writeAlterReplicaLogDir(w: Writer, value: Input<AlterReplicaLogDir>, version: number): void {
  const flexible = version >= 2
  w.string(value.path ?? '', flexible)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeAlterReplicaLogDirTopic(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterReplicaLogDirsRequest {
  readonly dirs: readonly AlterReplicaLogDir[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDirsRequest(r: Reader, version: number): AlterReplicaLogDirsRequest {
  const flexible = version >= 2
  const dirs = readStructs(r, version, flexible, 3, readAlterReplicaLogDir)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { dirs } : { dirs, unknownTags }
}

export function writeAlterReplicaLogDirsRequest(w: Writer, value: Input<AlterReplicaLogDirsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.dirs === undefined ? [] : value.dirs
    w.count(v.length, flexible)
    for (const e of v) writeAlterReplicaLogDir(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterReplicaLogDirPartitionResult {
  readonly partitionIndex: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDirPartitionResult(r: Reader, version: number): AlterReplicaLogDirPartitionResult {
  const flexible = version >= 2
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

export function writeAlterReplicaLogDirPartitionResult(w: Writer, value: Input<AlterReplicaLogDirPartitionResult>, version: number): void {
  const flexible = version >= 2
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterReplicaLogDirTopicResult {
  readonly topicName: string
  readonly partitions: readonly AlterReplicaLogDirPartitionResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDirTopicResult(r: Reader, version: number): AlterReplicaLogDirTopicResult {
  const flexible = version >= 2
  const topicName = r.string(flexible)
  const partitions = readStructs(r, version, flexible, 6, readAlterReplicaLogDirPartitionResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topicName, partitions } : { topicName, partitions, unknownTags }
}

export function writeAlterReplicaLogDirTopicResult(w: Writer, value: Input<AlterReplicaLogDirTopicResult>, version: number): void {
  const flexible = version >= 2
  w.string(value.topicName ?? '', flexible)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, flexible)
    for (const e of v) writeAlterReplicaLogDirPartitionResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterReplicaLogDirsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly AlterReplicaLogDirTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterReplicaLogDirsResponse(r: Reader, version: number): AlterReplicaLogDirsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, flexible, 3, readAlterReplicaLogDirTopicResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, results } : { throttleTimeMs, results, unknownTags }
}

export function writeAlterReplicaLogDirsResponse(w: Writer, value: Input<AlterReplicaLogDirsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeAlterReplicaLogDirTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const alterReplicaLogDirsApi: Api<AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse> = {
  key: 34,
  name: 'AlterReplicaLogDirs',
  minVersion: 1,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readAlterReplicaLogDirsRequest,
  writeRequest: writeAlterReplicaLogDirsRequest,
  readResponse: readAlterReplicaLogDirsResponse,
  writeResponse: writeAlterReplicaLogDirsResponse,
}
