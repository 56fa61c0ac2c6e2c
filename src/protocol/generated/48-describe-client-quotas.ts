/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ComponentData {
  readonly entityType: string
  readonly matchType: number
  readonly match: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readComponentData(r: Reader, version: number): ComponentData {
  const flexible = version >= 1
  const entityType = r.string(flexible)
  const matchType = r.int8()
  const match = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entityType, matchType, match } : { entityType, matchType, match, unknownTags }
}

export function writeComponentData(w: Writer, value: Input<ComponentData>, version: number): void {
  const flexible = version >= 1
  w.string(value.entityType ?? '', flexible)
  w.int8(value.matchType ?? 0)
  {
    const v = value.match === undefined ? '' : value.match
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeClientQuotasRequest {
  readonly components: readonly ComponentData[]
  readonly strict: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeClientQuotasRequest(r: Reader, version: number): DescribeClientQuotasRequest {
  const flexible = version >= 1
  const components = readStructs(r, version, flexible, 4, readComponentData)
  const strict = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { components, strict } : { components, strict, unknownTags }
}

export function writeDescribeClientQuotasRequest(w: Writer, value: Input<DescribeClientQuotasRequest>, version: number): void {
  const flexible = version >= 1
  {
    const v = value.components === undefined ? [] : value.components
    w.count(v.length, flexible)
    for (const e of v) writeComponentData(w, e, version)
  }
  w.bool(value.strict ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface EntityData {
  readonly entityType: string
  readonly entityName: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEntityData(r: Reader, version: number): EntityData {
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

export function writeEntityData(w: Writer, value: Input<EntityData>, version: number): void {
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

export interface ValueData {
  readonly key: string
  readonly value: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readValueData(r: Reader, version: number): ValueData {
  const flexible = version >= 1
  const key = r.string(flexible)
  const value = r.float64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { key, value } : { key, value, unknownTags }
}

export function writeValueData(w: Writer, value: Input<ValueData>, version: number): void {
  const flexible = version >= 1
  w.string(value.key ?? '', flexible)
  w.float64(value.value ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface EntryData {
  readonly entity: readonly EntityData[]
  readonly values: readonly ValueData[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEntryData(r: Reader, version: number): EntryData {
  const flexible = version >= 1
  const entity = readStructs(r, version, flexible, 3, readEntityData)
  const values = readStructs(r, version, flexible, 10, readValueData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { entity, values } : { entity, values, unknownTags }
}

export function writeEntryData(w: Writer, value: Input<EntryData>, version: number): void {
  const flexible = version >= 1
  {
    const v = value.entity === undefined ? [] : value.entity
    w.count(v.length, flexible)
    for (const e of v) writeEntityData(w, e, version)
  }
  {
    const v = value.values === undefined ? [] : value.values
    w.count(v.length, flexible)
    for (const e of v) writeValueData(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeClientQuotasResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly entries: readonly EntryData[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeClientQuotasResponse(r: Reader, version: number): DescribeClientQuotasResponse {
  const flexible = version >= 1
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const entries = readNullableStructs(r, version, flexible, 3, readEntryData)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, entries } : { throttleTimeMs, errorCode, errorMessage, entries, unknownTags }
}

export function writeDescribeClientQuotasResponse(w: Writer, value: Input<DescribeClientQuotasResponse>, version: number): void {
  const flexible = version >= 1
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  {
    const v = value.entries === undefined ? [] : value.entries
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeEntryData(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeClientQuotasApi: Api<DescribeClientQuotasRequest, DescribeClientQuotasResponse> = {
  key: 48,
  name: 'DescribeClientQuotas',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 1,
  readRequest: readDescribeClientQuotasRequest,
  writeRequest: writeDescribeClientQuotasRequest,
  readResponse: readDescribeClientQuotasResponse,
  writeResponse: writeDescribeClientQuotasResponse,
}
