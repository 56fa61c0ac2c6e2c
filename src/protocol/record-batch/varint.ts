/**
 * Zigzag varints as the records of a batch use them: small magnitudes of either sign take few bytes, seven bits a byte,
 * lowest first. Varlongs are plain numbers here: safe integers only.
 */

/** Bytes that a 32-bit integer takes. */
export function varintSize(value: number): number {
  const zigzag = ((value << 1) ^ (value >> 31)) >>> 0
  if (zigzag < 0x80) return 1
  if (zigzag < 0x4000) return 2
  if (zigzag < 0x200000) return 3
  return zigzag < 0x10000000 ? 4 : 5
}

/** Bytes that a safe integer takes. */
export function varlongSize(value: number): number {
  if (value === (value | 0)) return varintSize(value)
  let rest = zigzagOf(value)
  let size = 1
  for (; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

/** Returns the position behind what was written. */
export function writeVarint(target: Uint8Array, at: number, value: number): number {
  let to = at
  let zigzag = (value << 1) ^ (value >> 31)
  while ((zigzag & ~127) !== 0) {
    target[to++] = (zigzag & 127) | 128
    zigzag >>>= 7
  }
  target[to++] = zigzag
  return to
}

/** Returns the position behind what was written. */
export function writeVarlong(target: Uint8Array, at: number, value: number): number {
  if (value === (value | 0)) return writeVarint(target, at, value)
  let to = at
  let rest = zigzagOf(value)
  while (rest >= 128) {
    target[to++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  target[to++] = rest
  return to
}

/** Without bit operations: they would cut at 32 bits. Exact up to half the safe range, which no timestamp reaches. */
function zigzagOf(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}
