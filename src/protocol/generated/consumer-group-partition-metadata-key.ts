/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupPartitionMetadataKey {
  readonly groupId: string
}

export function readConsumerGroupPartitionMetadataKey(r: Reader, _version: number): ConsumerGroupPartitionMetadataKey {
  const groupId = r.string(false)
  return { groupId }
}

export function writeConsumerGroupPartitionMetadataKey(w: Writer, value: Input<ConsumerGroupPartitionMetadataKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
}
export const consumerGroupPartitionMetadataKeyType = 4
export const consumerGroupPartitionMetadataKeyVersions = { min: 0, max: 0 } as const
