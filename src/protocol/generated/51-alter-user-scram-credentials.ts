/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface ScramCredentialDeletion {
  readonly name: string
  readonly mechanism: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readScramCredentialDeletion(r: Reader, _version: number): ScramCredentialDeletion {
  const name = r.string(true)
  const mechanism = r.int8()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, mechanism } : { name, mechanism, unknownTags }
}

export function writeScramCredentialDeletion(w: Writer, value: Input<ScramCredentialDeletion>, _version: number): void {
  w.string(value.name ?? '', true)
  w.int8(value.mechanism ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ScramCredentialUpsertion {
  readonly name: string
  readonly mechanism: number
  readonly iterations: number
  readonly salt: Buffer
  readonly saltedPassword: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readScramCredentialUpsertion(r: Reader, _version: number): ScramCredentialUpsertion {
  const name = r.string(true)
  const mechanism = r.int8()
  const iterations = r.int32()
  const salt = r.bytes(true)
  const saltedPassword = r.bytes(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, mechanism, iterations, salt, saltedPassword } : { name, mechanism, iterations, salt, saltedPassword, unknownTags }
}

export function writeScramCredentialUpsertion(w: Writer, value: Input<ScramCredentialUpsertion>, _version: number): void {
  w.string(value.name ?? '', true)
  w.int8(value.mechanism ?? 0)
  w.int32(value.iterations ?? 0)
  w.bytes(value.salt ?? noBytes, true)
  w.bytes(value.saltedPassword ?? noBytes, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterUserScramCredentialsRequest {
  readonly deletions: readonly ScramCredentialDeletion[]
  readonly upsertions: readonly ScramCredentialUpsertion[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterUserScramCredentialsRequest(r: Reader, version: number): AlterUserScramCredentialsRequest {
  const deletions = readStructs(r, version, true, 3, readScramCredentialDeletion)
  const upsertions = readStructs(r, version, true, 9, readScramCredentialUpsertion)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { deletions, upsertions } : { deletions, upsertions, unknownTags }
}

export function writeAlterUserScramCredentialsRequest(w: Writer, value: Input<AlterUserScramCredentialsRequest>, version: number): void {
  {
    const v = value.deletions === undefined ? [] : value.deletions
    w.count(v.length, true)
    for (const e of v) writeScramCredentialDeletion(w, e, version)
  }
  {
    const v = value.upsertions === undefined ? [] : value.upsertions
    w.count(v.length, true)
    for (const e of v) writeScramCredentialUpsertion(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterUserScramCredentialsResult {
  readonly user: string
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterUserScramCredentialsResult(r: Reader, _version: number): AlterUserScramCredentialsResult {
  const user = r.string(true)
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { user, errorCode, errorMessage } : { user, errorCode, errorMessage, unknownTags }
}

export function writeAlterUserScramCredentialsResult(w: Writer, value: Input<AlterUserScramCredentialsResult>, _version: number): void {
  w.string(value.user ?? '', true)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AlterUserScramCredentialsResponse {
  readonly throttleTimeMs: number
  readonly results: readonly AlterUserScramCredentialsResult[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAlterUserScramCredentialsResponse(r: Reader, version: number): AlterUserScramCredentialsResponse {
  const throttleTimeMs = r.int32()
  const results = readStructs(r, version, true, 5, readAlterUserScramCredentialsResult)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, results } : { throttleTimeMs, results, unknownTags }
}

export function writeAlterUserScramCredentialsResponse(w: Writer, value: Input<AlterUserScramCredentialsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  {
    const v = value.results === undefined ? [] : value.results
    w.count(v.length, true)
    for (const e of v) writeAlterUserScramCredentialsResult(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const alterUserScramCredentialsApi: Api<AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse> = {
  key: 51,
  name: 'AlterUserScramCredentials',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readAlterUserScramCredentialsRequest,
  writeRequest: writeAlterUserScramCredentialsRequest,
  readResponse: readAlterUserScramCredentialsResponse,
  writeResponse: writeAlterUserScramCredentialsResponse,
}
