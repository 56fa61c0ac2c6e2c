/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupMemberMetadataKey {
  readonly groupId: string
  readonly memberId: string
}

export function readConsumerGroupMemberMetadataKey(r: Reader, _version: number): ConsumerGroupMemberMetadataKey {
  const groupId = r.string(false)
  const memberId = r.string(false)
  return { groupId, memberId }
}

export function writeConsumerGroupMemberMetadataKey(w: Writer, value: Input<ConsumerGroupMemberMetadataKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
  w.string(value.memberId ?? '', false)
}
export const consumerGroupMemberMetadataKeyType = 5
export const consumerGroupMemberMetadataKeyVersions = { min: 0, max: 0 } as const
