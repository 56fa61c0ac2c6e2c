/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupCurrentMemberAssignmentKey {
  readonly groupId: string
  readonly memberId: string
}

export function readConsumerGroupCurrentMemberAssignmentKey(r: Reader, _version: number): ConsumerGroupCurrentMemberAssignmentKey {
  const groupId = r.string(false)
  const memberId = r.string(false)
  return { groupId, memberId }
}

export function writeConsumerGroupCurrentMemberAssignmentKey(w: Writer, value: Input<ConsumerGroupCurrentMemberAssignmentKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
  w.string(value.memberId ?? '', false)
}
export const consumerGroupCurrentMemberAssignmentKeyType = 8
export const consumerGroupCurrentMemberAssignmentKeyVersions = { min: 0, max: 0 } as const
