/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface ExpireDelegationTokenRequest {
  readonly hmac: Buffer
  readonly expiryTimePeriodMs: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readExpireDelegationTokenRequest(r: Reader, version: number): ExpireDelegationTokenRequest {
  const flexible = version >= 2
  const hmac = r.bytes(flexible)
  const expiryTimePeriodMs = r.int64()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { hmac, expiryTimePeriodMs } : { hmac, expiryTimePeriodMs, unknownTags }
}

export function writeExpireDelegationTokenRequest(w: Writer, value: Input<ExpireDelegationTokenRequest>, version: number): void {
  const flexible = version >= 2
  w.bytes(value.hmac ?? noBytes, flexible)
  w.int64(value.expiryTimePeriodMs ?? 0n)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface ExpireDelegationTokenResponse {
  readonly errorCode: number
  readonly expiryTimestampMs: bigint
  readonly throttleTimeMs: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readExpireDelegationTokenResponse(r: Reader, version: number): ExpireDelegationTokenResponse {
  const flexible = version >= 2
  const errorCode = r.int16()
  const expiryTimestampMs = r.int64()
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
  return unknownTags === undefined ? { errorCode, expiryTimestampMs, throttleTimeMs } : { errorCode, expiryTimestampMs, throttleTimeMs, unknownTags }
}

export function writeExpireDelegationTokenResponse(w: Writer, value: Input<ExpireDelegationTokenResponse>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  w.int64(value.expiryTimestampMs ?? 0n)
  w.int32(value.throttleTimeMs ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const expireDelegationTokenApi: Api<ExpireDelegationTokenRequest, ExpireDelegationTokenResponse> = {
  key: 40,
  name: 'ExpireDelegationToken',
  minVersion: 1,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readExpireDelegationTokenRequest,
  writeRequest: writeExpireDelegationTokenRequest,
  readResponse: readExpireDelegationTokenResponse,
  writeResponse: writeExpireDelegationTokenResponse,
}
