/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readNullableStructs, readScalars, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import { Writer } from '../writer.ts'

export interface PartitionsSchema {
  readonly topic: string
  readonly partitionIds: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionsSchema(r: Reader, version: number): PartitionsSchema {
  const flexible = version >= 1
  const topic = r.string(flexible)
  const partitionIds = readScalars(r, flexible, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { topic, partitionIds } : { topic, partitionIds, unknownTags }
}

export function writePartitionsSchema(w: Writer, value: Input<PartitionsSchema>, version: number): void {
  const flexible = version >= 1
  w.string(value.topic ?? '', flexible)
  {
    const v = value.partitionIds === undefined ? [] : value.partitionIds
    w.count(v.length, flexible)
    for (const e of v) w.int32(e)
  }
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}

export interface TransactionLogValue {
  readonly producerId: bigint
  readonly previousProducerId: bigint // v1+, tag 0
  readonly nextProducerId: bigint // v1+, tag 1
  readonly producerEpoch: number
  readonly nextProducerEpoch: number // v1+, tag 3
  readonly transactionTimeoutMs: number
  readonly transactionStatus: number
  readonly transactionPartitions: readonly PartitionsSchema[] | null
  readonly transactionLastUpdateTimestampMs: bigint
  readonly transactionStartTimestampMs: bigint
  readonly clientTransactionVersion: number // v1+, tag 2
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTransactionLogValue(r: Reader, version: number): TransactionLogValue {
  const flexible = version >= 1
  const producerId = r.int64()
  let previousProducerId: bigint = -1n
  let nextProducerId: bigint = -1n
  const producerEpoch = r.int16()
  let nextProducerEpoch: number = -1
  const transactionTimeoutMs = r.int32()
  const transactionStatus = r.int8()
  const transactionPartitions = readNullableStructs(r, version, flexible, 3, readPartitionsSchema)
  const transactionLastUpdateTimestampMs = r.int64()
  const transactionStartTimestampMs = r.int64()
  let clientTransactionVersion: number = 0
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          previousProducerId = r.int64()
          break
        case 1:
          nextProducerId = r.int64()
          break
        case 3:
          nextProducerEpoch = r.int16()
          break
        case 2:
          clientTransactionVersion = r.int16()
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { producerId, previousProducerId, nextProducerId, producerEpoch, nextProducerEpoch, transactionTimeoutMs, transactionStatus, transactionPartitions, transactionLastUpdateTimestampMs, transactionStartTimestampMs, clientTransactionVersion } : { producerId, previousProducerId, nextProducerId, producerEpoch, nextProducerEpoch, transactionTimeoutMs, transactionStatus, transactionPartitions, transactionLastUpdateTimestampMs, transactionStartTimestampMs, clientTransactionVersion, unknownTags }
}

export function writeTransactionLogValue(w: Writer, value: Input<TransactionLogValue>, version: number): void {
  const flexible = version >= 1
  w.int64(value.producerId ?? 0n)
  w.int16(value.producerEpoch ?? 0)
  w.int32(value.transactionTimeoutMs ?? 0)
  w.int8(value.transactionStatus ?? 0)
  {
    const v = value.transactionPartitions === undefined ? [] : value.transactionPartitions
    if (v === null) w.count(-1, flexible)
    else {
      w.count(v.length, flexible)
      for (const e of v) writePartitionsSchema(w, e, version)
    }
  }
  w.int64(value.transactionLastUpdateTimestampMs ?? 0n)
  w.int64(value.transactionStartTimestampMs ?? 0n)
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.previousProducerId !== undefined && value.previousProducerId !== -1n
    if (has0) count++
    const has1 = value.nextProducerId !== undefined && value.nextProducerId !== -1n
    if (has1) count++
    const has2 = value.clientTransactionVersion !== undefined && value.clientTransactionVersion !== 0
    if (has2) count++
    const has3 = value.nextProducerEpoch !== undefined && value.nextProducerEpoch !== -1
    if (has3) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.previousProducerId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.previousProducerId
        w.int64(v)
        outer.tagged(0, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 1)
    if (has1 && value.nextProducerId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.nextProducerId
        w.int64(v)
        outer.tagged(1, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 2)
    if (has2 && value.clientTransactionVersion !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.clientTransactionVersion
        w.int16(v)
        outer.tagged(2, w)
      }
    }
    next = w.unknownTags(value.unknownTags, next, 3)
    if (has3 && value.nextProducerEpoch !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.nextProducerEpoch
        w.int16(v)
        outer.tagged(3, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}
export const transactionLogValueType = 0
export const transactionLogValueVersions = { min: 0, max: 1 } as const
