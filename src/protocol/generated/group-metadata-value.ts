/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface MemberMetadata {
  readonly memberId: string
  readonly groupInstanceId: string | null // v3+
  readonly clientId: string
  readonly clientHost: string
  readonly rebalanceTimeout: number // v1+
  readonly sessionTimeout: number
  readonly subscription: Buffer
  readonly assignment: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMemberMetadata(r: Reader, version: number): MemberMetadata {
  const flexible = version >= 4
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 3 ? r.nullableString(flexible) : null
  const clientId = r.string(flexible)
  const clientHost = r.string(flexible)
  const rebalanceTimeout = version >= 1 ? r.int32() : -1
  const sessionTimeout = r.int32()
  const subscription = r.bytes(flexible)
  const assignment = r.bytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { memberId, groupInstanceId, clientId, clientHost, rebalanceTimeout, sessionTimeout, subscription, assignment } : { memberId, groupInstanceId, clientId, clientHost, rebalanceTimeout, sessionTimeout, subscription, assignment, unknownTags }
}

export function writeMemberMetadata(w: Writer, value: Input<MemberMetadata>, version: number): void {
  const flexible = version >= 4
  w.string(value.memberId ?? '', flexible)
  if (version >= 3) {
    w.string(value.groupInstanceId ?? null, flexible)
  }
  w.string(value.clientId ?? '', flexible)
  w.string(value.clientHost ?? '', flexible)
  if (version >= 1) {
    w.int32(value.rebalanceTimeout ?? -1)
  }
  w.int32(value.sessionTimeout ?? 0)
  w.bytes(value.subscription ?? noBytes, flexible)
  w.bytes(value.assignment ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface GroupMetadataValue {
  readonly protocolType: string
  readonly generation: number
  readonly protocol: string | null
  readonly leader: string | null
  readonly currentStateTimestamp: bigint // v2+
  readonly members: readonly MemberMetadata[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readGroupMetadataValue(r: Reader, version: number): GroupMetadataValue {
  const flexible = version >= 4
  const protocolType = r.string(flexible)
  const generation = r.int32()
  const protocol = r.nullableString(flexible)
  const leader = r.nullableString(flexible)
  const currentStateTimestamp = version >= 2 ? r.int64() : -1n
  const members = readStructs(r, version, flexible, 15, readMemberMetadata)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { protocolType, generation, protocol, leader, currentStateTimestamp, members } : { protocolType, generation, protocol, leader, currentStateTimestamp, members, unknownTags }
}

export function writeGroupMetadataValue(w: Writer, value: Input<GroupMetadataValue>, version: number): void {
  const flexible = version >= 4
  w.string(value.protocolType ?? '', flexible)
  w.int32(value.generation ?? 0)
  {
    const v = value.protocol === undefined ? '' : value.protocol
    w.string(v, flexible)
  }
  {
    const v = value.leader === undefined ? '' : value.leader
    w.string(v, flexible)
  }
  if (version >= 2) {
    w.int64(value.currentStateTimestamp ?? -1n)
  }
  {
    const v = value.members === undefined ? [] : value.members
    w.count(v.length, flexible)
    for (const e of v) writeMemberMetadata(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}
export const groupMetadataValueType = 2
export const groupMetadataValueVersions = { min: 0, max: 4 } as const
