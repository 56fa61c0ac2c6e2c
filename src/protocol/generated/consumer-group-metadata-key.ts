/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupMetadataKey {
  readonly groupId: string
}

export function readConsumerGroupMetadataKey(r: Reader, _version: number): ConsumerGroupMetadataKey {
  const groupId = r.string(false)
  return { groupId }
}

export function writeConsumerGroupMetadataKey(w: Writer, value: Input<ConsumerGroupMetadataKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
}
export const consumerGroupMetadataKeyType = 3
export const consumerGroupMetadataKeyVersions = { min: 0, max: 0 } as const
