/** W1: one partition, handlers that wait 5 ms, key order. */
import type { Entry, Workload } from '../core/workload.ts'
import { waiting } from './waiting.ts'

const contenders: readonly Entry[] = [
  { name: 'ours' },
  { name: 'pc' },
  { name: 'kafkajs-plimit' },
  // A hundredth of the others' speed: a tenth of the records tells it as well.
  { name: 'one-at-a-time', part: 0.1 },
]

export const keyOrder: Workload = {
  id: 'W1',
  title: 'Key order, one partition, handlers that wait 5 ms',
  what: `20,000 records of one partition; every handler waits 5 ms, as for a database; records of one key one after the other. The
time ends when the group's committed offset is at the end of the log. Keys come equally often, by Zipf's law (the hottest of 1,000
keys has one record in seven or eight: no schedule can be faster than that one lane), or only once each (then key order is free).`,
  variants({ quick }) {
    const records = quick ? 1_000 : 20_000
    const keys = quick ? 100 : 1_000
    const base = { partitions: 1, keys, records, valueBytes: 100 }
    const common = { order: 'key', handlerMs: 5, contenders } as const
    return [
      waiting({
        ...common,
        name: 'c100',
        title: 'concurrency 100, keys equally often',
        shape: { ...base, distribution: 'even' },
        concurrency: 100,
        brokers: ['kafka', 'embedded'],
      }),
      waiting({
        ...common,
        name: 'c1000',
        title: 'concurrency 1,000, keys equally often',
        shape: { ...base, distribution: 'even' },
        concurrency: 1_000,
        room: 20_000,
        brokers: ['kafka'],
      }),
      waiting({
        ...common,
        name: 'c100-zipf',
        title: 'concurrency 100, keys by Zipf’s law',
        shape: { ...base, distribution: 'zipf' },
        concurrency: 100,
        brokers: ['kafka'],
        contenders: contenders.filter(({ name }) => name !== 'one-at-a-time'),
      }),
      waiting({
        ...common,
        name: 'c100-distinct',
        title: 'concurrency 100, every key once',
        shape: { ...base, distribution: 'distinct' },
        concurrency: 100,
        brokers: ['kafka'],
        contenders: contenders.filter(({ name }) => name !== 'one-at-a-time'),
      }),
    ]
  },
}
