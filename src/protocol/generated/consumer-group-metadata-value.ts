/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import { Writer } from '../writer.ts'

export interface ConsumerGroupMetadataValue {
  readonly epoch: number
  readonly metadataHash: bigint // tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readConsumerGroupMetadataValue(r: Reader, _version: number): ConsumerGroupMetadataValue {
  const epoch = r.int32()
  let metadataHash: bigint = 0n
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    switch (tag) {
      case 0:
        metadataHash = r.int64()
        break
      default:
        unknownTags = r.unknownTag(tag, end, unknownTags)
    }
    r.closeTag(end)
  }
  return unknownTags === undefined ? { epoch, metadataHash } : { epoch, metadataHash, unknownTags }
}

export function writeConsumerGroupMetadataValue(w: Writer, value: Input<ConsumerGroupMetadataValue>, _version: number): void {
  w.int32(value.epoch ?? 0)
  let count = value.unknownTags?.length ?? 0
  const has0 = value.metadataHash !== undefined && value.metadataHash !== 0n
  if (has0) count++
  w.uvarint(count)
  let next = 0
  next = w.unknownTags(value.unknownTags, next, 0)
  if (has0 && value.metadataHash !== undefined) {
    const outer = w
    {
      const w = new Writer()
      const v = value.metadataHash
      w.int64(v)
      outer.tagged(0, w)
    }
  }
  w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
}
export const consumerGroupMetadataValueType = 3
export const consumerGroupMetadataValueVersions = { min: 0, max: 0 } as const
