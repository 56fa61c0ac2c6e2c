/** fanlane's producer with its defaults: idempotent, acknowledged by all. */
import type { createProducer as CreateProducer } from '../../../src/index.ts'
import type { Contestant } from '../contestants.ts'
import { type Task, totalOf } from '../task.ts'
import { load, sendAll } from './load.ts'

export async function fanlaneProduce({ brokers, topic, ends, build }: Task): Promise<Contestant> {
  const { createProducer } = (await import(`${build}/index.js`)) as { createProducer?: typeof CreateProducer }
  if (createProducer === undefined) throw new Error('the build has no createProducer')
  return {
    produce: async () => {
      const producer = await createProducer({ brokers })
      await sendAll(totalOf(ends), (from, to) => producer.send(load(from, to, { topic })))
      await producer.flush()
    },
  }
}
