/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupTargetAssignmentMemberKey {
  readonly groupId: string
  readonly memberId: string
}

export function readConsumerGroupTargetAssignmentMemberKey(r: Reader, _version: number): ConsumerGroupTargetAssignmentMemberKey {
  const groupId = r.string(false)
  const memberId = r.string(false)
  return { groupId, memberId }
}

export function writeConsumerGroupTargetAssignmentMemberKey(w: Writer, value: Input<ConsumerGroupTargetAssignmentMemberKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
  w.string(value.memberId ?? '', false)
}
export const consumerGroupTargetAssignmentMemberKeyType = 7
export const consumerGroupTargetAssignmentMemberKeyVersions = { min: 0, max: 0 } as const
