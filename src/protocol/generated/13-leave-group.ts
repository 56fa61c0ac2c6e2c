/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface MemberIdentity {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly reason: string | null // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMemberIdentity(r: Reader, version: number): MemberIdentity {
  const flexible = version >= 4
  const memberId = r.string(flexible)
  const groupInstanceId = r.nullableString(flexible)
  const reason = version >= 5 ? r.nullableString(flexible) : null
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { memberId, groupInstanceId, reason } : { memberId, groupInstanceId, reason, unknownTags }
}

export function writeMemberIdentity(w: Writer, value: Input<MemberIdentity>, version: number): void {
  const flexible = version >= 4
  w.string(value.memberId ?? '', flexible)
  w.string(value.groupInstanceId ?? null, flexible)
  if (version >= 5) {
    w.string(value.reason ?? null, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface LeaveGroupRequest {
  readonly groupId: string
  readonly memberId: string // v0–2
  readonly members: readonly MemberIdentity[] // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readLeaveGroupRequest(r: Reader, version: number): LeaveGroupRequest {
  const flexible = version >= 4
  const groupId = r.string(flexible)
  const memberId = version <= 2 ? r.string(flexible) : ''
  const members = version >= 3 ? readStructs(r, version, flexible, 3, readMemberIdentity) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, memberId, members } : { groupId, memberId, members, unknownTags }
}

export function writeLeaveGroupRequest(w: Writer, value: Input<LeaveGroupRequest>, version: number): void {
  const flexible = version >= 4
  w.string(value.groupId ?? '', flexible)
  if (version <= 2) {
    w.string(value.memberId ?? '', flexible)
  } else if (value.memberId !== undefined && value.memberId !== '') {
    throw unsupportedField('LeaveGroupRequest.memberId', version)
  }
  if (version >= 3) {
    {
      const v = value.members === undefined ? [] : value.members
      w.count(v.length, flexible)
      for (const e of v) writeMemberIdentity(w, e, version)
    }
  } else if (value.members !== undefined && value.members.length > 0) {
    throw unsupportedField('LeaveGroupRequest.members', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface MemberResponse {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readMemberResponse(r: Reader, version: number): MemberResponse {
  const flexible = version >= 4
  const memberId = r.string(flexible)
  const groupInstanceId = r.nullableString(flexible)
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
  return unknownTags === undefined ? { memberId, groupInstanceId, errorCode } : { memberId, groupInstanceId, errorCode, unknownTags }
}

export function writeMemberResponse(w: Writer, value: Input<MemberResponse>, version: number): void {
  const flexible = version >= 4
  w.string(value.memberId ?? '', flexible)
  {
    const v = value.groupInstanceId === undefined ? '' : value.groupInstanceId
    w.string(v, flexible)
  }
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface LeaveGroupResponse {
  readonly throttleTimeMs: number // v1+
  readonly errorCode: number
  readonly members: readonly MemberResponse[] // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readLeaveGroupResponse(r: Reader, version: number): LeaveGroupResponse {
  const flexible = version >= 4
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const errorCode = r.int16()
  const members = version >= 3 ? readStructs(r, version, flexible, 5, readMemberResponse) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, members } : { throttleTimeMs, errorCode, members, unknownTags }
}

export function writeLeaveGroupResponse(w: Writer, value: Input<LeaveGroupResponse>, version: number): void {
  const flexible = version >= 4
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  w.int16(value.errorCode ?? 0)
  if (version >= 3) {
    {
      const v = value.members === undefined ? [] : value.members
      w.count(v.length, flexible)
      for (const e of v) writeMemberResponse(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const leaveGroupApi: Api<LeaveGroupRequest, LeaveGroupResponse> = {
  key: 13,
  name: 'LeaveGroup',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 4,
  readRequest: readLeaveGroupRequest,
  writeRequest: writeLeaveGroupRequest,
  readResponse: readLeaveGroupResponse,
  writeResponse: writeLeaveGroupResponse,
}
