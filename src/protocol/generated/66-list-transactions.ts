/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ListTransactionsRequest {
  readonly stateFilters: readonly string[]
  readonly producerIdFilters: readonly bigint[]
  readonly durationFilter: bigint // v1+
  readonly transactionalIdPattern: string | null // v2+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListTransactionsRequest(r: Reader, version: number): ListTransactionsRequest {
  const stateFilters = readScalars(r, true, 1, scalar.string)
  const producerIdFilters = readScalars(r, true, 8, scalar.int64)
  const durationFilter = version >= 1 ? r.int64() : -1n
  const transactionalIdPattern = version >= 2 ? r.nullableString(true) : null
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { stateFilters, producerIdFilters, durationFilter, transactionalIdPattern } : { stateFilters, producerIdFilters, durationFilter, transactionalIdPattern, unknownTags }
}

export function writeListTransactionsRequest(w: Writer, value: Input<ListTransactionsRequest>, version: number): void {
  {
    const v = value.stateFilters === undefined ? [] : value.stateFilters
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.producerIdFilters === undefined ? [] : value.producerIdFilters
    w.count(v.length, true)
    for (const e of v) w.int64(e)
  }
  if (version >= 1) {
    w.int64(value.durationFilter ?? -1n)
  } else if (value.durationFilter !== undefined && value.durationFilter !== -1n) {
    throw unsupportedField('ListTransactionsRequest.durationFilter', version)
  }
  if (version >= 2) {
    w.string(value.transactionalIdPattern ?? null, true)
  } else if (value.transactionalIdPattern !== undefined && value.transactionalIdPattern !== null) {
    throw unsupportedField('ListTransactionsRequest.transactionalIdPattern', version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TransactionState {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly transactionState: string
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTransactionState(r: Reader, _version: number): TransactionState {
  const transactionalId = r.string(true)
  const producerId = r.int64()
  const transactionState = r.string(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { transactionalId, producerId, transactionState } : { transactionalId, producerId, transactionState, unknownTags }
}

export function writeTransactionState(w: Writer, value: Input<TransactionState>, _version: number): void {
  w.string(value.transactionalId ?? '', true)
  w.int64(value.producerId ?? 0n)
  w.string(value.transactionState ?? '', true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ListTransactionsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly unknownStateFilters: readonly string[]
  readonly transactionStates: readonly TransactionState[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readListTransactionsResponse(r: Reader, version: number): ListTransactionsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const unknownStateFilters = readScalars(r, true, 1, scalar.string)
  const transactionStates = readStructs(r, version, true, 11, readTransactionState)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, unknownStateFilters, transactionStates } : { throttleTimeMs, errorCode, unknownStateFilters, transactionStates, unknownTags }
}

export function writeListTransactionsResponse(w: Writer, value: Input<ListTransactionsResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  {
    const v = value.unknownStateFilters === undefined ? [] : value.unknownStateFilters
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  {
    const v = value.transactionStates === undefined ? [] : value.transactionStates
    w.count(v.length, true)
    for (const e of v) writeTransactionState(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const listTransactionsApi: Api<ListTransactionsRequest, ListTransactionsResponse> = {
  key: 66,
  name: 'ListTransactions',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 0,
  readRequest: readListTransactionsRequest,
  writeRequest: writeListTransactionsRequest,
  readResponse: readListTransactionsResponse,
  writeResponse: writeListTransactionsResponse,
}
