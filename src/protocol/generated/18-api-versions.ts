/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import { Writer } from '../writer.ts'

export interface ApiVersionsRequest {
  readonly clientSoftwareName: string // v3+
  readonly clientSoftwareVersion: string // v3+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readApiVersionsRequest(r: Reader, version: number): ApiVersionsRequest {
  const flexible = version >= 3
  const clientSoftwareName = version >= 3 ? r.string(flexible) : ''
  const clientSoftwareVersion = version >= 3 ? r.string(flexible) : ''
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { clientSoftwareName, clientSoftwareVersion } : { clientSoftwareName, clientSoftwareVersion, unknownTags }
}

export function writeApiVersionsRequest(w: Writer, value: Input<ApiVersionsRequest>, version: number): void {
  const flexible = version >= 3
  if (version >= 3) {
    w.string(value.clientSoftwareName ?? '', flexible)
  }
  if (version >= 3) {
    w.string(value.clientSoftwareVersion ?? '', flexible)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ApiVersion {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readApiVersion(r: Reader, version: number): ApiVersion {
  const flexible = version >= 3
  const apiKey = r.int16()
  const minVersion = r.int16()
  const maxVersion = r.int16()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { apiKey, minVersion, maxVersion } : { apiKey, minVersion, maxVersion, unknownTags }
}

export function writeApiVersion(w: Writer, value: Input<ApiVersion>, version: number): void {
  const flexible = version >= 3
  w.int16(value.apiKey ?? 0)
  w.int16(value.minVersion ?? 0)
  w.int16(value.maxVersion ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface SupportedFeatureKey {
  readonly name: string
  readonly minVersion: number
  readonly maxVersion: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSupportedFeatureKey(r: Reader, _version: number): SupportedFeatureKey {
  const name = r.string(true)
  const minVersion = r.int16()
  const maxVersion = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, minVersion, maxVersion } : { name, minVersion, maxVersion, unknownTags }
}

export function writeSupportedFeatureKey(w: Writer, value: Input<SupportedFeatureKey>, _version: number): void {
  w.string(value.name ?? '', true)
  w.int16(value.minVersion ?? 0)
  w.int16(value.maxVersion ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface FinalizedFeatureKey {
  readonly name: string
  readonly maxVersionLevel: number
  readonly minVersionLevel: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readFinalizedFeatureKey(r: Reader, _version: number): FinalizedFeatureKey {
  const name = r.string(true)
  const maxVersionLevel = r.int16()
  const minVersionLevel = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, maxVersionLevel, minVersionLevel } : { name, maxVersionLevel, minVersionLevel, unknownTags }
}

export function writeFinalizedFeatureKey(w: Writer, value: Input<FinalizedFeatureKey>, _version: number): void {
  w.string(value.name ?? '', true)
  w.int16(value.maxVersionLevel ?? 0)
  w.int16(value.minVersionLevel ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ApiVersionsResponse {
  readonly errorCode: number
  readonly apiKeys: readonly ApiVersion[]
  readonly throttleTimeMs: number // v1+
  readonly supportedFeatures: readonly SupportedFeatureKey[] // v3+, tag 0
  readonly finalizedFeaturesEpoch: bigint // v3+, tag 1
  readonly finalizedFeatures: readonly FinalizedFeatureKey[] // v3+, tag 2
  readonly zkMigrationReady: boolean // v3+, tag 3
  readonly unknownTags?: readonly UnknownTag[]
}

export function readApiVersionsResponse(r: Reader, version: number): ApiVersionsResponse {
  const flexible = version >= 3
  const errorCode = r.int16()
  const apiKeys = readStructs(r, version, flexible, 6, readApiVersion)
  const throttleTimeMs = version >= 1 ? r.int32() : 0
  let supportedFeatures: readonly SupportedFeatureKey[] = []
  let finalizedFeaturesEpoch: bigint = -1n
  let finalizedFeatures: readonly FinalizedFeatureKey[] = []
  let zkMigrationReady: boolean = false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          supportedFeatures = readStructs(r, version, true, 6, readSupportedFeatureKey)
          break
        case 1:
          finalizedFeaturesEpoch = r.int64()
          break
        case 2:
          finalizedFeatures = readStructs(r, version, true, 6, readFinalizedFeatureKey)
          break
        case 3:
          zkMigrationReady = r.bool()
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, apiKeys, throttleTimeMs, supportedFeatures, finalizedFeaturesEpoch, finalizedFeatures, zkMigrationReady } : { errorCode, apiKeys, throttleTimeMs, supportedFeatures, finalizedFeaturesEpoch, finalizedFeatures, zkMigrationReady, unknownTags }
}

export function writeApiVersionsResponse(w: Writer, value: Input<ApiVersionsResponse>, version: number): void {
  const flexible = version >= 3
  w.int16(value.errorCode ?? 0)
  {
    const v = value.apiKeys === undefined ? [] : value.apiKeys
    w.count(v.length, flexible)
    for (const e of v) writeApiVersion(w, e, version)
  }
  if (version >= 1) {
    w.int32(value.throttleTimeMs ?? 0)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.supportedFeatures !== undefined && (value.supportedFeatures.length > 0)
    if (has0) count++
    const has1 = value.finalizedFeaturesEpoch !== undefined && value.finalizedFeaturesEpoch !== -1n
    if (has1) count++
    const has2 = value.finalizedFeatures !== undefined && (value.finalizedFeatures.length > 0)
    if (has2) count++
    const has3 = value.zkMigrationReady !== undefined && value.zkMigrationReady !== false
    if (has3) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.supportedFeatures !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.supportedFeatures
        w.count(v.length, true)
        for (const e of v) writeSupportedFeatureKey(w, e, version)
        outer.tagged(0, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 1)
    if (has1 && value.finalizedFeaturesEpoch !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.finalizedFeaturesEpoch
        w.int64(v)
        outer.tagged(1, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 2)
    if (has2 && value.finalizedFeatures !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.finalizedFeatures
        w.count(v.length, true)
        for (const e of v) writeFinalizedFeatureKey(w, e, version)
        outer.tagged(2, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 3)
    if (has3 && value.zkMigrationReady !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.zkMigrationReady
        w.bool(v)
        outer.tagged(3, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}

export const apiVersionsApi: Api<ApiVersionsRequest, ApiVersionsResponse> = {
  key: 18,
  name: 'ApiVersions',
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 3,
  readRequest: readApiVersionsRequest,
  writeRequest: writeApiVersionsRequest,
  readResponse: readApiVersionsResponse,
  writeResponse: writeApiVersionsResponse,
}
