/** Chance that a seed repeats: every run of a workload reads the same records. */

/** Numbers from 0 up to 1, without it. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Key k (from 0) comes in proportion to 1 ÷ (k + 1)^exponent, as users, products and devices do. */
export function zipfOf(keys: number, exponent: number, random: () => number): () => number {
  const upTo = new Float64Array(keys)
  let sum = 0
  for (let key = 0; key < keys; key++) {
    sum += (key + 1) ** -exponent
    upTo[key] = sum
  }
  return () => {
    const point = random() * sum
    let [low, high] = [0, keys - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 0) > point) high = middle
      else low = middle + 1
    }
    return low
  }
}
