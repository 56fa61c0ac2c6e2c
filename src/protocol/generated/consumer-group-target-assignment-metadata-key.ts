/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupTargetAssignmentMetadataKey {
  readonly groupId: string
}

export function readConsumerGroupTargetAssignmentMetadataKey(r: Reader, _version: number): ConsumerGroupTargetAssignmentMetadataKey {
  const groupId = r.string(false)
  return { groupId }
}

export function writeConsumerGroupTargetAssignmentMetadataKey(w: Writer, value: Input<ConsumerGroupTargetAssignmentMetadataKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
}
export const consumerGroupTargetAssignmentMetadataKeyType = 6
export const consumerGroupTargetAssignmentMetadataKeyVersions = { min: 0, max: 0 } as const
