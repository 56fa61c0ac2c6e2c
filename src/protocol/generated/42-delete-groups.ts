/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DeleteGroupsRequest {
  readonly groupsNames: readonly string[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteGroupsRequest(r: Reader, version: number): DeleteGroupsRequest {
  const flexible = version >= 2
  const groupsNames = readScalars(r, flexible, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupsNames } : { groupsNames, unknownTags }
}

export function writeDeleteGroupsRequest(w: Writer, value: Input<DeleteGroupsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.groupsNames === undefined ? [] : value.groupsNames
    w.count(v.length, flexible)
    for (const e of v) w.string(e, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeletableGroupResult {
  readonly groupId: string
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeletableGroupResult(r: Reader, version: number): DeletableGroupResult {
  const flexible = version >= 2
  const groupId = r.string(flexible)
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
  return unknownTags === undefined ? { groupId, errorCode } : { groupId, errorCode, unknownTags }
}

export function writeDeletableGroupResult(w: Writer, value: Input<DeletableGroupResult>, version: number): void {
  const flexible = version >= 2
  w.string(value.groupId ?? '', flexible)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DeleteGroupsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly DeletableGroupResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDeleteGroupsResponse(r: Reader, version: number): DeleteGroupsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, flexible, 4, readDeletableGroupResult)
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

export function writeDeleteGroupsResponse(w: Writer, value: Input<DeleteGroupsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeDeletableGroupResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const deleteGroupsApi: Api<DeleteGroupsRequest, DeleteGroupsResponse> = {
  key: 42,
  name: 'DeleteGroups',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readDeleteGroupsRequest,
  writeRequest: writeDeleteGroupsRequest,
  readResponse: readDeleteGroupsResponse,
  writeResponse: writeDeleteGroupsResponse,
}
