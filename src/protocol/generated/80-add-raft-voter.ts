/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readStructs } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListener(r: Reader, _version: number): Listener {
  const name = r.string(true)
  const host = r.string(true)
  const port = r.uint16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { name, host, port } : { name, host, port, unknownTags }
}

export function writeListener(w: Writer, value: Input<Listener>, _version: number): void {
  w.string(value.name ?? '', true)
  w.string(value.host ?? '', true)
  w.uint16(value.port ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AddRaftVoterRequest {
  readonly clusterId: string | null
  readonly timeoutMs: number
  readonly voterId: number
  readonly voterDirectoryId: Uuid
  readonly listeners: readonly Listener[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddRaftVoterRequest(r: Reader, version: number): AddRaftVoterRequest {
  const clusterId = r.nullableString(true)
  const timeoutMs = r.int32()
  const voterId = r.int32()
  const voterDirectoryId = r.uuid()
  const listeners = readStructs(r, version, true, 5, readListener)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { clusterId, timeoutMs, voterId, voterDirectoryId, listeners } : { clusterId, timeoutMs, voterId, voterDirectoryId, listeners, unknownTags }
}

export function writeAddRaftVoterRequest(w: Writer, value: Input<AddRaftVoterRequest>, version: number): void {
  {
    const v = value.clusterId === undefined ? '' : value.clusterId
    w.string(v, true)
  }
  w.int32(value.timeoutMs ?? 0)
  w.int32(value.voterId ?? 0)
  w.uuid(value.voterDirectoryId ?? zeroUuid)
  {
    const v = value.listeners === undefined ? [] : value.listeners
    w.count(v.length, true)
    for (const e of v) writeListener(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface AddRaftVoterResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddRaftVoterResponse(r: Reader, _version: number): AddRaftVoterResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage } : { throttleTimeMs, errorCode, errorMessage, unknownTags }
}

export function writeAddRaftVoterResponse(w: Writer, value: Input<AddRaftVoterResponse>, _version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const addRaftVoterApi: Api<AddRaftVoterRequest, AddRaftVoterResponse> = {
  key: 80,
  name: 'AddRaftVoter',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readAddRaftVoterRequest,
  writeRequest: writeAddRaftVoterRequest,
  readResponse: readAddRaftVoterResponse,
  writeResponse: writeAddRaftVoterResponse,
}
