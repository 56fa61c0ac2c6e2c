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

export interface CreatableRenewers {
  readonly principalType: string
  readonly principalName: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreatableRenewers(r: Reader, version: number): CreatableRenewers {
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

export function writeCreatableRenewers(w: Writer, value: Input<CreatableRenewers>, version: number): void {
  const flexible = version >= 2
  w.string(value.principalType ?? '', flexible)
  w.string(value.principalName ?? '', flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreateDelegationTokenRequest {
  readonly ownerPrincipalType: string | null // v3+
  readonly ownerPrincipalName: string | null // v3+
  readonly renewers: readonly CreatableRenewers[]
  readonly maxLifetimeMs: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateDelegationTokenRequest(r: Reader, version: number): CreateDelegationTokenRequest {
  const flexible = version >= 2
  const ownerPrincipalType = version >= 3 ? r.nullableString(flexible) : ''
  const ownerPrincipalName = version >= 3 ? r.nullableString(flexible) : ''
  const renewers = readStructs(r, version, flexible, 3, readCreatableRenewers)
  const maxLifetimeMs = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { ownerPrincipalType, ownerPrincipalName, renewers, maxLifetimeMs } : { ownerPrincipalType, ownerPrincipalName, renewers, maxLifetimeMs, unknownTags }
}

export function writeCreateDelegationTokenRequest(w: Writer, value: Input<CreateDelegationTokenRequest>, version: number): void {
  const flexible = version >= 2
  if (version >= 3) {
    {
      const v = value.ownerPrincipalType === undefined ? '' : value.ownerPrincipalType
      w.string(v, flexible)
    }
  } else if (value.ownerPrincipalType !== undefined && value.ownerPrincipalType !== null && value.ownerPrincipalType !== '') {
    throw unsupportedField('CreateDelegationTokenRequest.ownerPrincipalType', version)
  }
  if (version >= 3) {
    {
      const v = value.ownerPrincipalName === undefined ? '' : value.ownerPrincipalName
      w.string(v, flexible)
    }
  } else if (value.ownerPrincipalName !== undefined && value.ownerPrincipalName !== null && value.ownerPrincipalName !== '') {
    throw unsupportedField('CreateDelegationTokenRequest.ownerPrincipalName', version)
  }
  {
    const v = value.renewers === undefined ? [] : value.renewers
    w.count(v.length, flexible)
    for (const e of v) writeCreatableRenewers(w, e, version)
  }
  w.int64(value.maxLifetimeMs ?? 0n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface CreateDelegationTokenResponse {
  readonly errorCode: number
  readonly principalType: string
  readonly principalName: string
  readonly tokenRequesterPrincipalType: string // v3+
  readonly tokenRequesterPrincipalName: string // v3+
  readonly issueTimestampMs: bigint
  readonly expiryTimestampMs: bigint
  readonly maxTimestampMs: bigint
  readonly tokenId: string
  readonly hmac: Buffer
  readonly throttleTimeMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCreateDelegationTokenResponse(r: Reader, version: number): CreateDelegationTokenResponse {
  const flexible = version >= 2
  const errorCode = r.int16()
  const principalType = r.string(flexible)
  const principalName = r.string(flexible)
  const tokenRequesterPrincipalType = version >= 3 ? r.string(flexible) : ''
  const tokenRequesterPrincipalName = version >= 3 ? r.string(flexible) : ''
  const issueTimestampMs = r.int64()
  const expiryTimestampMs = r.int64()
  const maxTimestampMs = r.int64()
  const tokenId = r.string(flexible)
  const hmac = r.bytes(flexible)
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
  return unknownTags === undefined ? { errorCode, principalType, principalName, tokenRequesterPrincipalType, tokenRequesterPrincipalName, issueTimestampMs, expiryTimestampMs, maxTimestampMs, tokenId, hmac, throttleTimeMs } : { errorCode, principalType, principalName, tokenRequesterPrincipalType, tokenRequesterPrincipalName, issueTimestampMs, expiryTimestampMs, maxTimestampMs, tokenId, hmac, throttleTimeMs, unknownTags }
}

export function writeCreateDelegationTokenResponse(w: Writer, value: Input<CreateDelegationTokenResponse>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  w.string(value.principalType ?? '', flexible)
  w.string(value.principalName ?? '', flexible)
  if (version >= 3) {
    w.string(value.tokenRequesterPrincipalType ?? '', flexible)
  }
  if (version >= 3) {
    w.string(value.tokenRequesterPrincipalName ?? '', flexible)
  }
  w.int64(value.issueTimestampMs ?? 0n)
  w.int64(value.expiryTimestampMs ?? 0n)
  w.int64(value.maxTimestampMs ?? 0n)
  w.string(value.tokenId ?? '', flexible)
  w.bytes(value.hmac ?? noBytes, flexible)
  w.int32(value.throttleTimeMs ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const createDelegationTokenApi: Api<CreateDelegationTokenRequest, CreateDelegationTokenResponse> = {
  key: 38,
  name: 'CreateDelegationToken',
  minVersion: 1,
  maxVersion: 3,
  flexibleFrom: 2,
  readRequest: readCreateDelegationTokenRequest,
  writeRequest: writeCreateDelegationTokenRequest,
  readResponse: readCreateDelegationTokenResponse,
  writeResponse: writeCreateDelegationTokenResponse,
}
