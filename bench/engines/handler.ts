/** The handler of the engine benchmark: so many rounds of hashing for each record, none for a no-op. */
import { createHash } from 'node:crypto'

const rounds = Number(process.env.FANLANE_BENCH_ROUNDS ?? 0)
const block = Buffer.alloc(1_024, 7)

export function hash(value: Uint8Array | null, times: number = rounds): void {
  if (times === 0) return
  const sum = createHash('sha256')
  for (let round = 0; round < times; round++) sum.update(block)
  sum.update(value ?? block).digest()
}

export default ({ value }: { readonly value: Buffer | null }): void => hash(value)
