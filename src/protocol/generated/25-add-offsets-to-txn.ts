/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface AddOffsetsToTxnRequest {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly groupId: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddOffsetsToTxnRequest(r: Reader, version: number): AddOffsetsToTxnRequest {
  const flexible = version >= 3
  const transactionalId = r.string(flexible)
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const groupId = r.string(flexible)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactionalId, producerId, producerEpoch, groupId } : { transactionalId, producerId, producerEpoch, groupId, unknownTags }
}

export function writeAddOffsetsToTxnRequest(w: Writer, value: Input<AddOffsetsToTxnRequest>, version: number): void {
  const flexible = version >= 3
  w.string(value.transactionalId ?? '', flexible)
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  w.string(value.groupId ?? '', flexible)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface AddOffsetsToTxnResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readAddOffsetsToTxnResponse(r: Reader, version: number): AddOffsetsToTxnResponse {
  const flexible = version >= 3
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode } : { throttleTimeMs, errorCode, unknownTags }
}

export function writeAddOffsetsToTxnResponse(w: Writer, value: Input<AddOffsetsToTxnResponse>, version: number): void {
  const flexible = version >= 3
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const addOffsetsToTxnApi: Api<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse> = {
  key: 25,
  name: 'AddOffsetsToTxn',
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 3,
  readRequest: readAddOffsetsToTxnRequest,
  writeRequest: writeAddOffsetsToTxnRequest,
  readResponse: readAddOffsetsToTxnResponse,
  writeResponse: writeAddOffsetsToTxnResponse,
}
