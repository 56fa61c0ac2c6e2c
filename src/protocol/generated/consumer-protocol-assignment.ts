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

export interface ConsumerProtocolAssignment {
  readonly assignedPartitions: readonly TopicPartition[]
  readonly userData: Buffer | null
}

export function readConsumerProtocolAssignment(r: Reader, version: number): ConsumerProtocolAssignment {
  const assignedPartitions = readStructs(r, version, false, 6, readTopicPartition)
  const userData = r.nullableBytes(false)
  return { assignedPartitions, userData }
}

export function writeConsumerProtocolAssignment(w: Writer, value: Input<ConsumerProtocolAssignment>, version: number): void {
  {
    const v = value.assignedPartitions === undefined ? [] : value.assignedPartitions
    w.count(v.length, false)
    for (const e of v) writeTopicPartition(w, e, version)
  }
  w.bytes(value.userData ?? null, false)
}
export const consumerProtocolAssignmentVersions = { min: 0, max: 3 } as const
