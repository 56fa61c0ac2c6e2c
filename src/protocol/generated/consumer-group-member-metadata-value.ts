/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readNullableStruct, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface ClassicProtocol {
  readonly name: string
  readonly metadata: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readClassicProtocol(r: Reader, _version: number): ClassicProtocol {
  const name = r.string(true)
  const metadata = r.bytes(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, metadata } : { name, metadata, unknownTags }
}

export function writeClassicProtocol(w: Writer, value: Input<ClassicProtocol>, _version: number): void {
  w.string(value.name ?? '', true)
  w.bytes(value.metadata ?? noBytes, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ClassicMemberMetadata {
  readonly sessionTimeoutMs: number
  readonly supportedProtocols: readonly ClassicProtocol[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readClassicMemberMetadata(r: Reader, version: number): ClassicMemberMetadata {
  const sessionTimeoutMs = r.int32()
  const supportedProtocols = readStructs(r, version, true, 3, readClassicProtocol)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { sessionTimeoutMs, supportedProtocols } : { sessionTimeoutMs, supportedProtocols, unknownTags }
}

export function writeClassicMemberMetadata(w: Writer, value: Input<ClassicMemberMetadata>, version: number): void {
  w.int32(value.sessionTimeoutMs ?? 0)
  {
    const v = value.supportedProtocols === undefined ? [] : value.supportedProtocols
    w.count(v.length, true)
    for (const e of v) writeClassicProtocol(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupMemberMetadataValue {
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly subscribedTopicNames: readonly string[]
  readonly subscribedTopicRegex: string | null
  readonly rebalanceTimeoutMs: number
  readonly serverAssignor: string | null
  readonly classicMemberMetadata: ClassicMemberMetadata | null // tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupMemberMetadataValue(r: Reader, version: number): ConsumerGroupMemberMetadataValue {
  const instanceId = r.nullableString(true)
  const rackId = r.nullableString(true)
  const clientId = r.string(true)
  const clientHost = r.string(true)
  const subscribedTopicNames = readScalars(r, true, 1, scalar.string)
  const subscribedTopicRegex = r.nullableString(true)
  const rebalanceTimeoutMs = r.int32()
  const serverAssignor = r.nullableString(true)
  let classicMemberMetadata: ClassicMemberMetadata | null = null
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    switch (tag) {
      case 0:
        classicMemberMetadata = readNullableStruct(r, version, readClassicMemberMetadata)
        break
      default:
        unknownTags = r.unknownTag(tag, end, unknownTags)
    }
    r.closeTag(end)
  }
  return unknownTags === undefined ? { instanceId, rackId, clientId, clientHost, subscribedTopicNames, subscribedTopicRegex, rebalanceTimeoutMs, serverAssignor, classicMemberMetadata } : { instanceId, rackId, clientId, clientHost, subscribedTopicNames, subscribedTopicRegex, rebalanceTimeoutMs, serverAssignor, classicMemberMetadata, unknownTags }
}

export function writeConsumerGroupMemberMetadataValue(w: Writer, value: Input<ConsumerGroupMemberMetadataValue>, version: number): void {
  {
    const v = value.instanceId === undefined ? '' : value.instanceId
    w.string(v, true)
  }
  {
    const v = value.rackId === undefined ? '' : value.rackId
    w.string(v, true)
  }
  w.string(value.clientId ?? '', true)
  w.string(value.clientHost ?? '', true)
  {
    const v = value.subscribedTopicNames === undefined ? [] : value.subscribedTopicNames
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.subscribedTopicRegex === undefined ? '' : value.subscribedTopicRegex
    w.string(v, true)
  }
  w.int32(value.rebalanceTimeoutMs ?? -1)
  {
    const v = value.serverAssignor === undefined ? '' : value.serverAssignor
    w.string(v, true)
  }
  let count = value.unknownTags?.length ?? 0
  const has0 = value.classicMemberMetadata !== undefined && value.classicMemberMetadata !== null
  if (has0) count++
  w.uvarint(count)
  let next = 0
  next = w.unknownTags(value.unknownTags, next, 0)
  if (has0 && value.classicMemberMetadata !== undefined) {
    const outer = w
    {
      const w = new Writer()
      const v = value.classicMemberMetadata
      if (v === null) w.int8(-1)
      else {
        w.int8(1)
        writeClassicMemberMetadata(w, v, version)
      }
      outer.tagged(0, w)
    }
  }
  w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
}
export const consumerGroupMemberMetadataValueType = 5
export const consumerGroupMemberMetadataValueVersions = { min: 0, max: 0 } as const
