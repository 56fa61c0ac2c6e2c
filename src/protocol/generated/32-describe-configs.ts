/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readNullableScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeConfigsResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configurationKeys: readonly string[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsResource(r: Reader, version: number): DescribeConfigsResource {
  const flexible = version >= 4
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const configurationKeys = readNullableScalars(r, flexible, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { resourceType, resourceName, configurationKeys } : { resourceType, resourceName, configurationKeys, unknownTags }
}

export function writeDescribeConfigsResource(w: Writer, value: Input<DescribeConfigsResource>, version: number): void {
  const flexible = version >= 4
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  {
    const v = value.configurationKeys === undefined ? [] : value.configurationKeys
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) w.string(e, flexible)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeConfigsRequest {
  readonly resources: readonly DescribeConfigsResource[]
  readonly includeSynonyms: boolean
  readonly includeDocumentation: boolean // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsRequest(r: Reader, version: number): DescribeConfigsRequest {
  const flexible = version >= 4
  const resources = readStructs(r, version, flexible, 4, readDescribeConfigsResource)
  const includeSynonyms = r.bool()
  const includeDocumentation = version >= 3 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { resources, includeSynonyms, includeDocumentation } : { resources, includeSynonyms, includeDocumentation, unknownTags }
}

export function writeDescribeConfigsRequest(w: Writer, value: Input<DescribeConfigsRequest>, version: number): void {
  const flexible = version >= 4
  {
    const v = value.resources === undefined ? [] : value.resources
    w.count(v.length, flexible)
    for (const e of v) writeDescribeConfigsResource(w, e, version)
  }
  w.bool(value.includeSynonyms ?? false)
  if (version >= 3) {
    w.bool(value.includeDocumentation ?? false)
  } else if (value.includeDocumentation !== undefined && value.includeDocumentation !== false) {
    throw unsupportedField('DescribeConfigsRequest.includeDocumentation', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeConfigsSynonym {
  readonly name: string
  readonly value: string | null
  readonly source: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsSynonym(r: Reader, version: number): DescribeConfigsSynonym {
  const flexible = version >= 4
  const name = r.string(flexible)
  const value = r.nullableString(flexible)
  const source = r.int8()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, value, source } : { name, value, source, unknownTags }
}

export function writeDescribeConfigsSynonym(w: Writer, value: Input<DescribeConfigsSynonym>, version: number): void {
  const flexible = version >= 4
  w.string(value.name ?? '', flexible)
  {
    const v = value.value === undefined ? '' : value.value
    w.string(v, flexible)
  }
  w.int8(value.source ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeConfigsResourceResult {
  readonly name: string
  readonly value: string | null
  readonly readOnly: boolean
  readonly configSource: number
  readonly isSensitive: boolean
  readonly synonyms: readonly DescribeConfigsSynonym[]
  readonly configType: number // v3+
  readonly documentation: string | null // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsResourceResult(r: Reader, version: number): DescribeConfigsResourceResult {
  const flexible = version >= 4
  const name = r.string(flexible)
  const value = r.nullableString(flexible)
  const readOnly = r.bool()
  const configSource = r.int8()
  const isSensitive = r.bool()
  const synonyms = readStructs(r, version, flexible, 4, readDescribeConfigsSynonym)
  const configType = version >= 3 ? r.int8() : 0
  const documentation = version >= 3 ? r.nullableString(flexible) : ''
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { name, value, readOnly, configSource, isSensitive, synonyms, configType, documentation } : { name, value, readOnly, configSource, isSensitive, synonyms, configType, documentation, unknownTags }
}

export function writeDescribeConfigsResourceResult(w: Writer, value: Input<DescribeConfigsResourceResult>, version: number): void {
  const flexible = version >= 4
  w.string(value.name ?? '', flexible)
  {
    const v = value.value === undefined ? '' : value.value
    w.string(v, flexible)
  }
  w.bool(value.readOnly ?? false)
  w.int8(value.configSource ?? -1)
  w.bool(value.isSensitive ?? false)
  {
    const v = value.synonyms === undefined ? [] : value.synonyms
    w.count(v.length, flexible)
    for (const e of v) writeDescribeConfigsSynonym(w, e, version)
  }
  if (version >= 3) {
    w.int8(value.configType ?? 0)
  }
  if (version >= 3) {
    {
      const v = value.documentation === undefined ? '' : value.documentation
      w.string(v, flexible)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeConfigsResult {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly DescribeConfigsResourceResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsResult(r: Reader, version: number): DescribeConfigsResult {
  const flexible = version >= 4
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const resourceType = r.int8()
  const resourceName = r.string(flexible)
  const configs = readStructs(r, version, flexible, 9, readDescribeConfigsResourceResult)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, resourceType, resourceName, configs } : { errorCode, errorMessage, resourceType, resourceName, configs, unknownTags }
}

export function writeDescribeConfigsResult(w: Writer, value: Input<DescribeConfigsResult>, version: number): void {
  const flexible = version >= 4
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  w.int8(value.resourceType ?? 0)
  w.string(value.resourceName ?? '', flexible)
  {
    const v = value.configs === undefined ? [] : value.configs
    w.count(v.length, flexible)
    for (const e of v) writeDescribeConfigsResourceResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeConfigsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly DescribeConfigsResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeConfigsResponse(r: Reader, version: number): DescribeConfigsResponse {
  const flexible = version >= 4
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, flexible, 7, readDescribeConfigsResult)
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

export function writeDescribeConfigsResponse(w: Writer, value: Input<DescribeConfigsResponse>, version: number): void {
  const flexible = version >= 4
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, flexible)
    for (const e of v) writeDescribeConfigsResult(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeConfigsApi: Api<DescribeConfigsRequest, DescribeConfigsResponse> = {
  key: 32,
  name: 'DescribeConfigs',
  minVersion: 1,
  maxVersion: 4,
  flexibleFrom: 4,
  readRequest: readDescribeConfigsRequest,
  writeRequest: writeDescribeConfigsRequest,
  readResponse: readDescribeConfigsResponse,
  writeResponse: writeDescribeConfigsResponse,
}
