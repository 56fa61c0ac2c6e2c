/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readNullableStructs, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface UserName {
  readonly name: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readUserName(r: Reader, _version: number): UserName {
  const name = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name } : { name, unknownTags }
}

export function writeUserName(w: Writer, value: Input<UserName>, _version: number): void {
  w.string(value.name ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeUserScramCredentialsRequest {
  readonly users: readonly UserName[] | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeUserScramCredentialsRequest(r: Reader, version: number): DescribeUserScramCredentialsRequest {
  const users = readNullableStructs(r, version, true, 2, readUserName)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { users } : { users, unknownTags }
}

export function writeDescribeUserScramCredentialsRequest(w: Writer, value: Input<DescribeUserScramCredentialsRequest>, version: number): void {
  {
    const v = value.users === undefined ? [] : value.users
    if (v === null) w.count(-1, true)
    else {
      w.count(v.length, true)
      for (const e of v) writeUserName(w, e, version)
    }
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface CredentialInfo {
  readonly mechanism: number
  readonly iterations: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readCredentialInfo(r: Reader, _version: number): CredentialInfo {
  const mechanism = r.int8()
  const iterations = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { mechanism, iterations } : { mechanism, iterations, unknownTags }
}

export function writeCredentialInfo(w: Writer, value: Input<CredentialInfo>, _version: number): void {
  w.int8(value.mechanism ?? 0)
  w.int32(value.iterations ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeUserScramCredentialsResult {
  readonly user: string
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly credentialInfos: readonly CredentialInfo[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeUserScramCredentialsResult(r: Reader, version: number): DescribeUserScramCredentialsResult {
  const user = r.string(true)
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const credentialInfos = readStructs(r, version, true, 6, readCredentialInfo)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { user, errorCode, errorMessage, credentialInfos } : { user, errorCode, errorMessage, credentialInfos, unknownTags }
}

export function writeDescribeUserScramCredentialsResult(w: Writer, value: Input<DescribeUserScramCredentialsResult>, version: number): void {
  w.string(value.user ?? '', true)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  {
    const v = value.credentialInfos === undefined ? [] : value.credentialInfos
    w.count(v.length, true)
    for (const e of v) writeCredentialInfo(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeUserScramCredentialsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly results: readonly DescribeUserScramCredentialsResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeUserScramCredentialsResponse(r: Reader, version: number): DescribeUserScramCredentialsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const results = readStructs(r, version, true, 6, readDescribeUserScramCredentialsResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, results } : { throttleTimeMs, errorCode, errorMessage, results, unknownTags }
}

export function writeDescribeUserScramCredentialsResponse(w: Writer, value: Input<DescribeUserScramCredentialsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeDescribeUserScramCredentialsResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeUserScramCredentialsApi: Api<DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse> = {
  key: 50,
  name: 'DescribeUserScramCredentials',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readDescribeUserScramCredentialsRequest,
  writeRequest: writeDescribeUserScramCredentialsRequest,
  readResponse: readDescribeUserScramCredentialsResponse,
  writeResponse: writeDescribeUserScramCredentialsResponse,
}
