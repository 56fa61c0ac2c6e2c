/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AclCreation {
  readonly resourceType: number
  readonly resourceName: string
  readonly resourcePatternType: number
  readonly principal: string
  readonly host: string
  readonly operation: number
  readonly permissionType: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAclCreation(r: Reader, version: number): AclCreation {
  const flexible = version >= 2
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const resourcePatternType = r.int8()
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
  return unknownTags === undefined ? { resourceType, resourceName, resourcePatternType, principal, host, operation, permissionType } : { resourceType, resourceName, resourcePatternType, principal, host, operation, permissionType, unknownTags }
}

export function writeAclCreation(w: Writer, value: Input<AclCreation>, version: number): void {
  const flexible = version >= 2
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  w.int8(value.resourcePatternType ?? 3)
  w.string(value.principal ?? '', flexible)
  w.string(value.host ?? '', flexible)
  w.int8(value.operation ?? 0)
  w.int8(value.permissionType ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreateAclsRequest {
  readonly creations: readonly AclCreation[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateAclsRequest(r: Reader, version: number): CreateAclsRequest {
  const flexible = version >= 2
  const creations = readStructs(r, version, flexible, 8, readAclCreation)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { creations } : { creations, unknownTags }
}

export function writeCreateAclsRequest(w: Writer, value: Input<CreateAclsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.creations === undefined ? [] : value.creations
    w.count(v.length, flexible)
    for (const e of v) writeAclCreation(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AclCreationResult {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAclCreationResult(r: Reader, version: number): AclCreationResult {
  const flexible = version >= 2
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
  return unknownTags === undefined ? { errorCode, errorMessage } : { errorCode, errorMessage, unknownTags }
}

export function writeAclCreationResult(w: Writer, value: Input<AclCreationResult>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreateAclsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly AclCreationResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateAclsResponse(r: Reader, version: number): CreateAclsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, flexible, 4, readAclCreationResult)
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

export function writeCreateAclsResponse(w: Writer, value: Input<CreateAclsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeAclCreationResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const createAclsApi: Api<CreateAclsRequest, CreateAclsResponse> = {
  key: 30,
  name: 'CreateAcls',
  minVersion: 1,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readCreateAclsRequest,
  writeRequest: writeCreateAclsRequest,
  readResponse: readCreateAclsResponse,
  writeResponse: writeCreateAclsResponse,
}
