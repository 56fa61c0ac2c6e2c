/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface EndTxnRequest {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly committed: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEndTxnRequest(r: Reader, version: number): EndTxnRequest {
  const flexible = version >= 3
  const transactionalId = r.string(flexible)
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const committed = r.bool()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactionalId, producerId, producerEpoch, committed } : { transactionalId, producerId, producerEpoch, committed, unknownTags }
}

export function writeEndTxnRequest(w: Writer, value: Input<EndTxnRequest>, version: number): void {
  const flexible = version >= 3
  w.string(value.transactionalId ?? '', flexible)
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  w.bool(value.committed ?? false)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface EndTxnResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly producerId: bigint // v5+
  readonly producerEpoch: number // v5+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readEndTxnResponse(r: Reader, version: number): EndTxnResponse {
  const flexible = version >= 3
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const producerId = version >= 5 ? r.int64() : -1n
  const producerEpoch = version >= 5 ? r.int16() : -1
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, producerId, producerEpoch } : { throttleTimeMs, errorCode, producerId, producerEpoch, unknownTags }
}

export function writeEndTxnResponse(w: Writer, value: Input<EndTxnResponse>, version: number): void {
  const flexible = version >= 3
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  if (version >= 5) {
    w.int64(value.producerId ?? -1n)
  }
  if (version >= 5) {
    w.int16(value.producerEpoch ?? -1)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const endTxnApi: Api<EndTxnRequest, EndTxnResponse> = {
  key: 26,
  name: 'EndTxn',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 3,
  readRequest: readEndTxnRequest,
  writeRequest: writeEndTxnRequest,
  readResponse: readEndTxnResponse,
  writeResponse: writeEndTxnResponse,
}
