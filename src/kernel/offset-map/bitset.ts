import type { BitReader, BitWriter } from './bits.ts'
import type { Codec } from './codec.ts'
import { runAt, type Tail } from './runs.ts'

/**
 * One bit for each offset after the commit position: 1 = finished. The position itself is unfinished by definition and
 * costs nothing, and the last bit is a 1 by definition, so no length is stored: zeros after the last 1 are padding.
 * Nothing beats it when every record is a coin toss.
 */
export const bitset: Codec = {
  id: 1,
  name: 'bitset',

  leastBits(tail: Tail): number {
    return tail.span - 1
  },

  write(tail: Tail, out: BitWriter): boolean {
    out.fill(0, tail.head - 1)
    for (let i = tail.from + 1; i < tail.runs.length; i++) out.fill((i - tail.from) % 2, runAt(tail, i))
    return true
  },

  read(bits: BitReader): number[] | null {
    const runs: number[] = []
    let length = 1
    let previous = 0
    while (bits.left > 0) {
      const bit = bits.bit()
      if (bit === previous) {
        length++
      } else {
        runs.push(length)
        length = 1
        previous = bit
      }
    }
    if (previous === 1) runs.push(length)
    return runs
  },
}
