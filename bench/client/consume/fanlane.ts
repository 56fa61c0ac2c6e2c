/** The whole parallel consumer, with its defaults: a group, key order, a hundred at a time, commits with offset maps. */
import type { consume as Consume } from '../../../src/index.ts'
import type { Contestant } from '../contestants.ts'
import type { Task } from '../task.ts'

export async function fanlane(
  { brokers, topic, group, build }: Task,
  touched: 'nothing' | 'key and value',
): Promise<Contestant> {
  const { consume } = (await import(`${build}/index.js`)) as { consume: typeof Consume }
  return {
    consume: async (ledger) => {
      let bytes = 0
      const consumer = await consume({
        brokers,
        group,
        topics: [topic],
        order: 'key',
        concurrency: 100,
        handle:
          touched === 'nothing'
            ? ({ partition, offset }) => ledger.see(partition, offset)
            : ({ partition, offset, key, value }) => {
                bytes += (key?.length ?? 0) + (key?.[0] ?? 0) + (value?.length ?? 0) + (value?.[0] ?? 0)
                ledger.see(partition, offset)
              },
      })
      consumer.on('error', (error) => ledger.fail(error))
      consumer.on('committed', (entries) => {
        for (const { partition, position } of entries) ledger.commit(partition, position)
      })
      await ledger.all()
      await consumer.commit()
      await ledger.allCommitted()
      if (touched !== 'nothing' && bytes === 0) throw new Error('no record had a key or a value')
    },
  }
}
