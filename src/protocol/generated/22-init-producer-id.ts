/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface InitProducerIdRequest {
  readonly transactionalId: string | null
  readonly transactionTimeoutMs: number
  readonly producerId: bigint // v3+
  readonly producerEpoch: number // v3+
  readonly enable2Pc: boolean // v6+
  readonly keepPreparedTxn: boolean // v6+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitProducerIdRequest(r: Reader, version: number): InitProducerIdRequest {
  const flexible = version >= 2
  const transactionalId = r.nullableString(flexible)
  const transactionTimeoutMs = r.int32()
  const producerId = version >= 3 ? r.int64() : -1n
  const producerEpoch = version >= 3 ? r.int16() : -1
  const enable2Pc = version >= 6 ? r.bool() : false
  const keepPreparedTxn = version >= 6 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { transactionalId, transactionTimeoutMs, producerId, producerEpoch, enable2Pc, keepPreparedTxn } : { transactionalId, transactionTimeoutMs, producerId, producerEpoch, enable2Pc, keepPreparedTxn, unknownTags }
}

export function writeInitProducerIdRequest(w: Writer, value: Input<InitProducerIdRequest>, version: number): void {
  const flexible = version >= 2
  {
    const v = value.transactionalId === undefined ? '' : value.transactionalId
    w.string(v, flexible)
  }
  w.int32(value.transactionTimeoutMs ?? 0)
  if (version >= 3) {
    w.int64(value.producerId ?? -1n)
  } else if (value.producerId !== undefined && value.producerId !== -1n) {
    throw unsupportedField('InitProducerIdRequest.producerId', version)
  }
  if (version >= 3) {
    w.int16(value.producerEpoch ?? -1)
  } else if (value.producerEpoch !== undefined && value.producerEpoch !== -1) {
    throw unsupportedField('InitProducerIdRequest.producerEpoch', version)
  }
  if (version >= 6) {
    w.bool(value.enable2Pc ?? false)
  } else if (value.enable2Pc !== undefined && value.enable2Pc !== false) {
    throw unsupportedField('InitProducerIdRequest.enable2Pc', version)
  }
  if (version >= 6) {
    w.bool(value.keepPreparedTxn ?? false)
  } else if (value.keepPreparedTxn !== undefined && value.keepPreparedTxn !== false) {
    throw unsupportedField('InitProducerIdRequest.keepPreparedTxn', version)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface InitProducerIdResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly ongoingTxnProducerId: bigint // v6+
  readonly ongoingTxnProducerEpoch: number // v6+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readInitProducerIdResponse(r: Reader, version: number): InitProducerIdResponse {
  const flexible = version >= 2
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const producerId = r.int64()
  const producerEpoch = r.int16()
  const ongoingTxnProducerId = version >= 6 ? r.int64() : -1n
  const ongoingTxnProducerEpoch = version >= 6 ? r.int16() : -1
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, producerId, producerEpoch, ongoingTxnProducerId, ongoingTxnProducerEpoch } : { throttleTimeMs, errorCode, producerId, producerEpoch, ongoingTxnProducerId, ongoingTxnProducerEpoch, unknownTags }
}

export function writeInitProducerIdResponse(w: Writer, value: Input<InitProducerIdResponse>, version: number): void {
  const flexible = version >= 2
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.int64(value.producerId ?? -1n)
  w.int16(value.producerEpoch ?? 0)
  if (version >= 6) {
    w.int64(value.ongoingTxnProducerId ?? -1n)
  }
  if (version >= 6) {
    w.int16(value.ongoingTxnProducerEpoch ?? -1)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export const initProducerIdApi: Api<InitProducerIdRequest, InitProducerIdResponse> = {
  key: 22,
  name: 'InitProducerId',
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 2,
  readRequest: readInitProducerIdRequest,
  writeRequest: writeInitProducerIdRequest,
  readResponse: readInitProducerIdResponse,
  writeResponse: writeInitProducerIdResponse,
}
