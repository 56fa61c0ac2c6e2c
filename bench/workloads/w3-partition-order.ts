/** W3: eight partitions, each in its own order. */
import type { Workload } from '../core/workload.ts'
import { waiting } from './waiting.ts'

export const partitionOrder: Workload = {
  id: 'W3',
  title: 'Partition order, eight partitions, handlers that wait 5 ms',
  what: `One record of each partition at a time, eight in all. Whoever fills its buffer from one partition leaves the others without
work.`,
  variants({ quick }) {
    const shape = {
      records: quick ? 400 : 8_000,
      partitions: 8,
      keys: 1_000,
      distribution: 'even',
      valueBytes: 100,
    } as const
    return [
      waiting({
        name: 'p8',
        title: '8 partitions, concurrency 100',
        order: 'partition',
        handlerMs: 5,
        concurrency: 100,
        shape,
        brokers: ['kafka'],
        contenders: [
          { name: 'ours' },
          { name: 'pc', part: 0.5 },
          { name: 'pc-room' },
          { name: 'kafkajs' },
          { name: 'platformatic', part: 0.125 },
          { name: 'confluent', part: 0.125 },
          { name: 'java', part: 0.125 },
          { name: 'one-at-a-time', part: 0.125 },
        ],
      }),
    ]
  },
}
