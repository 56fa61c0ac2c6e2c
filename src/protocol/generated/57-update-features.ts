/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface FeatureUpdateKey {
  readonly feature: string
  readonly maxVersionLevel: number
  readonly allowDowngrade: boolean // v0–0
  readonly upgradeType: number // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFeatureUpdateKey(r: Reader, version: number): FeatureUpdateKey {
  const feature = r.string(true)
  const maxVersionLevel = r.int16()
  const allowDowngrade = version <= 0 ? r.bool() : false
  const upgradeType = version >= 1 ? r.int8() : 1
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { feature, maxVersionLevel, allowDowngrade, upgradeType } : { feature, maxVersionLevel, allowDowngrade, upgradeType, unknownTags }
}

export function writeFeatureUpdateKey(w: Writer, value: Input<FeatureUpdateKey>, version: number): void {
  w.string(value.feature ?? '', true)
  w.int16(value.maxVersionLevel ?? 0)
  if (version <= 0) {
    w.bool(value.allowDowngrade ?? false)
  } else if (value.allowDowngrade !== undefined && value.allowDowngrade !== false) {
    throw unsupportedField('FeatureUpdateKey.allowDowngrade', version)
  }
  if (version >= 1) {
    w.int8(value.upgradeType ?? 1)
  } else if (value.upgradeType !== undefined && value.upgradeType !== 1) {
    throw unsupportedField('FeatureUpdateKey.upgradeType', version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface UpdateFeaturesRequest {
  readonly timeoutMs: number
  readonly featureUpdates: readonly FeatureUpdateKey[]
  readonly validateOnly: boolean // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUpdateFeaturesRequest(r: Reader, version: number): UpdateFeaturesRequest {
  const timeoutMs = r.int32()
  const featureUpdates = readStructs(r, version, true, 5, readFeatureUpdateKey)
  const validateOnly = version >= 1 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { timeoutMs, featureUpdates, validateOnly } : { timeoutMs, featureUpdates, validateOnly, unknownTags }
}

export function writeUpdateFeaturesRequest(w: Writer, value: Input<UpdateFeaturesRequest>, version: number): void {
  w.int32(value.timeoutMs ?? 60000)
  {
    const v = value.featureUpdates === undefined ? [] : value.featureUpdates
    w.count(v.length, true)
    for (const e of v) writeFeatureUpdateKey(w, e, version)
  }
  if (version >= 1) {
    w.bool(value.validateOnly ?? false)
  } else if (value.validateOnly !== undefined && value.validateOnly !== false) {
    throw unsupportedField('UpdateFeaturesRequest.validateOnly', version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface UpdatableFeatureResult {
  readonly feature: string
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUpdatableFeatureResult(r: Reader, _version: number): UpdatableFeatureResult {
  const feature = r.string(true)
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { feature, errorCode, errorMessage } : { feature, errorCode, errorMessage, unknownTags }
}

export function writeUpdatableFeatureResult(w: Writer, value: Input<UpdatableFeatureResult>, _version: number): void {
  w.string(value.feature ?? '', true)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface UpdateFeaturesResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly results: readonly UpdatableFeatureResult[] // v0–1
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUpdateFeaturesResponse(r: Reader, version: number): UpdateFeaturesResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const results = version <= 1 ? readStructs(r, version, true, 5, readUpdatableFeatureResult) : []
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, results } : { throttleTimeMs, errorCode, errorMessage, results, unknownTags }
}

export function writeUpdateFeaturesResponse(w: Writer, value: Input<UpdateFeaturesResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  if (version <= 1) {
    {
      const v = value.results === undefined ? [] : value.results
      w.count(v.length, true)
      for (const e of v) writeUpdatableFeatureResult(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const updateFeaturesApi: Api<UpdateFeaturesRequest, UpdateFeaturesResponse> = {
  key: 57,
  name: 'UpdateFeatures',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 0,
  readRequest: readUpdateFeaturesRequest,
  writeRequest: writeUpdateFeaturesRequest,
  readResponse: readUpdateFeaturesResponse,
  writeResponse: writeUpdateFeaturesResponse,
}
