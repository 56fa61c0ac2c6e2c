/** The hash by which Kafka's own clients place keys: 32-bit murmur2 with their seed. Same key, same partition, in every language. */

const multiplier = 0x5bd1e995
const seed = 0x9747b28c

/** A signed 32-bit number, as in Java. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length
  let hash = seed ^ length
  let at = 0
  for (; at + 4 <= length; at += 4) {
    let word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    word = Math.imul(word, multiplier)
    word ^= word >>> 24
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier)
  }
  const left = length - at
  if (left > 0) {
    if (left > 2) hash ^= (bytes[at + 2] as number) << 16
    if (left > 1) hash ^= (bytes[at + 1] as number) << 8
    hash = Math.imul(hash ^ (bytes[at] as number), multiplier)
  }
  hash ^= hash >>> 13
  hash = Math.imul(hash, multiplier)
  return hash ^ (hash >>> 15)
}

/** Where a key belongs. The sign is cut off, not negated, as the Java client does it. */
export function partitionOfKey(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitions
}
