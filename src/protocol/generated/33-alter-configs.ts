/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AlterableConfig {
  readonly name: string
  readonly value: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterableConfig(r: Reader, version: number): AlterableConfig {
  const flexible = version >= 2
  const name = r.string(flexible)
  const value = r.nullableString(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, value } : { name, value, unknownTags }
}

export function writeAlterableConfig(w: Writer, value: Input<AlterableConfig>, version: number): void {
  const flexible = version >= 2
  w.string(value.name ?? '', flexible)
  {
    const v = value.value === undefined ? '' : value.value
    w.string(v, flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterConfigsResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly AlterableConfig[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterConfigsResource(r: Reader, version: number): AlterConfigsResource {
  const flexible = version >= 2
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const configs = readStructs(r, version, flexible, 3, readAlterableConfig)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { resourceType, resourceName, configs } : { resourceType, resourceName, configs, unknownTags }
}

export function writeAlterConfigsResource(w: Writer, value: Input<AlterConfigsResource>, version: number): void {
  const flexible = version >= 2
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  {
    const v = value.configs === undefined ? [] : value.configs
    w.count(v.length, flexible)
    for (const e of v) writeAlterableConfig(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterConfigsRequest {
  readonly resources: readonly AlterConfigsResource[]
  readonly validateOnly: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterConfigsRequest(r: Reader, version: number): AlterConfigsRequest {
  const flexible = version >= 2
  const resources = readStructs(r, version, flexible, 4, readAlterConfigsResource)
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
  return unknownTags === undefined ? { resources, validateOnly } : { resources, validateOnly, unknownTags }
}

export function writeAlterConfigsRequest(w: Writer, value: Input<AlterConfigsRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.resources === undefined ? [] : value.resources
    w.count(v.length, flexible)
    for (const e of v) writeAlterConfigsResource(w, e, version)
  }
  w.bool(value.validateOnly ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterConfigsResourceResponse {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly resourceType: number
  readonly resourceName: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterConfigsResourceResponse(r: Reader, version: number): AlterConfigsResourceResponse {
  const flexible = version >= 2
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, resourceType, resourceName } : { errorCode, errorMessage, resourceType, resourceName, unknownTags }
}

export function writeAlterConfigsResourceResponse(w: Writer, value: Input<AlterConfigsResourceResponse>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AlterConfigsResponse {
  readonly throttleTimeMs: number
  readonly responses: readonly AlterConfigsResourceResponse[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterConfigsResponse(r: Reader, version: number): AlterConfigsResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const responses = readStructs(r, version, flexible, 6, readAlterConfigsResourceResponse)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, responses } : { throttleTimeMs, responses, unknownTags }
}

export function writeAlterConfigsResponse(w: Writer, value: Input<AlterConfigsResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.responses === undefined ? [] : value.responses
    w.count(v.length, flexible)
    for (const e of v) writeAlterConfigsResourceResponse(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const alterConfigsApi: Api<AlterConfigsRequest, AlterConfigsResponse> = {
  key: 33,
  name: 'AlterConfigs',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readAlterConfigsRequest,
  writeRequest: writeAlterConfigsRequest,
  readResponse: readAlterConfigsResponse,
  writeResponse: writeAlterConfigsResponse,
}
