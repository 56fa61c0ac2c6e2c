/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ListGroupsRequest {
  readonly statesFilter: readonly string[] // v4+
  readonly typesFilter: readonly string[] // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListGroupsRequest(r: Reader, version: number): ListGroupsRequest {
  const flexible = version >= 3
  const statesFilter = version >= 4 ? readScalars(r, flexible, 1, scalar.string) : []
  const typesFilter = version >= 5 ? readScalars(r, flexible, 1, scalar.string) : []
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { statesFilter, typesFilter } : { statesFilter, typesFilter, unknownTags }
}

export function writeListGroupsRequest(w: Writer, value: Input<ListGroupsRequest>, version: number): void {
  const flexible = version >= 3
  if (version >= 4) {
    {
      const v = value.statesFilter === undefined ? [] : value.statesFilter
      w.count(v.length, flexible)
      for (const e of v) w.string(e, flexible)
    }
  } else if (value.statesFilter !== undefined && value.statesFilter.length > 0) {
    throw unsupportedField('ListGroupsRequest.statesFilter', version)
  }
  if (version >= 5) {
    {
      const v = value.typesFilter === undefined ? [] : value.typesFilter
      w.count(v.length, flexible)
      for (const e of v) w.string(e, flexible)
    }
  } else if (value.typesFilter !== undefined && value.typesFilter.length > 0) {
    throw unsupportedField('ListGroupsRequest.typesFilter', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListedGroup {
  readonly groupId: string
  readonly protocolType: string
  readonly groupState: string // v4+
  readonly groupType: string // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListedGroup(r: Reader, version: number): ListedGroup {
  const flexible = version >= 3
  const groupId = r.string(flexible)
  const protocolType = r.string(flexible)
  const groupState = version >= 4 ? r.string(flexible) : ''
  const groupType = version >= 5 ? r.string(flexible) : ''
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, protocolType, groupState, groupType } : { groupId, protocolType, groupState, groupType, unknownTags }
}

export function writeListedGroup(w: Writer, value: Input<ListedGroup>, version: number): void {
  const flexible = version >= 3
  w.string(value.groupId ?? '', flexible)
  w.string(value.protocolType ?? '', flexible)
  if (version >= 4) {
    w.string(value.groupState ?? '', flexible)
  }
  if (version >= 5) {
    w.string(value.groupType ?? '', flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ListGroupsResponse {
  readonly throttleTimeMs: number // v1+
  readonly errorCode: number
  readonly groups: readonly ListedGroup[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListGroupsResponse(r: Reader, version: number): ListGroupsResponse {
  const flexible = version >= 3
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const errorCode = r.int16()
  const groups = readStructs(r, version, flexible, 3, readListedGroup)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, groups } : { throttleTimeMs, errorCode, groups, unknownTags }
}

export function writeListGroupsResponse(w: Writer, value: Input<ListGroupsResponse>, version: number): void {
  const flexible = version >= 3
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  w.int16(value.errorCode ?? 0)
  {
    const v = value.groups === undefined ? [] : value.groups
    w.count(v.length, flexible)
    for (const e of v) writeListedGroup(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const listGroupsApi: Api<ListGroupsRequest, ListGroupsResponse> = {
  key: 16,
  name: 'ListGroups',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 3,
  readRequest: readListGroupsRequest,
  writeRequest: writeListGroupsRequest,
  readResponse: readListGroupsResponse,
  writeResponse: writeListGroupsResponse,
}
