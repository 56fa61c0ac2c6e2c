/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface JoinGroupRequestProtocol {
  readonly name: string
  readonly metadata: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readJoinGroupRequestProtocol(r: Reader, version: number): JoinGroupRequestProtocol {
  const flexible = version >= 6
  const name = r.string(flexible)
  const metadata = r.bytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, metadata } : { name, metadata, unknownTags }
}

export function writeJoinGroupRequestProtocol(w: Writer, value: Input<JoinGroupRequestProtocol>, version: number): void {
  const flexible = version >= 6
  w.string(value.name ?? '', flexible)
  w.bytes(value.metadata ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface JoinGroupRequest {
  readonly groupId: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number // v1+
  readonly memberId: string
  readonly groupInstanceId: string | null // v5+
  readonly protocolType: string
  readonly protocols: readonly JoinGroupRequestProtocol[]
  readonly reason: string | null // v8+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readJoinGroupRequest(r: Reader, version: number): JoinGroupRequest {
  const flexible = version >= 6
  const groupId = r.string(flexible)
  const sessionTimeoutMs = r.int32()
  const rebalanceTimeoutMs = version >= 1 ? r.int32() : -1
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 5 ? r.nullableString(flexible) : null
  const protocolType = r.string(flexible)
  const protocols = readStructs(r, version, flexible, 3, readJoinGroupRequestProtocol)
  const reason = version >= 8 ? r.nullableString(flexible) : null
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, sessionTimeoutMs, rebalanceTimeoutMs, memberId, groupInstanceId, protocolType, protocols, reason } : { groupId, sessionTimeoutMs, rebalanceTimeoutMs, memberId, groupInstanceId, protocolType, protocols, reason, unknownTags }
}

export function writeJoinGroupRequest(w: Writer, value: Input<JoinGroupRequest>, version: number): void {
  const flexible = version >= 6
  w.string(value.groupId ?? '', flexible)
  w.int32(value.sessionTimeoutMs ?? 0)
  if (version >= 1) {
    w.int32(value.rebalanceTimeoutMs ?? -1)
  }
  w.string(value.memberId ?? '', flexible)
  if (version >= 5) {
    w.string(value.groupInstanceId ?? null, flexible)
  } else if (value.groupInstanceId !== undefined && value.groupInstanceId !== null) {
    throw unsupportedField('JoinGroupRequest.groupInstanceId', version)
  }
  w.string(value.protocolType ?? '', flexible)
  {
    const v = value.protocols === undefined ? [] : value.protocols
    w.count(v.length, flexible)
    for (const e of v) writeJoinGroupRequestProtocol(w, e, version)
  }
  if (version >= 8) {
    w.string(value.reason ?? null, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface JoinGroupResponseMember {
  readonly memberId: string
  readonly groupInstanceId: string | null // v5+
  readonly metadata: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readJoinGroupResponseMember(r: Reader, version: number): JoinGroupResponseMember {
  const flexible = version >= 6
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 5 ? r.nullableString(flexible) : null
  const metadata = r.bytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { memberId, groupInstanceId, metadata } : { memberId, groupInstanceId, metadata, unknownTags }
}

export function writeJoinGroupResponseMember(w: Writer, value: Input<JoinGroupResponseMember>, version: number): void {
  const flexible = version >= 6
  w.string(value.memberId ?? '', flexible)
  if (version >= 5) {
    w.string(value.groupInstanceId ?? null, flexible)
  }
  w.bytes(value.metadata ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface JoinGroupResponse {
  readonly throttleTimeMs: number // v2+
  readonly errorCode: number
  readonly generationId: number
  readonly protocolType: string | null // v7+
  readonly protocolName: string | null
  readonly leader: string
  readonly skipAssignment: boolean // v9+
  readonly memberId: string
  readonly members: readonly JoinGroupResponseMember[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readJoinGroupResponse(r: Reader, version: number): JoinGroupResponse {
  const flexible = version >= 6
  const throttleTimeMs = version >= 2 ? r.int32() : 0
  const errorCode = r.int16()
  const generationId = r.int32()
  const protocolType = version >= 7 ? r.nullableString(flexible) : null
  const protocolName = (version >= 7 ? r.nullableString(flexible) : r.string(flexible))
  const leader = r.string(flexible)
  const skipAssignment = version >= 9 ? r.bool() : false
  const memberId = r.string(flexible)
  const members = readStructs(r, version, flexible, 4, readJoinGroupResponseMember)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, generationId, protocolType, protocolName, leader, skipAssignment, memberId, members } : { throttleTimeMs, errorCode, generationId, protocolType, protocolName, leader, skipAssignment, memberId, members, unknownTags }
}

export function writeJoinGroupResponse(w: Writer, value: Input<JoinGroupResponse>, version: number): void {
  const flexible = version >= 6
  if (version >= 2) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  w.int16(value.errorCode ?? 0)
  w.int32(value.generationId ?? -1)
  if (version >= 7) {
    w.string(value.protocolType ?? null, flexible)
  }
  {
    const v = value.protocolName === undefined ? '' : value.protocolName
    if (!(version >= 7) && v === null) throw unsupportedField('JoinGroupResponse.protocolName = null', version)
    w.string(v, flexible)
  }
  w.string(value.leader ?? '', flexible)
  if (version >= 9) {
    w.bool(value.skipAssignment ?? false)
  }
  w.string(value.memberId ?? '', flexible)
  {
    const v = value.members === undefined ? [] : value.members
    w.count(v.length, flexible)
    for (const e of v) writeJoinGroupResponseMember(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const joinGroupApi: Api<JoinGroupRequest, JoinGroupResponse> = {
  key: 11,
  name: 'JoinGroup',
  minVersion: 0,
  maxVersion: 9,
  flexibleFrom: 6,
  readRequest: readJoinGroupRequest,
  writeRequest: writeJoinGroupRequest,
  readResponse: readJoinGroupResponse,
  writeResponse: writeJoinGroupResponse,
}
