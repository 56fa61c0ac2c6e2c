import type { BitReader, BitWriter } from './bits.ts'
import type { RunCosts } from './run-cost.ts'
import type { Tail } from './runs.ts'

/** One way to write runs as bits. Its end must follow from the bits: zeros may come after them. */
export interface Codec {
  readonly id: number
  readonly name: string
  /** The bits that `write` will need, or up to 3 fewer; far cheaper to know, so that losers are not even started. */
  leastBits(tail: Tail, costs: RunCosts): number
  /** false: stopped early because `out` has overflowed, and what is in it is worthless. */
  write(tail: Tail, out: BitWriter): boolean
  /** null: these bits were not written by `write`. Never builds more runs than the bits (or RUNS_MAX) allow. */
  read(bits: BitReader): number[] | null
}
