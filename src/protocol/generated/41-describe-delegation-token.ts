/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface DescribeDelegationTokenOwner {
  readonly principalType: string
  readonly principalName: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeDelegationTokenOwner(r: Reader, version: number): DescribeDelegationTokenOwner {
  const flexible = version >= 2
  const principalType = r.string(flexible)
  const principalName = r.string(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { principalType, principalName } : { principalType, principalName, unknownTags }
}

export function writeDescribeDelegationTokenOwner(w: Writer, value: Input<DescribeDelegationTokenOwner>, version: number): void {
  const flexible = version >= 2
  w.string(value.principalType ?? '', flexible)
  w.string(value.principalName ?? '', flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeDelegationTokenRequest {
  readonly owners: readonly DescribeDelegationTokenOwner[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeDelegationTokenRequest(r: Reader, version: number): DescribeDelegationTokenRequest {
  const flexible = version >= 2
  const owners = readNullableStructs(r, version, flexible, 3, readDescribeDelegationTokenOwner)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { owners } : { owners, unknownTags }
}

export function writeDescribeDelegationTokenRequest(w: Writer, value: Input<DescribeDelegationTokenRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.owners === undefined ? [] : value.owners
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writeDescribeDelegationTokenOwner(w, e, version)
    }
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribedDelegationTokenRenewer {
  readonly principalType: string
  readonly principalName: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribedDelegationTokenRenewer(r: Reader, version: number): DescribedDelegationTokenRenewer {
  const flexible = version >= 2
  const principalType = r.string(flexible)
  const principalName = r.string(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { principalType, principalName } : { principalType, principalName, unknownTags }
}

export function writeDescribedDelegationTokenRenewer(w: Writer, value: Input<DescribedDelegationTokenRenewer>, version: number): void {
  const flexible = version >= 2
  w.string(value.principalType ?? '', flexible)
  w.string(value.principalName ?? '', flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribedDelegationToken {
  readonly principalType: string
  readonly principalName: string
  readonly tokenRequesterPrincipalType: string // v3+
  readonly tokenRequesterPrincipalName: string // v3+
  readonly issueTimestamp: bigint
  readonly expiryTimestamp: bigint
  readonly maxTimestamp: bigint
  readonly tokenId: string
  readonly hmac: Buffer
  readonly renewers: readonly DescribedDelegationTokenRenewer[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribedDelegationToken(r: Reader, version: number): DescribedDelegationToken {
  const flexible = version >= 2
  const principalType = r.string(flexible)
  const principalName = r.string(flexible)
  const tokenRequesterPrincipalType = version >= 3 ? r.string(flexible) : ''
  const tokenRequesterPrincipalName = version >= 3 ? r.string(flexible) : ''
  const issueTimestamp = r.int64()
  const expiryTimestamp = r.int64()
  const maxTimestamp = r.int64()
  const tokenId = r.string(flexible)
  const hmac = r.bytes(flexible)
  const renewers = readStructs(r, version, flexible, 3, readDescribedDelegationTokenRenewer)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { principalType, principalName, tokenRequesterPrincipalType, tokenRequesterPrincipalName, issueTimestamp, expiryTimestamp, maxTimestamp, tokenId, hmac, renewers } : { principalType, principalName, tokenRequesterPrincipalType, tokenRequesterPrincipalName, issueTimestamp, expiryTimestamp, maxTimestamp, tokenId, hmac, renewers, unknownTags }
}

export function writeDescribedDelegationToken(w: Writer, value: Input<DescribedDelegationToken>, version: number): void {
  const flexible = version >= 2
  w.string(value.principalType ?? '', flexible)
  w.string(value.principalName ?? '', flexible)
  if (version >= 3) {
    w.string(value.tokenRequesterPrincipalType ?? '', flexible)
  }
  if (version >= 3) {
    w.string(value.tokenRequesterPrincipalName ?? '', flexible)
  }
  w.int64(value.issueTimestamp ?? 0n)
  w.int64(value.expiryTimestamp ?? 0n)
  w.int64(value.maxTimestamp ?? 0n)
  w.string(value.tokenId ?? '', flexible)
  w.bytes(value.hmac ?? noBytes, flexible)
  {
    const v = value.renewers === undefined ? [] : value.renewers
    w.count(v.length, flexible)
    for (const e of v) writeDescribedDelegationTokenRenewer(w, e, version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface DescribeDelegationTokenResponse {
  readonly errorCode: number
  readonly tokens: readonly DescribedDelegationToken[]
  readonly throttleTimeMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeDelegationTokenResponse(r: Reader, version: number): DescribeDelegationTokenResponse {
  const flexible = version >= 2
  const errorCode = r.int16()
  const tokens = readStructs(r, version, flexible, 30, readDescribedDelegationToken)
  const throttleTimeMs = r.int32()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, tokens, throttleTimeMs } : { errorCode, tokens, throttleTimeMs, unknownTags }
}

export function writeDescribeDelegationTokenResponse(w: Writer, value: Input<DescribeDelegationTokenResponse>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.tokens === undefined ? [] : value.tokens
    w.count(v.length, flexible)
    for (const e of v) writeDescribedDelegationToken(w, e, version)
  }
  w.int32(value.throttleTimeMs ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const describeDelegationTokenApi: Api<DescribeDelegationTokenRequest, DescribeDelegationTokenResponse> = {
  key: 41,
  name: 'DescribeDelegationToken',
  minVersion: 1,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readDescribeDelegationTokenRequest,
  writeRequest: writeDescribeDelegationTokenRequest,
  readResponse: readDescribeDelegationTokenResponse,
  writeResponse: writeDescribeDelegationTokenResponse,
}
