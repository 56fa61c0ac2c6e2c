/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupTargetAssignmentMetadataValue {
  readonly assignmentEpoch: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupTargetAssignmentMetadataValue(r: Reader, _version: number): ConsumerGroupTargetAssignmentMetadataValue {
  const assignmentEpoch = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { assignmentEpoch } : { assignmentEpoch, unknownTags }
}

export function writeConsumerGroupTargetAssignmentMetadataValue(w: Writer, value: Input<ConsumerGroupTargetAssignmentMetadataValue>, _version: number): void {
  w.int32(value.assignmentEpoch ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const consumerGroupTargetAssignmentMetadataValueType = 6
export const consumerGroupTargetAssignmentMetadataValueVersions = { min: 0, max: 0 } as const
