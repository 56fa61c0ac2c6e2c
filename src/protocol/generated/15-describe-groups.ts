/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface DescribeGroupsRequest {
  readonly groups: readonly string[]
  readonly includeAuthorizedOperations: boolean // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeGroupsRequest(r: Reader, version: number): DescribeGroupsRequest {
  const flexible = version >= 5
  const groups = readScalars(r, flexible, 1, scalar.string)
  const includeAuthorizedOperations = version >= 3 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groups, includeAuthorizedOperations } : { groups, includeAuthorizedOperations, unknownTags }
}

export function writeDescribeGroupsRequest(w: Writer, value: Input<DescribeGroupsRequest>, version: number): void {
  const flexible = version >= 5
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, flexible)
    for (const e of v) w.string(e, flexible)
  }
  if (version >= 3) {
    w.bool(value.includeAuthorizedOperations ?? false)
  } else if (value.includeAuthorizedOperations !== undefined && value.includeAuthorizedOperations !== false) {
    throw unsupportedField('DescribeGroupsRequest.includeAuthorizedOperations', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribedGroupMember {
  readonly memberId: string
  readonly groupInstanceId: string | null // v4+
  readonly clientId: string
  readonly clientHost: string
  readonly memberMetadata: Buffer
  readonly memberAssignment: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribedGroupMember(r: Reader, version: number): DescribedGroupMember {
  const flexible = version >= 5
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 4 ? r.nullableString(flexible) : null
  const clientId = r.string(flexible)
  const clientHost = r.string(flexible)
  const memberMetadata = r.bytes(flexible)
  const memberAssignment = r.bytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { memberId, groupInstanceId, clientId, clientHost, memberMetadata, memberAssignment } : { memberId, groupInstanceId, clientId, clientHost, memberMetadata, memberAssignment, unknownTags }
}

export function writeDescribedGroupMember(w: Writer, value: Input<DescribedGroupMember>, version: number): void {
  const flexible = version >= 5
  w.string(value.memberId ?? '', flexible)
  if (version >= 4) {
    w.string(value.groupInstanceId ?? null, flexible)
  }
  w.string(value.clientId ?? '', flexible)
  w.string(value.clientHost ?? '', flexible)
  w.bytes(value.memberMetadata ?? noBytes, flexible)
  w.bytes(value.memberAssignment ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribedGroup {
  readonly errorCode: number
  readonly errorMessage: string | null // v6+
  readonly groupId: string
  readonly groupState: string
  readonly protocolType: string
  readonly protocolData: string
  readonly members: readonly DescribedGroupMember[]
  readonly authorizedOperations: number // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribedGroup(r: Reader, version: number): DescribedGroup {
  const flexible = version >= 5
  const errorCode = r.int16()
  const errorMessage = version >= 6 ? r.nullableString(flexible) : null
  const groupId = r.string(flexible)
  const groupState = r.string(flexible)
  const protocolType = r.string(flexible)
  const protocolData = r.string(flexible)
  const members = readStructs(r, version, flexible, 7, readDescribedGroupMember)
  const authorizedOperations = version >= 3 ? r.int32() : -2147483648
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, groupId, groupState, protocolType, protocolData, members, authorizedOperations } : { errorCode, errorMessage, groupId, groupState, protocolType, protocolData, members, authorizedOperations, unknownTags }
}

export function writeDescribedGroup(w: Writer, value: Input<DescribedGroup>, version: number): void {
  const flexible = version >= 5
  w.int16(value.errorCode ?? 0)
  if (version >= 6) {
    w.string(value.errorMessage ?? null, flexible)
  }
  w.string(value.groupId ?? '', flexible)
  w.string(value.groupState ?? '', flexible)
  w.string(value.protocolType ?? '', flexible)
  w.string(value.protocolData ?? '', flexible)
  {
    const v = value.members === undefined ? [] : value.members
    w.count(v.length, flexible)
    for (const e of v) writeDescribedGroupMember(w, e, version)
  }
  if (version >= 3) {
    w.int32(value.authorizedOperations ?? -2147483648)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeGroupsResponse {
  readonly throttleTimeMs: number // v1+
  readonly groups: readonly DescribedGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeGroupsResponse(r: Reader, version: number): DescribeGroupsResponse {
  const flexible = version >= 5
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const groups = readStructs(r, version, flexible, 12, readDescribedGroup)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, groups } : { throttleTimeMs, groups, unknownTags }
}

export function writeDescribeGroupsResponse(w: Writer, value: Input<DescribeGroupsResponse>, version: number): void {
  const flexible = version >= 5
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, flexible)
    for (const e of v) writeDescribedGroup(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeGroupsApi: Api<DescribeGroupsRequest, DescribeGroupsResponse> = {
  key: 15,
  name: 'DescribeGroups',
  minVersion: 0,
  maxVersion: 6,
  flexibleFrom: 5,
  readRequest: readDescribeGroupsRequest,
  writeRequest: writeDescribeGroupsRequest,
  readResponse: readDescribeGroupsResponse,
  writeResponse: writeDescribeGroupsResponse,
}
