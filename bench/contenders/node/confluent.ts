/** Confluent's client for JavaScript, by its interface that is like KafkaJS's. Its addon does not install everywhere. */
import { rival } from './rival.ts'
import type { Prepare } from './run.ts'

interface Message {
  readonly value: Buffer | null
  readonly offset: string
}

interface Consumer {
  connect(): Promise<void>
  subscribe(options: { topics: readonly string[] }): Promise<void>
  run(options: {
    eachBatch: (payload: {
      batch: { readonly partition: number; readonly messages: readonly Message[] }
    }) => Promise<void>
  }): Promise<void>
  commitOffsets(offsets: readonly { topic: string; partition: number; offset: string }[]): Promise<void>
}

interface Confluent {
  readonly KafkaJS: {
    readonly Kafka: new (config: object) => { consumer(config: object): Consumer }
  }
}

export const confluentLoop: Prepare = async ({ brokers, topic, group, commitMs, ends }) => {
  const loaded = await rival<Confluent & { readonly default?: Confluent }>('@confluentinc/kafka-javascript')
  const { Kafka } = (loaded.default ?? loaded).KafkaJS
  return async (run) => {
    const kafka = new Kafka({ kafkaJS: { clientId: 'bench', brokers: [...brokers], logLevel: 1 } })
    const consumer = kafka.consumer({
      kafkaJS: { groupId: group, fromBeginning: true, autoCommit: true, autoCommitInterval: commitMs },
      'js.consumer.max.batch.size': -1,
    })
    await consumer.connect()
    await consumer.subscribe({ topics: [topic] })
    await consumer.run({
      eachBatch: async ({ batch }) => {
        for (const { value } of batch.messages) await run.handle(value)
      },
    })
    await run.ledger.all()
    // It does not say what it has committed by itself.
    await consumer.commitOffsets(ends.map((end, partition) => ({ topic, partition, offset: String(end) })))
    for (const [partition, end] of ends.entries()) run.commit(partition, end)
    await run.finished()
  }
}
