/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface GroupMetadataKey {
  readonly group: string
}

export function readGroupMetadataKey(r: Reader, _version: number): GroupMetadataKey {
  const group = r.string(false)
  return { group }
}

export function writeGroupMetadataKey(w: Writer, value: Input<GroupMetadataKey>, _version: number): void {
  w.string(value.group ?? '', false)
}
export const groupMetadataKeyType = 2
export const groupMetadataKeyVersions = { min: 0, max: 0 } as const
