/** KafkaJS with `eachBatch` and its own automatic commits. Looks at every offset. */
import type { Contestant } from '../contestants.ts'
import type { Task } from '../task.ts'

export async function kafkaJs({ brokers, topic, group }: Task): Promise<Contestant> {
  const { Kafka, logLevel } = (await import('kafkajs')).default
  return {
    consume: async (ledger) => {
      const kafka = new Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: logLevel.ERROR })
      const consumer = kafka.consumer({ groupId: group })
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        // Otherwise it starts itself again.
        if (!payload.restart) ledger.fail(payload.error)
      })
      consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
        for (const { partitions } of payload.topics) {
          for (const { partition, offset } of partitions) ledger.commit(Number(partition), Number(offset))
        }
      })
      await consumer.connect()
      await consumer.subscribe({ topics: [topic], fromBeginning: true })
      await consumer.run({
        eachBatch: async ({ batch }) => {
          for (const { offset } of batch.messages) ledger.see(batch.partition, Number(offset))
        },
      })
      await ledger.all()
      await ledger.allCommitted()
    },
  }
}
