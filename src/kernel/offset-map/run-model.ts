import { bitWidth } from './bits.ts'
import type { Decider } from './range-coder.ts'

/** Exponents below this are spelled in unary, each step with its own odds; the rest of a larger one in 5 plain bits. */
export const UNARY_MAX = 24
export const WIDE_EXPONENT_BITS = 5
export const EXPONENTS: number = UNARY_MAX + 2 ** WIDE_EXPONENT_BITS
/** So many bits below the leading one are guessed; the others are noise in every shape we measured. */
export const GUESSED_BITS = 3
const NODES: number = 2 ** GUESSED_BITS
/** Run-length classes told apart when the two runs before are looked at: 1, 2–3, 4–7, 8–15, 16–31, longer. */
export const CLASSES = 6

/**
 * What the coder believes about run lengths: for each kind of run, how often each exponent came (a chain of "longer
 * still?" decisions) and how the first bits below the leading one fell.
 *
 * Plain counts, never halved and never aged. Then the cost of a sequence depends on the counts alone and not on the
 * order, and X5 follows by arithmetic instead of by hope: see range.ts. The price is that a map whose start and
 * end differ in character is learned as one mixture; `looksBack` answers that by separate counts for each pair of
 * preceding classes.
 */
export class RunModel {
  readonly #decider: Decider
  readonly #looksBack: boolean
  readonly #exponents: Uint32Array
  readonly #mantissas: Uint32Array = new Uint32Array(2 * EXPONENTS * NODES * 2)
  #previous = 0
  #beforeThat = 0

  constructor(decider: Decider, looksBack: boolean) {
    this.#decider = decider
    this.#looksBack = looksBack
    this.#exponents = new Uint32Array(2 * (looksBack ? CLASSES * CLASSES : 1) * UNARY_MAX * 2)
  }

  /** Codes one run (kind 0 unfinished, 1 finished). One walk for both directions, so that they cannot disagree. */
  run(kind: number, length: number): number {
    const exponent = this.#exponent(kind, bitWidth(length) - 1)
    let value = 1
    for (let shift = exponent - 1; shift >= 0; shift--) {
      const bit = shiftedRight(length, shift) % 2
      const guessed = exponent - shift <= GUESSED_BITS
      value = value * 2 + (guessed ? this.#guess(kind, exponent, value, bit) : this.#decider.decide(bit, 1, 2))
    }
    this.#beforeThat = this.#previous
    this.#previous = Math.min(exponent, CLASSES - 1)
    return value
  }

  #exponent(kind: number, wanted: number): number {
    const context = this.#looksBack ? this.#previous * CLASSES + this.#beforeThat : 0
    const contexts = this.#looksBack ? CLASSES * CLASSES : 1
    const counts = this.#exponents
    let exponent = 0
    for (let at = (kind * contexts + context) * UNARY_MAX * 2; exponent < UNARY_MAX; exponent++, at += 2) {
      // Krichevsky–Trofimov: half a sighting of each answer to begin with. Sure things get cheap fast.
      const no = counts[at] ?? 0
      const yes = counts[at + 1] ?? 0
      const longer = this.#decider.decide(exponent < wanted ? 1 : 0, 2 * yes + 1, 2 * (no + yes) + 2)
      counts[at + longer] = (longer === 0 ? no : yes) + 1
      if (longer === 0) return exponent
    }
    for (let shift = WIDE_EXPONENT_BITS - 1; shift >= 0; shift--) {
      exponent += this.#decider.decide(((wanted - UNARY_MAX) >>> shift) & 1, 1, 2) << shift
    }
    return exponent
  }

  #guess(kind: number, exponent: number, prefix: number, bit: number): number {
    const at = ((kind * EXPONENTS + exponent) * NODES + prefix) * 2
    const counts = this.#mantissas
    // Two sightings of each answer to begin with: these bits are near even, and early luck should not mislead.
    const zeros = counts[at] ?? 0
    const ones = counts[at + 1] ?? 0
    const answer = this.#decider.decide(bit, ones + 2, zeros + ones + 4)
    counts[at + answer] = (answer === 0 ? zeros : ones) + 1
    return answer
  }
}

/** The lowest bits of value / 2^shift, also where value is wider than a shift can see. */
export function shiftedRight(value: number, shift: number): number {
  return value < 2 ** 32 ? value >>> shift : Math.floor(value / 2 ** shift)
}
