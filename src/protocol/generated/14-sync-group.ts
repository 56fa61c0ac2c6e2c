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

export interface SyncGroupRequestAssignment {
  readonly memberId: string
  readonly assignment: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSyncGroupRequestAssignment(r: Reader, version: number): SyncGroupRequestAssignment {
  const flexible = version >= 4
  const memberId = r.string(flexible)
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
  return unknownTags === undefined ? { memberId, assignment } : { memberId, assignment, unknownTags }
}

export function writeSyncGroupRequestAssignment(w: Writer, value: Input<SyncGroupRequestAssignment>, version: number): void {
  const flexible = version >= 4
  w.string(value.memberId ?? '', flexible)
  w.bytes(value.assignment ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface SyncGroupRequest {
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null // v3+
  readonly protocolType: string | null // v5+
  readonly protocolName: string | null // v5+
  readonly assignments: readonly SyncGroupRequestAssignment[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSyncGroupRequest(r: Reader, version: number): SyncGroupRequest {
  const flexible = version >= 4
  const groupId = r.string(flexible)
  const generationId = r.int32()
  const memberId = r.string(flexible)
  const groupInstanceId = version >= 3 ? r.nullableString(flexible) : null
  const protocolType = version >= 5 ? r.nullableString(flexible) : null
  const protocolName = version >= 5 ? r.nullableString(flexible) : null
  const assignments = readStructs(r, version, flexible, 3, readSyncGroupRequestAssignment)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { groupId, generationId, memberId, groupInstanceId, protocolType, protocolName, assignments } : { groupId, generationId, memberId, groupInstanceId, protocolType, protocolName, assignments, unknownTags }
}

export function writeSyncGroupRequest(w: Writer, value: Input<SyncGroupRequest>, version: number): void {
  const flexible = version >= 4
  w.string(value.groupId ?? '', flexible)
  w.int32(value.generationId ?? 0)
  w.string(value.memberId ?? '', flexible)
  if (version >= 3) {
    w.string(value.groupInstanceId ?? null, flexible)
  } else if (value.groupInstanceId !== undefined && value.groupInstanceId !== null) {
    throw unsupportedField('SyncGroupRequest.groupInstanceId', version)
  }
  if (version >= 5) {
    w.string(value.protocolType ?? null, flexible)
  }
  if (version >= 5) {
    w.string(value.protocolName ?? null, flexible)
  }
  {
    const v = value.assignments === undefined ? [] : value.assignments
    w.count(v.length, flexible)
    for (const e of v) writeSyncGroupRequestAssignment(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface SyncGroupResponse {
  readonly throttleTimeMs: number // v1+
  readonly errorCode: number
  readonly protocolType: string | null // v5+
  readonly protocolName: string | null // v5+
  readonly assignment: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSyncGroupResponse(r: Reader, version: number): SyncGroupResponse {
  const flexible = version >= 4
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  const errorCode = r.int16()
  const protocolType = version >= 5 ? r.nullableString(flexible) : null
  const protocolName = version >= 5 ? r.nullableString(flexible) : null
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
  return unknownTags === undefined ? { throttleTimeMs, errorCode, protocolType, protocolName, assignment } : { throttleTimeMs, errorCode, protocolType, protocolName, assignment, unknownTags }
}

export function writeSyncGroupResponse(w: Writer, value: Input<SyncGroupResponse>, version: number): void {
  const flexible = version >= 4
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  w.int16(value.errorCode ?? 0)
  if (version >= 5) {
    w.string(value.protocolType ?? null, flexible)
  }
  if (version >= 5) {
    w.string(value.protocolName ?? null, flexible)
  }
  w.bytes(value.assignment ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const syncGroupApi: Api<SyncGroupRequest, SyncGroupResponse> = {
  key: 14,
  name: 'SyncGroup',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 4,
  readRequest: readSyncGroupRequest,
  writeRequest: writeSyncGroupRequest,
  readResponse: readSyncGroupResponse,
  writeResponse: writeSyncGroupResponse,
}
