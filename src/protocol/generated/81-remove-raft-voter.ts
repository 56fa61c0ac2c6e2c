/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface RemoveRaftVoterRequest {
  readonly clusterId: string | null
  readonly voterId: number
  readonly voterDirectoryId: Uuid
  readonly unknownTags?: readonly UnknownTag[]
}

export function readRemoveRaftVoterRequest(r: Reader, _version: number): RemoveRaftVoterRequest {
  const clusterId = r.nullableString(true)
  const voterId = r.int32()
  const voterDirectoryId = r.uuid()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { clusterId, voterId, voterDirectoryId } : { clusterId, voterId, voterDirectoryId, unknownTags }
}

export function writeRemoveRaftVoterRequest(w: Writer, value: Input<RemoveRaftVoterRequest>, _version: number): void {
  {
    const v = value.clusterId === undefined ? '' : value.clusterId
    w.string(v, true)
  }
  w.int32(value.voterId ?? 0)
  w.uuid(value.voterDirectoryId ?? zeroUuid)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface RemoveRaftVoterResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly unknownTags?: readonly UnknownTag[]
}

export function readRemoveRaftVoterResponse(r: Reader, _version: number): RemoveRaftVoterResponse {
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

export function writeRemoveRaftVoterResponse(w: Writer, value: Input<RemoveRaftVoterResponse>, _version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.errorMessage === undefined ? '' : value.errorMessage
    w.string(v, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const removeRaftVoterApi: Api<RemoveRaftVoterRequest, RemoveRaftVoterResponse> = {
  key: 81,
  name: 'RemoveRaftVoter',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readRemoveRaftVoterRequest,
  writeRequest: writeRemoveRaftVoterRequest,
  readResponse: readRemoveRaftVoterResponse,
  writeResponse: writeRemoveRaftVoterResponse,
}
