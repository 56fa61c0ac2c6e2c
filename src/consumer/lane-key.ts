/** Names of lanes: inside, one latin1 character a byte, so that any bytes are a name; outside, something to read. */
import { isUtf8 } from 'node:buffer'
import type { KernelSnapshot, PartitionSnapshot } from '../kernel/snapshot.ts'
import { codeOf, messageOf } from './error-text.ts'

export function laneKeyOf(key: string | Buffer): string {
  return (typeof key === 'string' ? Buffer.from(key) : key).toString('latin1')
}

/** Text where the bytes are text, else `base64:…`. */
export function readable(key: string): string {
  if (isAscii(key)) return key
  const bytes = Buffer.from(key, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : `base64:${bytes.toString('base64')}`
}

/** The same characters in both: nearly all keys, and there may be thousands to show. */
function isAscii(key: string): boolean {
  for (let at = 0; at < key.length; at++) if (key.charCodeAt(at) > 0x7f) return false
  return true
}

/** An error as text: a picture is plain data, and goes to places where secrets must not. */
function whyOf(why: unknown): string | null {
  if (why === null || why === undefined) return null
  return typeof why === 'string' ? why : `${codeOf(why)}: ${messageOf(why)}`
}

/** The same snapshot with keys that people can read. */
export function withReadableKeys(snapshot: KernelSnapshot): KernelSnapshot {
  return {
    ...snapshot,
    partitions: snapshot.partitions.map(readablePartition),
    lanes: {
      ...snapshot.lanes,
      hottest: snapshot.lanes.hottest.map((lane) => ({ ...lane, key: readable(lane.key) })),
    },
  }
}

/** The same picture of one. */
export function readablePartition(partition: PartitionSnapshot): PartitionSnapshot {
  const { blocking, parked } = partition
  if (blocking === null && parked.length === 0) return partition
  return {
    ...partition,
    blocking: blocking && {
      ...blocking,
      key: blocking.key === null ? null : readable(blocking.key),
      why: whyOf(blocking.why),
    },
    parked: parked.map((each) => ({
      ...each,
      key: each.key === null ? null : readable(each.key),
      why: whyOf(each.why),
    })),
  }
}
