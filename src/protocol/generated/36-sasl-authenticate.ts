/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface SaslAuthenticateRequest {
  readonly authBytes: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSaslAuthenticateRequest(r: Reader, version: number): SaslAuthenticateRequest {
  const flexible = version >= 2
  const authBytes = r.bytes(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { authBytes } : { authBytes, unknownTags }
}

export function writeSaslAuthenticateRequest(w: Writer, value: Input<SaslAuthenticateRequest>, version: number): void {
  const flexible = version >= 2
  w.bytes(value.authBytes ?? noBytes, flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface SaslAuthenticateResponse {
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly authBytes: Buffer
  readonly sessionLifetimeMs: bigint // v1+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readSaslAuthenticateResponse(r: Reader, version: number): SaslAuthenticateResponse {
  const flexible = version >= 2
  const errorCode = r.int16()
  const errorMessage = r.nullableString(flexible)
  const authBytes = r.bytes(flexible)
  const sessionLifetimeMs = version >= 1 ? r.int64() : 0n
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { errorCode, errorMessage, authBytes, sessionLifetimeMs } : { errorCode, errorMessage, authBytes, sessionLifetimeMs, unknownTags }
}

export function writeSaslAuthenticateResponse(w: Writer, value: Input<SaslAuthenticateResponse>, version: number): void {
  const flexible = version >= 2
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, flexible)
  }
  w.bytes(value.authBytes ?? noBytes, flexible)
  if (version >= 1) {
    w.int64(value.sessionLifetimeMs ?? 0n)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const saslAuthenticateApi: Api<SaslAuthenticateRequest, SaslAuthenticateResponse> = {
  key: 36,
  name: 'SaslAuthenticate',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  readRequest: readSaslAuthenticateRequest,
  writeRequest: writeSaslAuthenticateRequest,
  readResponse: readSaslAuthenticateResponse,
  writeResponse: writeSaslAuthenticateResponse,
}
