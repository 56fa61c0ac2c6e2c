/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import { type Reader, readScalars, scalar } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupRegularExpressionValue {
  readonly topics: readonly string[]
  readonly version: bigint
  readonly timestamp: bigint
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupRegularExpressionValue(r: Reader, _version: number): ConsumerGroupRegularExpressionValue {
  const topics = readScalars(r, true, 1, scalar.string)
  const versionField = r.int64()
  const timestamp = r.int64()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { topics, version: versionField, timestamp } : { topics, version: versionField, timestamp, unknownTags }
}

export function writeConsumerGroupRegularExpressionValue(w: Writer, value: Input<ConsumerGroupRegularExpressionValue>, _version: number): void {
  {
    const v = value.topics === undefined ? [] : value.topics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.int64(value.version ?? 0n)
  w.int64(value.timestamp ?? 0n)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const consumerGroupRegularExpressionValueType = 16
export const consumerGroupRegularExpressionValueVersions = { min: 0, max: 0 } as const
