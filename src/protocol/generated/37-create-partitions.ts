/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface CreatePartitionsAssignment {
  readonly brokerIds: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatePartitionsAssignment(r: Reader, version: number): CreatePartitionsAssignment {
  const flexible = version >= 2
  const brokerIds = readScalars(r, flexible, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { brokerIds } : { brokerIds, unknownTags }
}

export function writeCreatePartitionsAssignment(w: Writer, value: Input<CreatePartitionsAssignment>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.brokerIds === undefined ? [] : value.brokerIds
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatePartitionsTopic {
  readonly name: string
  readonly count: number
  readonly assignments: readonly CreatePartitionsAssignment[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatePartitionsTopic(r: Reader, version: number): CreatePartitionsTopic {
  const flexible = version >= 2
  const name = r.string(flexible)
  const count = r.int32()
  const assignments = readNullableStructs(r, version, flexible, 2, readCreatePartitionsAssignment)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, count, assignments } : { name, count, assignments, unknownTags }
}

export function writeCreatePartitionsTopic(w: Writer, value: Input<CreatePartitionsTopic>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  w.int32(value.count ?? 0)
  {
    const v = value.assignments === undefined ? [] : value.assignments
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeCreatePartitionsAssignment(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatePartitionsRequest {
  readonly topics: readonly CreatePartitionsTopic[]
  readonly timeoutMs: number
  readonly validateOnly: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatePartitionsRequest(r: Reader, version: number): CreatePartitionsRequest {
  const flexible = version >= 2
  const topics = readStructs(r, version, flexible, 7, readCreatePartitionsTopic)
  const timeoutMs = r.int32()
  const validateOnly = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topics, timeoutMs, validateOnly } : { topics, timeoutMs, validateOnly, unknownTags }
}

export function writeCreatePartitionsRequest(w: Writer, value: Input<CreatePartitionsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeCreatePartitionsTopic(w, e, version)
  }
  w.int32(value.timeoutMs ?? 0)
  w.bool(value.validateOnly ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatePartitionsTopicResult {
  readonly name: string
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatePartitionsTopicResult(r: Reader, version: number): CreatePartitionsTopicResult {
  const flexible = version >= 2
  const name = r.string(flexible)
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, errorCode, errorMessage } : { name, errorCode, errorMessage, unknownTags }
}

export function writeCreatePartitionsTopicResult(w: Writer, value: Input<CreatePartitionsTopicResult>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatePartitionsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly CreatePartitionsTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatePartitionsResponse(r: Reader, version: number): CreatePartitionsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, flexible, 5, readCreatePartitionsTopicResult)
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

export function writeCreatePartitionsResponse(w: Writer, value: Input<CreatePartitionsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeCreatePartitionsTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const createPartitionsApi: Api<CreatePartitionsRequest, CreatePartitionsResponse> = {
  key: 37,
  name: 'CreatePartitions',
  minVersion: 0,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readCreatePartitionsRequest,
  writeRequest: writeCreatePartitionsRequest,
  readResponse: readCreatePartitionsResponse,
  writeResponse: writeCreatePartitionsResponse,
}
