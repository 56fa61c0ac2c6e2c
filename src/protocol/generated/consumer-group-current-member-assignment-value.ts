/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TopicPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicPartitions(r: Reader, _version: number): TopicPartitions {
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

export function writeTopicPartitions(w: Writer, value: Input<TopicPartitions>, _version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  {
    const v = value.partitions === undefined ? [] : value.partitions
    w.count(v.length, true)
    for (const e of v) w.int32(e)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupCurrentMemberAssignmentValue {
  readonly memberEpoch: number
  readonly previousMemberEpoch: number
  readonly state: number
  readonly assignedPartitions: readonly TopicPartitions[]
  readonly partitionsPendingRevocation: readonly TopicPartitions[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupCurrentMemberAssignmentValue(r: Reader, version: number): ConsumerGroupCurrentMemberAssignmentValue {
  const memberEpoch = r.int32()
  const previousMemberEpoch = r.int32()
  const state = r.int8()
  const assignedPartitions = readStructs(r, version, true, 18, readTopicPartitions)
  const partitionsPendingRevocation = readStructs(r, version, true, 18, readTopicPartitions)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { memberEpoch, previousMemberEpoch, state, assignedPartitions, partitionsPendingRevocation } : { memberEpoch, previousMemberEpoch, state, assignedPartitions, partitionsPendingRevocation, unknownTags }
}

export function writeConsumerGroupCurrentMemberAssignmentValue(w: Writer, value: Input<ConsumerGroupCurrentMemberAssignmentValue>, version: number): void {
  w.int32(value.memberEpoch ?? 0)
  w.int32(value.previousMemberEpoch ?? 0)
  w.int8(value.state ?? 0)
  {
    const v = value.assignedPartitions === undefined ? [] : value.assignedPartitions
    w.count(v.length, true)
    for (const e of v) writeTopicPartitions(w, e, version)
  }
  {
    const v = value.partitionsPendingRevocation === undefined ? [] : value.partitionsPendingRevocation
    w.count(v.length, true)
    for (const e of v) writeTopicPartitions(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const consumerGroupCurrentMemberAssignmentValueType = 8
export const consumerGroupCurrentMemberAssignmentValueVersions = { min: 0, max: 0 } as const
