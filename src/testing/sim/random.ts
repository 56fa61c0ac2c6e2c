/** Seeded chance. Each purpose has a stream of its own, so that one more fault does not change the workload. */

/** sfc32: small, fast, and good enough to explore with. Uniform in [0, 1). */
export function randomStream(seed: number, name: string): () => number {
  const hash = hasher(`${seed}/${name}`)
  let a = hash()
  let b = hash()
  let c = hash()
  let counter = 1
  const next = (): number => {
    const sum = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 4_294_967_296
  }
  // The first values of neighbouring seeds are still alike.
  for (let i = 0; i < 12; i++) next()
  return next
}

/** xmur3: a string to any number of 32-bit seeds. */
function hasher(text: string): () => number {
  let state = 1_779_033_703 ^ text.length
  for (let i = 0; i < text.length; i++) {
    state = Math.imul(state ^ text.charCodeAt(i), 3_432_918_353)
    state = (state << 13) | (state >>> 19)
  }
  return () => {
    state = Math.imul(state ^ (state >>> 16), 2_246_822_507)
    state = Math.imul(state ^ (state >>> 13), 3_266_489_909)
    state ^= state >>> 16
    return state
  }
}
