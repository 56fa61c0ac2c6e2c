/**
 * Which worker keeps a key: the one with the highest score of (key, slot) among those that are there. When a worker goes,
 * only its own keys move; when it is back, they return.
 */

export function keeperOf(key: string, isThere: readonly boolean[]): number | null {
  const hash = hashOf(key)
  let best: number | null = null
  let highest = -1
  for (const [slot, there] of isThere.entries()) {
    if (!there) continue
    const score = mixed(hash ^ Math.imul(slot + 1, 0x9e3779b1))
    if (score <= highest) continue
    highest = score
    best = slot
  }
  return best
}

/** FNV-1a. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash
}

/** Every bit of the input moves every bit of the output, so that slots share keys evenly. */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
