/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import { Writer } from '../writer.ts'

export interface OffsetCommitValue {
  readonly offset: bigint
  readonly leaderEpoch: number // v3+
  readonly metadata: string
  readonly commitTimestamp: bigint
  readonly expireTimestamp: bigint // v1–1
  readonly topicId: Uuid // v4+, tag 0
  readonly unknownTags?: readonly UnknownTag[]
}

export function readOffsetCommitValue(r: Reader, version: number): OffsetCommitValue {
  const flexible = version >= 4
  const offset = r.int64()
  const leaderEpoch = version >= 3 ? r.int32() : -1
  const metadata = r.string(flexible)
  const commitTimestamp = r.int64()
  const expireTimestamp = version >= 1 && version <= 1 ? r.int64() : -1n
  let topicId: Uuid = zeroUuid
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      switch (tag) {
        case 0:
          topicId = r.uuid()
          break
        default:
          unknownTags = r.unknownTag(tag, end, unknownTags)
      }
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { offset, leaderEpoch, metadata, commitTimestamp, expireTimestamp, topicId } : { offset, leaderEpoch, metadata, commitTimestamp, expireTimestamp, topicId, unknownTags }
}

export function writeOffsetCommitValue(w: Writer, value: Input<OffsetCommitValue>, version: number): void {
  const flexible = version >= 4
  w.int64(value.offset ?? 0n)
  if (version >= 3) {
    w.int32(value.leaderEpoch ?? -1)
  }
  w.string(value.metadata ?? '', flexible)
  w.int64(value.commitTimestamp ?? 0n)
  if (version >= 1 && version <= 1) {
    w.int64(value.expireTimestamp ?? -1n)
  }
  if (flexible) {
    let count = value.unknownTags?.length ?? 0
    const has0 = value.topicId !== undefined && value.topicId !== zeroUuid
    if (has0) count++
    w.uvarint(count)
    let next = 0
    next = w.unknownTags(value.unknownTags, next, 0)
    if (has0 && value.topicId !== undefined) {
      const outer = w
      {
        const w = new Writer()
        const v = value.topicId
        w.uuid(v)
        outer.tagged(0, w)
      }
    }
    w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)
  }
}
export const offsetCommitValueType = 1
export const offsetCommitValueVersions = { min: 0, max: 4 } as const
