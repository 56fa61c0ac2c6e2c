import { bitset } from './bitset.ts'
import type { Codec } from './codec.ts'
import { range, rangeLooksBack } from './range.ts'
import { runCosts } from './run-cost.ts'
import { runLength } from './run-length.ts'
import type { Tail } from './runs.ts'

/** Cheapest to decode first: that order breaks ties. An id is stored in commits and never changes its meaning. */
export const CODECS: readonly Codec[] = [runLength, bitset, range, rangeLooksBack]

/** For each codec, the payload bits it will need, or up to 3 fewer. */
export function leastBits(tail: Tail): readonly number[] {
  const costs = runCosts(tail)
  return CODECS.map((codec) => codec.leastBits(tail, costs))
}
