/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import { Writer } from '../writer.ts'

export interface CreatableReplicaAssignment {
  readonly partitionIndex: number
  readonly brokerIds: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableReplicaAssignment(r: Reader, version: number): CreatableReplicaAssignment {
  const flexible = version >= 5
  const partitionIndex = r.int32()
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
  return unknownTags === undefined ? { partitionIndex, brokerIds } : { partitionIndex, brokerIds, unknownTags }
}

export function writeCreatableReplicaAssignment(w: Writer, value: Input<CreatableReplicaAssignment>, version: number): void {
  const flexible = version >= 5
  w.int32(value.partitionIndex ?? 0)
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

export interface CreatableTopicConfig {
  readonly name: string
  readonly value: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableTopicConfig(r: Reader, version: number): CreatableTopicConfig {
  const flexible = version >= 5
  const name = r.string(flexible)
  const value = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, value } : { name, value, unknownTags }
}

export function writeCreatableTopicConfig(w: Writer, value: Input<CreatableTopicConfig>, version: number): void {
  const flexible = version >= 5
  w.string(value.name ?? '', flexible)
  {
    const v = value.value === undefined ? '' : value.value
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatableTopic {
  readonly name: string
  readonly numPartitions: number
  readonly replicationFactor: number
  readonly assignments: readonly CreatableReplicaAssignment[]
  readonly configs: readonly CreatableTopicConfig[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableTopic(r: Reader, version: number): CreatableTopic {
  const flexible = version >= 5
  const name = r.string(flexible)
  const numPartitions = r.int32()
  const replicationFactor = r.int16()
  const assignments = readStructs(r, version, flexible, 6, readCreatableReplicaAssignment)
  const configs = readStructs(r, version, flexible, 3, readCreatableTopicConfig)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, numPartitions, replicationFactor, assignments, configs } : { name, numPartitions, replicationFactor, assignments, configs, unknownTags }
}

export function writeCreatableTopic(w: Writer, value: Input<CreatableTopic>, version: number): void {
  const flexible = version >= 5
  w.string(value.name ?? '', flexible)
  w.int32(value.numPartitions ?? 0)
  w.int16(value.replicationFactor ?? 0)
  {
    const v = value.assignments === undefined ? [] : value.assignments
    w.count(v.length, flexible)
    for (const e of v) writeCreatableReplicaAssignment(w, e, version)
  }
  {
    const v = value.configs === undefined ? [] : value.configs
    w.count(v.length, flexible)
    for (const e of v) writeCreatableTopicConfig(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreateTopicsRequest {
  readonly topics: readonly CreatableTopic[]
  readonly timeoutMs: number
  readonly validateOnly: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateTopicsRequest(r: Reader, version: number): CreateTopicsRequest {
  const flexible = version >= 5
  const topics = readStructs(r, version, flexible, 10, readCreatableTopic)
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

export function writeCreateTopicsRequest(w: Writer, value: Input<CreateTopicsRequest>, version: number): void {
  const flexible = version >= 5
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeCreatableTopic(w, e, version)
  }
  w.int32(value.timeoutMs ?? 60000)
  w.bool(value.validateOnly ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreatableTopicConfigs {
  readonly name: string
  readonly value: string | null
  readonly readOnly: boolean
  readonly configSource: number
  readonly isSensitive: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableTopicConfigs(r: Reader, _version: number): CreatableTopicConfigs {
  const name = r.string(true)
  const value = r.nullableString(true)
  const readOnly = r.bool()
  const configSource = r.int8()
  const isSensitive = r.bool()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, value, readOnly, configSource, isSensitive } : { name, value, readOnly, configSource, isSensitive, unknownTags }
}

export function writeCreatableTopicConfigs(w: Writer, value: Input<CreatableTopicConfigs>, _version: number): void {
  w.string(value.name ?? '', true)
  {
    const v = value.value === undefined ? '' : value.value
    w.string(v, true)
  }
  w.bool(value.readOnly ?? false)
  w.int8(value.configSource ?? -1)
  w.bool(value.isSensitive ?? false)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface CreatableTopicResult {
  readonly name: string
  readonly topicId: Uuid // v7+
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly topicConfigErrorCode: number // v5+, tag 0
  readonly numPartitions: number // v5+
  readonly replicationFactor: number // v5+
  readonly configs: readonly CreatableTopicConfigs[] | null // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableTopicResult(r: Reader, version: number): CreatableTopicResult {
  const flexible = version >= 5
  const name = r.string(flexible)
  const topicId = version >= 7 ? r.uuid() : zeroUuid
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  let topicConfigErrorCode: number = 0
  const numPartitions = version >= 5 ? r.int32() : -1
  const replicationFactor = version >= 5 ? r.int16() : -1
  const configs = version >= 5 ? readNullableStructs(r, version, flexible, 6, readCreatableTopicConfigs) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          topicConfigErrorCode = r.int16()
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, topicId, errorCode, errorMessage, topicConfigErrorCode, numPartitions, replicationFactor, configs } : { name, topicId, errorCode, errorMessage, topicConfigErrorCode, numPartitions, replicationFactor, configs, unknownTags }
}

export function writeCreatableTopicResult(w: Writer, value: Input<CreatableTopicResult>, version: number): void {
  const flexible = version >= 5
  w.string(value.name ?? '', flexible)
  if (version >= 7) {
    w.uuid(value.topicId ?? zeroUuid)
  }
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  if (version >= 5) {
    w.int32(value.numPartitions ?? -1)
  }
  if (version >= 5) {
    w.int16(value.replicationFactor ?? -1)
  }
  if (version >= 5) {
    {
      const v = value.configs === undefined ? [] : value.configs
      if (v === null) w.count(-1, flexible)
      else {
        w.count(v.length, flexible)
        for (const e of v) writeCreatableTopicConfigs(w, e, version)
      }
    }
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.topicConfigErrorCode !== undefined && value.topicConfigErrorCode !== 0
    if (has0) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.topicConfigErrorCode !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.topicConfigErrorCode
        w.int16(v)
        outer.tagged(0, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export interface CreateTopicsResponse {
  readonly throttleTimeMs: number
  readonly topics: readonly CreatableTopicResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateTopicsResponse(r: Reader, version: number): CreateTopicsResponse {
  const flexible = version >= 5
  const throttleTimeMs = r.int32()
  const topics = readStructs(r, version, flexible, 6, readCreatableTopicResult)
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

export function writeCreateTopicsResponse(w: Writer, value: Input<CreateTopicsResponse>, version: number): void {
  const flexible = version >= 5
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, flexible)
    for (const e of v) writeCreatableTopicResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const createTopicsApi: Api<CreateTopicsRequest, CreateTopicsResponse> = {
  key: 19,
  name: 'CreateTopics',
  minVersion: 2,
  maxVersion: 7,
  flexibleFrom: 5,
  readRequest: readCreateTopicsRequest,
  writeRequest: writeCreateTopicsRequest,
  readResponse: readCreateTopicsResponse,
  writeResponse: writeCreateTopicsResponse,
}
