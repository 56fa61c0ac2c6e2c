/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AlterClientQuotasRequestEntityData {
  readonly entityType: string
  readonly entityName: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasRequestEntityData(r: Reader, version: number): AlterClientQuotasRequestEntityData {
  const flexible = version >= 1
  const entityType = r.string(flexible)
  const entityName = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entityType, entityName } : { entityType, entityName, unknownTags }
}

export function writeAlterClientQuotasRequestEntityData(w: Writer, value: Input<AlterClientQuotasRequestEntityData>, version: number): void {
  const flexible = version >= 1
  w.string(value.entityType ?? '', flexible)
  {
    const v = value.entityName === undefined ? '' : value.entityName
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface OpData {
  readonly key: string
  readonly value: number
  readonly remove: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOpData(r: Reader, version: number): OpData {
  const flexible = version >= 1
  const key = r.string(flexible)
  const value = r.float64()
  const remove = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { key, value, remove } : { key, value, remove, unknownTags }
}

export function writeOpData(w: Writer, value: Input<OpData>, version: number): void {
  const flexible = version >= 1
  w.string(value.key ?? '', flexible)
  w.float64(value.value ?? 0)
  w.bool(value.remove ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterClientQuotasRequestEntryData {
  readonly entity: readonly AlterClientQuotasRequestEntityData[]
  readonly ops: readonly OpData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasRequestEntryData(r: Reader, version: number): AlterClientQuotasRequestEntryData {
  const flexible = version >= 1
  const entity = readStructs(r, version, flexible, 3, readAlterClientQuotasRequestEntityData)
  const ops = readStructs(r, version, flexible, 11, readOpData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entity, ops } : { entity, ops, unknownTags }
}

export function writeAlterClientQuotasRequestEntryData(w: Writer, value: Input<AlterClientQuotasRequestEntryData>, version: number): void {
  const flexible = version >= 1
  {
    const v = value.entity === undefined ? [] : value.entity
    w.count(v.length, flexible)
    for (const e of v) writeAlterClientQuotasRequestEntityData(w, e, version)
  }
  {
    const v = value.ops === undefined ? [] : value.ops
    w.count(v.length, flexible)
    for (const e of v) writeOpData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterClientQuotasRequest {
  readonly entries: readonly AlterClientQuotasRequestEntryData[]
  readonly validateOnly: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasRequest(r: Reader, version: number): AlterClientQuotasRequest {
  const flexible = version >= 1
  const entries = readStructs(r, version, flexible, 3, readAlterClientQuotasRequestEntryData)
  const validateOnly = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entries, validateOnly } : { entries, validateOnly, unknownTags }
}

export function writeAlterClientQuotasRequest(w: Writer, value: Input<AlterClientQuotasRequest>, version: number): void {
  const flexible = version >= 1
  {
    const v = value.entries === undefined ? [] : value.entries
    w.count(v.length, flexible)
    for (const e of v) writeAlterClientQuotasRequestEntryData(w, e, version)
  }
  w.bool(value.validateOnly ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterClientQuotasResponseEntityData {
  readonly entityType: string
  readonly entityName: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasResponseEntityData(r: Reader, version: number): AlterClientQuotasResponseEntityData {
  const flexible = version >= 1
  const entityType = r.string(flexible)
  const entityName = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entityType, entityName } : { entityType, entityName, unknownTags }
}

export function writeAlterClientQuotasResponseEntityData(w: Writer, value: Input<AlterClientQuotasResponseEntityData>, version: number): void {
  const flexible = version >= 1
  w.string(value.entityType ?? '', flexible)
  {
    const v = value.entityName === undefined ? '' : value.entityName
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterClientQuotasResponseEntryData {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly entity: readonly AlterClientQuotasResponseEntityData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasResponseEntryData(r: Reader, version: number): AlterClientQuotasResponseEntryData {
  const flexible = version >= 1
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const entity = readStructs(r, version, flexible, 3, readAlterClientQuotasResponseEntityData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, entity } : { errorCode, errorMessage, entity, unknownTags }
}

export function writeAlterClientQuotasResponseEntryData(w: Writer, value: Input<AlterClientQuotasResponseEntryData>, version: number): void {
  const flexible = version >= 1
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  {
    const v = value.entity === undefined ? [] : value.entity
    w.count(v.length, flexible)
    for (const e of v) writeAlterClientQuotasResponseEntityData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterClientQuotasResponse {
  readonly throttleTimeMs: number
  readonly entries: readonly AlterClientQuotasResponseEntryData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterClientQuotasResponse(r: Reader, version: number): AlterClientQuotasResponse {
  const flexible = version >= 1
  const throttleTimeMs = r.int32()
  const entries = readStructs(r, version, flexible, 5, readAlterClientQuotasResponseEntryData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, entries } : { throttleTimeMs, entries, unknownTags }
}

export function writeAlterClientQuotasResponse(w: Writer, value: Input<AlterClientQuotasResponse>, version: number): void {
  const flexible = version >= 1
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.entries === undefined ? [] : value.entries
    w.count(v.length, flexible)
    for (const e of v) writeAlterClientQuotasResponseEntryData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const alterClientQuotasApi: Api<AlterClientQuotasRequest, AlterClientQuotasResponse> = {
  key: 49,
  name: 'AlterClientQuotas',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readAlterClientQuotasRequest,
  writeRequest: writeAlterClientQuotasRequest,
  readResponse: readAlterClientQuotasResponse,
  writeResponse: writeAlterClientQuotasResponse,
}
