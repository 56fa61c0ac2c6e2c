/** @platformatic/kafka, idempotent, acknowledged by all. */
import type { Contestant } from '../contestants.ts'
import { type Task, totalOf } from '../task.ts'
import { load, sendAll } from './load.ts'

export async function platformaticProduce({ brokers, topic, ends }: Task): Promise<Contestant> {
  const { Producer } = await import('@platformatic/kafka')
  return {
    produce: async () => {
      const producer = new Producer({ clientId: 'bench', bootstrapBrokers: [...brokers], idempotent: true })
      await sendAll(totalOf(ends), (from, to) => producer.send({ messages: load(from, to, { topic }), acks: -1 }))
    },
  }
}
