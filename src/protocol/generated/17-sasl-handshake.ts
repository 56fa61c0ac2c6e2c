/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, scalar } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface SaslHandshakeRequest {
  readonly mechanism: string
}

export function readSaslHandshakeRequest(r: Reader, _version: number): SaslHandshakeRequest {
  const mechanism = r.string(false)
  return { mechanism }
}

export function writeSaslHandshakeRequest(w: Writer, value: Input<SaslHandshakeRequest>, _version: number): void {
  w.string(value.mechanism ?? '', false)
}

export interface SaslHandshakeResponse {
  readonly errorCode: number
  readonly mechanisms: readonly string[]
}

export function readSaslHandshakeResponse(r: Reader, _version: number): SaslHandshakeResponse {
  const errorCode = r.int16()
  const mechanisms = readScalars(r, false, 1, scalar.string)
  return { errorCode, mechanisms }
}

export function writeSaslHandshakeResponse(w: Writer, value: Input<SaslHandshakeResponse>, _version: number): void {
  w.int16(value.errorCode ?? 0)
  {
    const v = value.mechanisms === undefined ? [] : value.mechanisms
    w.count(v.length, false)
    for (const e of v) w.string(e, false)
  }
}

export const saslHandshakeApi: Api<SaslHandshakeRequest, SaslHandshakeResponse> = {
  key: 17,
  name: 'SaslHandshake',
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: Number.POSITIVE_INFINITY,
  readRequest: readSaslHandshakeRequest,
  writeRequest: writeSaslHandshakeRequest,
  readResponse: readSaslHandshakeResponse,
  writeResponse: writeSaslHandshakeResponse,
}
