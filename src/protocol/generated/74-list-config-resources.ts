/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ListConfigResourcesRequest {
  readonly resourceTypes: readonly number[] // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListConfigResourcesRequest(r: Reader, version: number): ListConfigResourcesRequest {
  const resourceTypes = version >= 1 ? readScalars(r, true, 1, scalar.int8) : []
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { resourceTypes } : { resourceTypes, unknownTags }
}

export function writeListConfigResourcesRequest(w: Writer, value: Input<ListConfigResourcesRequest>, version: number): void {
  if (version >= 1) {
    {
      const v = value.resourceTypes === undefined ? [] : value.resourceTypes
      w.count(v.length, true)
      for (const e of v) w.int8(e)
    }
  } else if (value.resourceTypes !== undefined && value.resourceTypes.length > 0) {
    throw unsupportedField('ListConfigResourcesRequest.resourceTypes', version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConfigResource {
  readonly resourceName: string
  readonly resourceType: number // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConfigResource(r: Reader, version: number): ConfigResource {
  const resourceName = r.string(true)
  const resourceType = version >= 1 ? r.int8() : 16
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { resourceName, resourceType } : { resourceName, resourceType, unknownTags }
}

export function writeConfigResource(w: Writer, value: Input<ConfigResource>, version: number): void {
  w.string(value.resourceName ?? '', true)
  if (version >= 1) {
    w.int8(value.resourceType ?? 16)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ListConfigResourcesResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly configResources: readonly ConfigResource[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListConfigResourcesResponse(r: Reader, version: number): ListConfigResourcesResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const configResources = readStructs(r, version, true, 2, readConfigResource)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, configResources } : { throttleTimeMs, errorCode, configResources, unknownTags }
}

export function writeListConfigResourcesResponse(w: Writer, value: Input<ListConfigResourcesResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.configResources === undefined ? [] : value.configResources
    w.count(v.length, true)
    for (const e of v) writeConfigResource(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const listConfigResourcesApi: Api<ListConfigResourcesRequest, ListConfigResourcesResponse> = {
  key: 74,
  name: 'ListConfigResources',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  readRequest: readListConfigResourcesRequest,
  writeRequest: writeListConfigResourcesRequest,
  readResponse: readListConfigResourcesResponse,
  writeResponse: writeListConfigResourcesResponse,
}
