import { type BitReader, type BitWriter, bitWidth } from './bits.ts'
import type { Codec } from './codec.ts'
import { RangeDecoder, RangeEncoder } from './range-coder.ts'
import type { RunCosts } from './run-cost.ts'
import { RunModel } from './run-model.ts'
import { RUNS_MAX, runAt, runCount, type Tail } from './runs.ts'

/**
 * Run lengths through the range coder: the number of pairs (Elias gamma), then the coded runs.
 *
 * Why 64 spare characters are enough for X5, even at 6 bits each (384 bits). Let a map cost C bits and the position move
 * over its first runs.
 *  1. The model counts and never forgets, so a sequence's cost is the same in any order. Put the runs that stay in
 *     front: the whole then costs what they cost, plus the removed ones, which cost at least 0. So removing runs never
 *     makes the payload longer.
 *  2. At most three of the runs that stay are coded differently than before: the first, if the position stops inside
 *     it, and with `looksBack` the two after it, whose look back now ends early. Coding one run afresh costs at most
 *     20 bits for the surprise (log2 of twice RUNS_MAX / 2 sightings; along the unary chain the odds telescope, so it is
 *     paid once), 24 + 5 bits for untouched exponent steps, and 52 bits below the leading one: 101. Guessed bits with
 *     misleading counts do not add to that, as they need many sightings of this exponent, and those make the chain
 *     cheap. Together at most 303.
 *  3. The base grows by at most 53 bits. The number of pairs falls. The coder's end costs 2 bits, rounding inside it less
 *     than 1, padding less than one character.
 * The sum is at most 364, below 384. Run-length and bitset only get shorter, but for the base. The winner for the rest is
 * at most as long as the rest under the whole's winner, so the bound holds for the chooser too.
 */
function rangeCodec(id: number, name: string, looksBack: boolean): Codec {
  return {
    id,
    name,

    leastBits(tail: Tail, costs: RunCosts): number {
      // The coder's own rounding can win a fraction of a bit: a floor must be below that too.
      return 2 * bitWidth(runCount(tail) / 2) - 2 + (looksBack ? costs.lookingBack : costs.alone)
    },

    write(tail: Tail, out: BitWriter): boolean {
      const pairs = runCount(tail) / 2
      out.bits(pairs, 2 * bitWidth(pairs) - 1)
      const coder = new RangeEncoder(out)
      const model = new RunModel(coder, looksBack)
      for (let i = tail.from; i < tail.runs.length; i += 2) {
        if (out.overflowed) return false
        model.run(0, runAt(tail, i))
        model.run(1, runAt(tail, i + 1))
      }
      coder.finish()
      return true
    },

    read(bits: BitReader): number[] | null {
      let width = 1
      for (; bits.bit() === 0; width++) if (2 ** width > RUNS_MAX) return null
      const pairs = 2 ** (width - 1) + bits.bits(width - 1)
      if (2 * pairs > RUNS_MAX) return null
      const model = new RunModel(new RangeDecoder(bits), looksBack)
      const runs: number[] = []
      // A hostile text can claim enormous runs: stop where the sum leaves the safe integers.
      for (let span = 0; runs.length < 2 * pairs; ) {
        const length = model.run(runs.length % 2, 0)
        span += length
        if (span > Number.MAX_SAFE_INTEGER) return null
        runs.push(length)
      }
      return runs
    },
  }
}

export const range: Codec = rangeCodec(2, 'range', false)
export const rangeLooksBack: Codec = rangeCodec(3, 'range-looks-back', true)
