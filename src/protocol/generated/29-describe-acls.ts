/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeAclsRequest {
  readonly resourceTypeFilter: number
  readonly resourceNameFilter: string | null
  readonly patternTypeFilter: number
  readonly principalFilter: string | null
  readonly hostFilter: string | null
  readonly operation: number
  readonly permissionType: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeAclsRequest(r: Reader, version: number): DescribeAclsRequest {
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

export function writeDescribeAclsRequest(w: Writer, value: Input<DescribeAclsRequest>, version: number): void {
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

export interface AclDescription {
  readonly principal: string
  readonly host: string
  readonly operation: number
  readonly permissionType: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAclDescription(r: Reader, version: number): AclDescription {
  const flexible = version >= 2
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
  return unknownTags === undefined ? { principal, host, operation, permissionType } : { principal, host, operation, permissionType, unknownTags }
}

export function writeAclDescription(w: Writer, value: Input<AclDescription>, version: number): void {
  const flexible = version >= 2
  w.string(value.principal ?? '', flexible)
  w.string(value.host ?? '', flexible)
  w.int8(value.operation ?? 0)
  w.int8(value.permissionType ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeAclsResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly patternType: number
  readonly acls: readonly AclDescription[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeAclsResource(r: Reader, version: number): DescribeAclsResource {
  const flexible = version >= 2
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const patternType = r.int8()
  const acls = readStructs(r, version, flexible, 5, readAclDescription)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { resourceType, resourceName, patternType, acls } : { resourceType, resourceName, patternType, acls, unknownTags }
}

export function writeDescribeAclsResource(w: Writer, value: Input<DescribeAclsResource>, version: number): void {
  const flexible = version >= 2
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  w.int8(value.patternType ?? 3)
  {
    const v = value.acls === undefined ? [] : value.acls
    w.count(v.length, flexible)
    for (const e of v) writeAclDescription(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeAclsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly resources: readonly DescribeAclsResource[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeAclsResponse(r: Reader, version: number): DescribeAclsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const resources = readStructs(r, version, flexible, 5, readDescribeAclsResource)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, resources } : { throttleTimeMs, errorCode, errorMessage, resources, unknownTags }
}

export function writeDescribeAclsResponse(w: Writer, value: Input<DescribeAclsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  {
    const v = value.resources === undefined ? [] : value.resources
    w.count(v.length, flexible)
    for (const e of v) writeDescribeAclsResource(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeAclsApi: Api<DescribeAclsRequest, DescribeAclsResponse> = {
  key: 29,
  name: 'DescribeAcls',
  minVersion: 1,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readDescribeAclsRequest,
  writeRequest: writeDescribeAclsRequest,
  readResponse: readDescribeAclsResponse,
  writeResponse: writeDescribeAclsResponse,
}
