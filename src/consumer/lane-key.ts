/** Names of lanes: inside, one latin1 character a byte, so that any bytes are a name; outside, something to read. */
import { isUtf8 } from 'node:buffer'
import type { KernelSnapshot, PartitionSnapshot } from '../kernel/snapshot.ts'

export function laneKeyOf(key: string | Buffer): string {
  return (typeof key === 'string' ? Buffer.from(key) : key).toString('latin1')
}

/** Text where the bytes are text, else `base64:…`. */
function readable(key: string): string {
  const bytes = Buffer.from(key, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : `base64:${bytes.toString('base64')}`
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

function readablePartition(partition: PartitionSnapshot): PartitionSnapshot {
  const { blocking } = partition
  if (blocking === null || blocking.key === null) return partition
  return { ...partition, blocking: { ...blocking, key: readable(blocking.key) } }
}
