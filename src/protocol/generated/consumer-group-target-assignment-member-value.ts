/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicPartition {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartition(r: Reader, _version: number): TopicPartition {
  const topicId = r.uuid()
  const partitions = readScalars(r, true, 4, scalar.int32)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, partitions } : { topicId, partitions, unknownTags }
}

export function writeTopicPartition(w: Writer, value: Input<TopicPartition>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupTargetAssignmentMemberValue {
  readonly topicPartitions: readonly TopicPartition[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupTargetAssignmentMemberValue(r: Reader, version: number): ConsumerGroupTargetAssignmentMemberValue {
  const topicPartitions = readStructs(r, version, true, 18, readTopicPartition)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicPartitions } : { topicPartitions, unknownTags }
}

export function writeConsumerGroupTargetAssignmentMemberValue(w: Writer, value: Input<ConsumerGroupTargetAssignmentMemberValue>, version: number): void {
  {
    const v = value.topicPartitions === undefined ? [] : value.topicPartitions
    w.count(v.length, true)
    for (const e of v) writeTopicPartition(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const consumerGroupTargetAssignmentMemberValueType = 7
export const consumerGroupTargetAssignmentMemberValueVersions = { min: 0, max: 0 } as const
