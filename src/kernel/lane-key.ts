/** Which lane a record belongs to. */
import type { FetchedBatch } from './events.ts'
import { hashKey } from './lane-hash.ts'
import type { KernelOptions } from './options.ts'

/** Where `order: 'partition'` puts everything. */
const PARTITION_LANE = '*'

/** Keys are latin1 strings, one byte a character, so this can be none of them. */
const NULL_LANE = '\u{ffff}'

/** The key of one record, however its batch keeps them; null: it has none. */
export function keyAt(batch: FetchedBatch | null | undefined, index: number): string | null {
  if (!batch) return null
  return batch.keyAt === undefined ? (batch.keys[index] ?? null) : batch.keyAt(index)
}

/** The lane that a record with this key belongs to; null: none. */
export function laneKey(options: KernelOptions, key: string | null): string | null {
  if (options.order === 'none') return null
  if (options.order === 'partition') return PARTITION_LANE
  // An empty key is a key; null is none.
  return key ?? (options.nullKeys === 'ordered' ? NULL_LANE : null)
}

/** The key that a lane stands for; null: it is the lane of a whole partition, or of the records that have no key. */
export function keyOfLane(options: KernelOptions, lane: string): string | null {
  return options.order !== 'key' || lane === NULL_LANE ? null : lane
}

/** The hash of every lane that is not a key's own. */
export const PARTITION_LANE_HASH: Int32Array = new Int32Array(2)
export const NULL_LANE_HASH: Int32Array = new Int32Array(2)
hashKey(PARTITION_LANE, PARTITION_LANE_HASH, 0)
hashKey(NULL_LANE, NULL_LANE_HASH, 0)
