/** KafkaJS, idempotent. It allows one request at a time for each partition then, whatever is sent at once. */
import type { Contestant } from '../contestants.ts'
import { type Task, totalOf } from '../task.ts'
import { load, sendAll } from './load.ts'

export async function kafkaJsProduce({ brokers, topic, ends }: Task): Promise<Contestant> {
  const { Kafka, Partitioners, logLevel } = (await import('kafkajs')).default
  return {
    produce: async () => {
      const kafka = new Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: logLevel.ERROR })
      const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner })
      await producer.connect()
      await sendAll(totalOf(ends), (from, to) => producer.send({ topic, acks: -1, messages: load(from, to, {}) }))
    },
  }
}
