import { bitWidth } from './bits.ts'
import { CLASSES, EXPONENTS, GUESSED_BITS, shiftedRight, UNARY_MAX, WIDE_EXPONENT_BITS } from './run-model.ts'
import { RUNS_MAX, runAt, runCount, type Tail } from './runs.ts'

const LEAVES: number = 2 ** GUESSED_BITS
/** Exponents 0 … UNARY_MAX and, behind them, their sum: most chains of a small map are empty and skipped. */
const TOTAL: number = UNARY_MAX + 1
const CHAIN: number = TOTAL + 1
const CONTEXTS: number = CLASSES * CLASSES

/**
 * What `RunModel` will cost in bits, without coding. The model only counts, so the cost is a function of the final
 * counts: one quick pass over the runs and a sum of logarithms, several times faster than the range coder, which comes
 * within 3 bits of it. The chooser asks here first, and the size guard searches with it; whatever wins is then really
 * encoded and measured.
 */
export interface RunCosts {
  readonly alone: number
  readonly lookingBack: number
}

export function runCosts(tail: Tail): RunCosts {
  if (runCount(tail) > RUNS_MAX) return { alone: Number.POSITIVE_INFINITY, lookingBack: Number.POSITIVE_INFINITY }
  const exponents = new Uint32Array(2 * CONTEXTS * CHAIN)
  const leaves = new Uint32Array(2 * EXPONENTS * LEAVES)
  let plainBits = 0
  let longest = 0
  let previous = 0
  let beforeThat = 0
  for (let i = tail.from, kind = 0; i < tail.runs.length; i++, kind = 1 - kind) {
    const length = runAt(tail, i)
    const exponent = bitWidth(length) - 1
    const chain = (kind * CONTEXTS + previous * CLASSES + beforeThat) * CHAIN
    exponents[chain + TOTAL]!++
    beforeThat = previous
    previous = exponent < CLASSES ? exponent : CLASSES - 1
    if (exponent < UNARY_MAX) {
      exponents[chain + exponent]!++
    } else {
      exponents[chain + UNARY_MAX]!++
      plainBits += WIDE_EXPONENT_BITS
    }
    if (exponent === 0) continue
    if (exponent > longest) longest = exponent
    const plain = exponent > GUESSED_BITS ? exponent - GUESSED_BITS : 0
    plainBits += plain
    const leaf = shiftedRight(length, plain) & ((1 << (exponent - plain)) - 1)
    leaves[(kind * EXPONENTS + exponent) * LEAVES + leaf]!++
  }
  const below = plainBits + treeCosts(leaves, longest)
  return { alone: below + chainCosts(summed(exponents)), lookingBack: below + chainCosts(exponents) }
}

/** The counts of all contexts together, for each kind of run. */
function summed(exponents: Uint32Array): Uint32Array {
  const sums = new Uint32Array(2 * CHAIN)
  for (let first = 0; first < exponents.length; first += CHAIN) {
    if (exponents[first + TOTAL] === 0) continue
    const kind = first < CONTEXTS * CHAIN ? 0 : CHAIN
    for (let at = 0; at < CHAIN; at++) sums[kind + at]! += exponents[first + at]!
  }
  return sums
}

/** "Longer still?" chains: step j was asked by every run of exponent j or more. */
function chainCosts(exponents: Uint32Array): number {
  let bits = 0
  for (let first = 0; first < exponents.length; first += CHAIN) {
    if (exponents[first + TOTAL] === 0) continue
    let longer = exponents[first + UNARY_MAX]!
    for (let step = UNARY_MAX - 1; step >= 0; step--) {
      const stops = exponents[first + step]!
      if (stops + longer > 0) bits += surpriseOf(stops, longer, 0.5)
      longer += stops
    }
  }
  return bits
}

/** Guessed bits: a binary tree for each exponent, folded in place from the leaves to the root. */
function treeCosts(leaves: Uint32Array, longest: number): number {
  let bits = 0
  for (let first = 0; first < leaves.length; first += LEAVES) {
    const exponent = (first / LEAVES) % EXPONENTS
    if (exponent > longest) continue
    for (let width = 2 ** Math.min(exponent, GUESSED_BITS); width > 1; width /= 2) {
      for (let at = 0; at < width; at += 2) {
        const zeros = leaves[first + at]!
        const ones = leaves[first + at + 1]!
        if (zeros + ones > 0) bits += surpriseOf(zeros, ones, 2)
        leaves[first + at / 2] = zeros + ones
      }
    }
  }
  return bits
}

/** Bits for so many decisions of one sort and the other, in any order, from `prior` imagined sightings of each. */
function surpriseOf(a: number, b: number, prior: number): number {
  const start = prior === 0.5 ? Math.log(Math.PI) : -Math.log(6) // 2 logGamma(prior) - logGamma(2 prior)
  return (logGamma(a + b + 2 * prior) - logGamma(a + prior) - logGamma(b + prior) + start) / Math.LN2
}

/** Stirling's series; small arguments are first moved to where it is exact to 1e-9. */
function logGamma(x: number): number {
  let product = 1
  for (; x < 8; x++) product *= x
  const inverse = 1 / x
  const series = inverse * (1 / 12 - inverse * inverse * (1 / 360 - (inverse * inverse) / 1260))
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
}
