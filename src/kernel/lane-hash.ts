/**
 * Sixty-four bits that stand for the key of a lane, as two numbers, the same from the key's bytes and from its latin1
 * string. Clients compute them from the bytes while they read them; nobody has to make a string of a key before it is
 * looked at.
 *
 * One key never has two hashes, or it would have two lanes and lose its order. Two keys with the same hash share a lane:
 * they wait for each other, which costs time and never order. Of a million keys, that happens to none in ten million runs.
 */

const START_A = 0x2f0b4c47
const START_B = 0x6c8e9cf5
const PRIME_A = 0x01000193
const PRIME_B = 0x5bd1e995

export function hashKey(key: string, into: Int32Array, at: number): void {
  let a = START_A
  let b = START_B
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index)
    a = Math.imul(a ^ code, PRIME_A)
    b = Math.imul(((b << 5) | (b >>> 27)) ^ code, PRIME_B)
  }
  finish(a, b, key.length, into, at)
}

export function hashBytes(bytes: Uint8Array, start: number, end: number, into: Int32Array, at: number): void {
  let a = START_A
  let b = START_B
  for (let index = start; index < end; index++) {
    const code = bytes[index]!
    a = Math.imul(a ^ code, PRIME_A)
    b = Math.imul(((b << 5) | (b >>> 27)) ^ code, PRIME_B)
  }
  finish(a, b, end - start, into, at)
}

/** Of a record without a key. No key has it. */
export function hashNone(into: Int32Array, at: number): void {
  into[at] = 0
  into[at + 1] = 0
}

/** Every bit of the one reaches all bits of the other: the low ones decide where a search begins. */
function finish(a: number, b: number, length: number, into: Int32Array, at: number): void {
  const left = mixed(a ^ length ^ (b >>> 15))
  into[at] = left
  into[at + 1] = mixed(b ^ left) | 1
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  const twice = Math.imul(once ^ (once >>> 15), 0x2c1b3c6d)
  return twice ^ (twice >>> 16)
}
