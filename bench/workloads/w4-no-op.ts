/** W4: a handler that does nothing: what the consumer itself costs, beside loops that have no order, no retries and no maps. */
import type { Distribution } from '../core/plan.ts'
import type { Entry, Variant, Workload } from '../core/workload.ts'

const timeoutMs = 300_000

const everybody: readonly Entry[] = [
  { name: 'ours' },
  { name: 'ours-reading' },
  { name: 'ours-bare' },
  { name: 'pc', part: 0.2 },
  { name: 'kafkajs' },
  { name: 'platformatic' },
  { name: 'platformatic-fetch' },
  { name: 'confluent' },
  { name: 'java' },
]

interface Size {
  readonly name: string
  readonly title: string
  readonly records: number
  readonly partitions: number
  readonly distribution: Distribution
  readonly brokers: Variant['brokers']
  readonly contenders: readonly Entry[]
}

function noOpVariant({ name, title, records, partitions, distribution, brokers, contenders }: Size): Variant {
  const keys = Math.min(records, 10_000)
  const shapeOf = ({ part = 1 }: Entry) => ({
    ...{ partitions, keys, distribution, valueBytes: 100 },
    records: Math.round(records * part),
  })
  return {
    name,
    title,
    order: 'key',
    brokers,
    contenders,
    records,
    about: { records, partitions, keys: `${keys} ${distribution}`, 'value bytes': 100, concurrency: 100 },
    seconds: 6,
    prepare: async (stage) => {
      for (const entry of contenders) await stage.filled(shapeOf(entry))
    },
    measure: async (stage, contender, entry) =>
      stage.run(
        contender,
        await stage.filled(shapeOf(entry)),
        { order: 'key', concurrency: 100, handlerMs: 0 },
        timeoutMs,
      ),
  }
}

export const noOp: Workload = {
  id: 'W4',
  title: 'A handler that does nothing',
  what: `A million records of 100 bytes with 10,000 keys. The parallel consumer in key order and with commits, beside the bare read
loops of every client. Our handler looks at the place of a record only; in the second line it reads a number from the value, as all
others do.`,
  variants({ quick }) {
    const records = quick ? 40_000 : 1_000_000
    const all = { records, contenders: everybody }
    return [
      noOpVariant({
        ...all,
        name: 'p8',
        title: '8 partitions, keys equally often',
        partitions: 8,
        distribution: 'even',
        brokers: ['kafka', 'embedded'],
      }),
      noOpVariant({
        ...all,
        name: 'p8-zipf',
        title: '8 partitions, keys by Zipf’s law',
        partitions: 8,
        distribution: 'zipf',
        brokers: ['kafka'],
        contenders: [{ name: 'ours' }, { name: 'pc', part: 0.2 }, { name: 'java' }],
      }),
      noOpVariant({
        ...all,
        name: 'p1',
        title: '1 partition, keys equally often',
        partitions: 1,
        distribution: 'even',
        brokers: ['kafka'],
      }),
    ]
  },
}
