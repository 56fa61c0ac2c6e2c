/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicPartition {
  readonly topic: string
  readonly partitions: readonly number[]
}

export function readTopicPartition(r: Reader, _version: number): TopicPartition {
  const topic = r.string(false)
  const partitions = readScalars(r, false, 4, scalar.int32)
  return { topic, partitions }
}

export function writeTopicPartition(w: Writer, value: Input<TopicPartition>, _version: number): void {
  w.string(value.topic ?? '', false)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, false)
    for (const e of v) w.int32(e)
  }
}

export interface ConsumerProtocolSubscription {
  readonly topics: readonly string[]
  readonly userData: Buffer | null
  readonly ownedPartitions: readonly TopicPartition[] // v1+
  readonly generationId: number // v2+
  readonly rackId: string | null // v3+
}

export function readConsumerProtocolSubscription(r: Reader, version: number): ConsumerProtocolSubscription {
  const topics = readScalars(r, false, 1, scalar.string)
  const userData = r.nullableBytes(false)
  const ownedPartitions = version >= 1 ? readStructs(r, version, false, 6, readTopicPartition) : []
  const generationId = version >= 2 ? r.int32() : -1
  const rackId = version >= 3 ? r.nullableString(false) : null
  return { topics, userData, ownedPartitions, generationId, rackId }
}

export function writeConsumerProtocolSubscription(w: Writer, value: Input<ConsumerProtocolSubscription>, version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, false)
    for (const e of v) w.string(e, false)
  }
  w.bytes(value.userData ?? null, false)
  if (version >= 1) {
    {
      const v = value.ownedPartitions === undefined ? [] : value.ownedPartitions
      w.count(v.length, false)
      for (const e of v) writeTopicPartition(w, e, version)
    }
  }
  if (version >= 2) {
    w.int32(value.generationId ?? -1)
  }
  if (version >= 3) {
    w.string(value.rackId ?? null, false)
  }
}
export const consumerProtocolSubscriptionVersions = { min: 0, max: 3 } as const
