/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface OffsetDeleteRequestPartition {
  readonly partitionIndex: number
}

export function readOffsetDeleteRequestPartition(r: Reader, _version: number): OffsetDeleteRequestPartition {
  const partitionIndex = r.int32()
  return { partitionIndex }
}

export function writeOffsetDeleteRequestPartition(w: Writer, value: Input<OffsetDeleteRequestPartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
}

export interface OffsetDeleteRequestTopic {
  readonly name: string
  readonly partitions: readonly OffsetDeleteRequestPartition[]
}

export function readOffsetDeleteRequestTopic(r: Reader, version: number): OffsetDeleteRequestTopic {
  const name = r.string(false)
  const partitions = readStructs(r, version, false, 4, readOffsetDeleteRequestPartition)
  return { name, partitions }
}

export function writeOffsetDeleteRequestTopic(w: Writer, value: Input<OffsetDeleteRequestTopic>, version: number): void {
  w.string(value.name ?? '', false)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, false)
    for (const e of v) writeOffsetDeleteRequestPartition(w, e, version)
  }
}

export interface OffsetDeleteRequest {
  readonly groupId: string
  readonly topics: readonly OffsetDeleteRequestTopic[]
}

export function readOffsetDeleteRequest(r: Reader, version: number): OffsetDeleteRequest {
  const groupId = r.string(false)
  const topics = readStructs(r, version, false, 6, readOffsetDeleteRequestTopic)
  return { groupId, topics }
}

export function writeOffsetDeleteRequest(w: Writer, value: Input<OffsetDeleteRequest>, version: number): void {
  w.string(value.groupId ?? '', false)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, false)
    for (const e of v) writeOffsetDeleteRequestTopic(w, e, version)
  }
}

export interface OffsetDeleteResponsePartition {
  readonly partitionIndex: number
  readonly errorCode: number
}

export function readOffsetDeleteResponsePartition(r: Reader, _version: number): OffsetDeleteResponsePartition {
  const partitionIndex = r.int32()
  const errorCode = r.int16()
  return { partitionIndex, errorCode }
}

export function writeOffsetDeleteResponsePartition(w: Writer, value: Input<OffsetDeleteResponsePartition>, _version: number): void {
  w.int32(value.partitionIndex ?? 0)
  w.int16(value.errorCode ?? 0)
}

export interface OffsetDeleteResponseTopic {
  readonly name: string
  readonly partitions: readonly OffsetDeleteResponsePartition[]
}

export function readOffsetDeleteResponseTopic(r: Reader, version: number): OffsetDeleteResponseTopic {
  const name = r.string(false)
  const partitions = readStructs(r, version, false, 6, readOffsetDeleteResponsePartition)
  return { name, partitions }
}

export function writeOffsetDeleteResponseTopic(w: Writer, value: Input<OffsetDeleteResponseTopic>, version: number): void {
  w.string(value.name ?? '', false)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, false)
    for (const e of v) writeOffsetDeleteResponsePartition(w, e, version)
  }
}

export interface OffsetDeleteResponse {
  readonly errorCode: number
  readonly throttleTimeMs: number
  readonly topics: readonly OffsetDeleteResponseTopic[]
}

export function readOffsetDeleteResponse(r: Reader, version: number): OffsetDeleteResponse {
  const errorCode = r.int16()
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, false, 6, readOffsetDeleteResponseTopic)
  return { errorCode, throttleTimeMs, topics }
}

export function writeOffsetDeleteResponse(w: Writer, value: Input<OffsetDeleteResponse>, version: number): void {
  w.int16(value.errorCode ?? 0)
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, false)
    for (const e of v) writeOffsetDeleteResponseTopic(w, e, version)
  }
}

export const offsetDeleteApi: Api<OffsetDeleteRequest, OffsetDeleteResponse> = {
  key: 47,
  name: 'OffsetDelete',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: Number.POSITIVE_INFINITY,
  readRequest: readOffsetDeleteRequest,
  writeRequest: writeOffsetDeleteRequest,
  readResponse: readOffsetDeleteResponse,
  writeResponse: writeOffsetDeleteResponse,
}
