/** W2: the same as W1 without any order. */
import type { Entry, Workload } from '../core/workload.ts'
import { waiting } from './waiting.ts'

const contenders: readonly Entry[] = [
  { name: 'ours' },
  { name: 'pc' },
  { name: 'share' },
  { name: 'kafkajs-plimit' },
  { name: 'one-at-a-time', part: 0.1 },
]

export const noOrder: Workload = {
  id: 'W2',
  title: 'No order, one partition, handlers that wait 5 ms',
  what: `As W1, but any record may run at any time: what a share group is for.`,
  variants({ quick }) {
    const shape = {
      records: quick ? 1_000 : 20_000,
      partitions: 1,
      keys: quick ? 100 : 1_000,
      distribution: 'even',
      valueBytes: 100,
    } as const
    const common = { order: 'none', handlerMs: 5, shape, brokers: ['kafka'] } as const
    return [
      waiting({ ...common, name: 'c100', title: 'concurrency 100', concurrency: 100, contenders }),
      waiting({
        ...common,
        name: 'c1000',
        title: 'concurrency 1,000',
        concurrency: 1_000,
        room: 20_000,
        contenders: contenders.filter(({ name }) => name !== 'one-at-a-time'),
      }),
    ]
  },
}
