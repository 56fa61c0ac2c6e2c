/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface OffsetCommitKey {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

export function readOffsetCommitKey(r: Reader, _version: number): OffsetCommitKey {
  const group = r.string(false)
  const topic = r.string(false)
  const partition = r.int32()
  return { group, topic, partition }
}

export function writeOffsetCommitKey(w: Writer, value: Input<OffsetCommitKey>, _version: number): void {
  w.string(value.group ?? '', false)
  w.string(value.topic ?? '', false)
  w.int32(value.partition ?? 0)
}
export const offsetCommitKeyType = 1
export const offsetCommitKeyVersions = { min: 0, max: 0 } as const
