/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DeleteAclsFilter {
  readonly resourceTypeFilter: number
  readonly resourceNameFilter: string | null
  readonly patternTypeFilter: number
  readonly principalFilter: string | null
  readonly hostFilter: string | null
  readonly operation: number
  readonly permissionType: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteAclsFilter(r: Reader, version: number): DeleteAclsFilter {
  const flexible = version >= 2
  const resourceTypeFilter = r.int8()
  const resourceNameFilter = r.nullableString(flexible)
  const patternTypeFilter = r.int8()
  const principalFilter = r.nullableString(flexible)
  const hostFilter = r.nullableString(flexible)
  const operation = r.int8()
  const permissionType = r.int8()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { resourceTypeFilter, resourceNameFilter, patternTypeFilter, principalFilter, hostFilter, operation, permissionType } : { resourceTypeFilter, resourceNameFilter, patternTypeFilter, principalFilter, hostFilter, operation, permissionType, unknownTags }
}

export function writeDeleteAclsFilter(w: Writer, value: Input<DeleteAclsFilter>, version: number): void {
  const flexible = version >= 2
  w.int8(value.resourceTypeFilter ?? 0)
  {
    const v = value.resourceNameFilter === undefined ? '' : value.resourceNameFilter
    w.string(v, flexible)
  }
  w.int8(value.patternTypeFilter ?? 3)
  {
    const v = value.principalFilter === undefined ? '' : value.principalFilter
    w.string(v, flexible)
  }
  {
    const v = value.hostFilter === undefined ? '' : value.hostFilter
    w.string(v, flexible)
  }
  w.int8(value.operation ?? 0)
  w.int8(value.permissionType ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteAclsRequest {
  readonly filters: readonly DeleteAclsFilter[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteAclsRequest(r: Reader, version: number): DeleteAclsRequest {
  const flexible = version >= 2
  const filters = readStructs(r, version, flexible, 8, readDeleteAclsFilter)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { filters } : { filters, unknownTags }
}

export function writeDeleteAclsRequest(w: Writer, value: Input<DeleteAclsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.filters === undefined ? [] : value.filters
    w.count(v.length, flexible)
    for (const e of v) writeDeleteAclsFilter(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteAclsMatchingAcl {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly resourceType: number
  readonly resourceName: string
  readonly patternType: number
  readonly principal: string
  readonly host: string
  readonly operation: number
  readonly permissionType: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteAclsMatchingAcl(r: Reader, version: number): DeleteAclsMatchingAcl {
  const flexible = version >= 2
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const patternType = r.int8()
  const principal = r.string(flexible)
  const host = r.string(flexible)
  const operation = r.int8()
  const permissionType = r.int8()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, resourceType, resourceName, patternType, principal, host, operation, permissionType } : { errorCode, errorMessage, resourceType, resourceName, patternType, principal, host, operation, permissionType, unknownTags }
}

export function writeDeleteAclsMatchingAcl(w: Writer, value: Input<DeleteAclsMatchingAcl>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  w.int8(value.patternType ?? 3)
  w.string(value.principal ?? '', flexible)
  w.string(value.host ?? '', flexible)
  w.int8(value.operation ?? 0)
  w.int8(value.permissionType ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteAclsFilterResult {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly matchingAcls: readonly DeleteAclsMatchingAcl[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteAclsFilterResult(r: Reader, version: number): DeleteAclsFilterResult {
  const flexible = version >= 2
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const matchingAcls = readStructs(r, version, flexible, 11, readDeleteAclsMatchingAcl)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, matchingAcls } : { errorCode, errorMessage, matchingAcls, unknownTags }
}

export function writeDeleteAclsFilterResult(w: Writer, value: Input<DeleteAclsFilterResult>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  {
    const v = value.matchingAcls === undefined ? [] : value.matchingAcls
    w.count(v.length, flexible)
    for (const e of v) writeDeleteAclsMatchingAcl(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteAclsResponse {
  readonly throttleTimeMs: number
  readonly filterResults: readonly DeleteAclsFilterResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteAclsResponse(r: Reader, version: number): DeleteAclsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const filterResults = readStructs(r, version, flexible, 5, readDeleteAclsFilterResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, filterResults } : { throttleTimeMs, filterResults, unknownTags }
}

export function writeDeleteAclsResponse(w: Writer, value: Input<DeleteAclsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.filterResults === undefined ? [] : value.filterResults
    w.count(v.length, flexible)
    for (const e of v) writeDeleteAclsFilterResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const deleteAclsApi: Api<DeleteAclsRequest, DeleteAclsResponse> = {
  key: 31,
  name: 'DeleteAcls',
  minVersion: 1,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readDeleteAclsRequest,
  writeRequest: writeDeleteAclsRequest,
  readResponse: readDeleteAclsResponse,
  writeResponse: writeDeleteAclsResponse,
}
