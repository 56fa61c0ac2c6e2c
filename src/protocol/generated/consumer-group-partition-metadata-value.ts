/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readScalars, readStructs, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface PartitionMetadata {
  readonly partition: number
  readonly racks: readonly string[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPartitionMetadata(r: Reader, _version: number): PartitionMetadata {
  const partition = r.int32()
  const racks = readScalars(r, true, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { partition, racks } : { partition, racks, unknownTags }
}

export function writePartitionMetadata(w: Writer, value: Input<PartitionMetadata>, _version: number): void {
  w.int32(value.partition ?? 0)
  {
    const v = value.racks === undefined ? [] : value.racks
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface TopicMetadata {
  readonly topicId: Uuid
  readonly topicName: string
  readonly numPartitions: number
  readonly partitionMetadata: readonly PartitionMetadata[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readTopicMetadata(r: Reader, version: number): TopicMetadata {
  const topicId = r.uuid()
  const topicName = r.string(true)
  const numPartitions = r.int32()
  const partitionMetadata = readStructs(r, version, true, 6, readPartitionMetadata)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topicId, topicName, numPartitions, partitionMetadata } : { topicId, topicName, numPartitions, partitionMetadata, unknownTags }
}

export function writeTopicMetadata(w: Writer, value: Input<TopicMetadata>, version: number): void {
  w.uuid(value.topicId ?? zeroUuid)
  w.string(value.topicName ?? '', true)
  w.int32(value.numPartitions ?? 0)
  {
    const v = value.partitionMetadata === undefined ? [] : value.partitionMetadata
    w.count(v.length, true)
    for (const e of v) writePartitionMetadata(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface ConsumerGroupPartitionMetadataValue {
  readonly topics: readonly TopicMetadata[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupPartitionMetadataValue(r: Reader, version: number): ConsumerGroupPartitionMetadataValue {
  const topics = readStructs(r, version, true, 23, readTopicMetadata)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topics } : { topics, unknownTags }
}

export function writeConsumerGroupPartitionMetadataValue(w: Writer, value: Input<ConsumerGroupPartitionMetadataValue>, version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) writeTopicMetadata(w, e, version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const consumerGroupPartitionMetadataValueType = 4
export const consumerGroupPartitionMetadataValueVersions = { min: 0, max: 0 } as const
