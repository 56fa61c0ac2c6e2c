/** W9: ten times the partitions, ten times the keys: does a record cost the same? */
import type { Shape } from '../core/plan.ts'
import type { Variant, Workload } from '../core/workload.ts'

const timeoutMs = 300_000

function variantOf(partitions: number, keys: number, records: number): Variant {
  const shape: Shape = { records, partitions, keys, distribution: 'even', valueBytes: 100 }
  const many = (count: number): string => count.toLocaleString('en')
  return {
    name: `p${partitions}-k${keys}`,
    title: `${many(partitions)} partitions, ${many(keys)} keys`,
    order: 'key',
    brokers: ['kafka'],
    contenders: [{ name: 'ours-reading' }],
    records,
    seconds: 15,
    about: { records, partitions, keys, concurrency: 100 },
    prepare: async (stage) => {
      await stage.filled(shape)
    },
    measure: async (stage, contender) =>
      stage.run(contender, await stage.filled(shape), { order: 'key', concurrency: 100, handlerMs: 0 }, timeoutMs),
  }
}

export const growth: Workload = {
  id: 'W9',
  title: 'Growth: partitions and keys × 10',
  what: `A handler that does nothing but read a number, in one process: 10, 100 and 1,000 partitions with 100,000 keys, then 10,000,
100,000 and 1,000,000 keys on 100 partitions. Cost is CPU time for a record, without connecting and joining being left out.`,
  variants({ quick }) {
    const records = quick ? 20_000 : 1_000_000
    const part = quick ? 0.02 : 1
    const sizes = [
      [10, 100_000],
      [100, 100_000],
      [1_000, 100_000],
      [100, 10_000],
      [100, 1_000_000],
    ] as const
    return sizes.map(([partitions, keys]) =>
      variantOf(quick ? Math.max(1, partitions / 10) : partitions, Math.round(keys * part), records),
    )
  },
}
