import type { BitReader, BitWriter } from './bits.ts'

/**
 * A binary arithmetic coder: each yes/no decision narrows an interval in proportion to how likely it was, so a sure
 * guess costs almost nothing and a surprise costs what it is worth. The interval is 31 bits wide, so that its ends stay
 * small integers for the JavaScript engine, and renormalises bit by bit, so that it never shrinks below 2^29: a
 * probability as small as 2^-20 still keeps nine exact bits.
 *
 * `ones` / `total` is the estimated probability of a 1. Callers keep 0 < ones < total ≤ 2^21: the product below then
 * stays under 2^53, and encoder and decoder round alike on every machine.
 */
export interface Decider {
  /** The encoder writes `bit` and answers it; the decoder ignores it and answers what it read. */
  decide(bit: number, ones: number, total: number): number
}

const TOP = 2 ** 30
const HALF = 2 ** 29
const QUARTER = 2 ** 28

export class RangeEncoder implements Decider {
  readonly #out: BitWriter
  #low = 0
  #high: number = TOP - 1
  /** Bits owed: the interval straddles the middle, so their value is known only with the next bit. */
  #owed = 0

  constructor(out: BitWriter) {
    this.#out = out
  }

  decide(bit: number, ones: number, total: number): number {
    const split = this.#low + ((((this.#high - this.#low + 1) * ones) / total) | 0)
    if (bit !== 0) this.#high = split - 1
    else this.#low = split
    for (;;) {
      if (this.#high < HALF) {
        this.#emit(0)
      } else if (this.#low >= HALF) {
        this.#emit(1)
        this.#low -= HALF
        this.#high -= HALF
      } else if (this.#low >= QUARTER && this.#high < HALF + QUARTER) {
        this.#owed++
        this.#low -= QUARTER
        this.#high -= QUARTER
      } else {
        return bit
      }
      this.#low *= 2
      this.#high = this.#high * 2 + 1
    }
  }

  /** Two bits name a quarter that lies inside the interval whatever follows. */
  finish(): void {
    this.#owed++
    this.#emit(this.#low < QUARTER ? 0 : 1)
  }

  #emit(bit: number): void {
    this.#out.bit(bit)
    this.#out.fill(1 - bit, this.#owed)
    this.#owed = 0
  }
}

export class RangeDecoder implements Decider {
  readonly #in: BitReader
  #low = 0
  #high: number = TOP - 1
  #value: number

  constructor(bits: BitReader) {
    this.#in = bits
    this.#value = bits.bits(30)
  }

  decide(_bit: number, ones: number, total: number): number {
    const split = this.#low + ((((this.#high - this.#low + 1) * ones) / total) | 0)
    const bit = this.#value < split ? 1 : 0
    if (bit !== 0) this.#high = split - 1
    else this.#low = split
    for (;;) {
      let shift = 0
      if (this.#low >= HALF) shift = HALF
      else if (this.#low >= QUARTER && this.#high < HALF + QUARTER) shift = QUARTER
      else if (this.#high >= HALF) return bit
      this.#low = (this.#low - shift) * 2
      this.#high = (this.#high - shift) * 2 + 1
      this.#value = (this.#value - shift) * 2 + this.#in.bit()
    }
  }
}
