import { type BitReader, type BitWriter, bitWidth } from './bits.ts'
import type { Codec } from './codec.ts'
import { runAt, type Tail } from './runs.ts'

/**
 * Each run as a varint of 4-bit groups: one "more follows" bit and three bits of the length, low group first. Groups of
 * four, not of eight, because most runs are short. Wins for a handful of runs, where an adaptive coder has not yet
 * learned anything. A run is never 0, so a zero group can only be the padding at the end.
 */
export const runLength: Codec = {
  id: 0,
  name: 'run-length',

  leastBits(tail: Tail): number {
    let groups = 0
    for (let i = tail.from; i < tail.runs.length; i++) groups += Math.ceil(bitWidth(runAt(tail, i)) / 3)
    return 4 * groups
  },

  write(tail: Tail, out: BitWriter): boolean {
    for (let i = tail.from; i < tail.runs.length; i++) {
      if (out.overflowed) return false
      let left = runAt(tail, i)
      while (left >= 8) {
        out.bits(8 + (left % 8), 4)
        left = Math.floor(left / 8)
      }
      out.bits(left, 4)
    }
    return true
  },

  read(bits: BitReader): number[] | null {
    const runs: number[] = []
    while (bits.left >= 4) {
      let length = 0
      let scale = 1
      let group = bits.bits(4)
      // Past 2^53 the sum is only approximate: the caller's check of the span refuses it.
      for (; group >= 8 && bits.left >= 4; group = bits.bits(4)) {
        length += (group - 8) * scale
        scale *= 8
      }
      if (group >= 8) return null
      length += group * scale
      if (length === 0) break
      runs.push(length)
    }
    return runs
  },
}
