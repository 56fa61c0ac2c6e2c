/** Three nodes of Apache Kafka: what the test support promises about them, and what acknowledged means there. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Kafka as KafkaJs, logLevel, Partitioners } from 'kafkajs'
import { type Kafka, KafkaUnavailable, startKafka } from '../support/kafka.ts'
import { loudly, unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { ready } from './kafkajs/support.ts'

/** Undefined, and loudly so, where there is no Java. */
async function threeNodes(): Promise<Kafka | undefined> {
  if (process.env.FANLANE_TARGET === 'embedded') return undefined
  try {
    return await startKafka({ nodes: 3 })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`THREE NODES OF APACHE KAFKA NOT RUN: ${error.message}`)
    return undefined
  }
}

const kafka = await threeNodes()
if (kafka !== undefined) {
  describe('three nodes of Apache Kafka', { timeout: 240_000 }, () => {
    after(() => kafka.stop())
    const client = new KafkaJs({
      clientId: unique('cluster'),
      brokers: [...kafka.brokers],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 60 },
    })

    // The leader dies between an acknowledgement and the next record: nothing that was acknowledged may go with it.
    test('Q9 · acknowledged by all in-sync replicas outlives the leader', async (t) => {
      const topic = unique('replicated')
      const admin = client.admin()
      const producer = client.producer({
        createPartitioner: Partitioners.DefaultPartitioner,
        idempotent: true,
        maxInFlightRequests: 1,
      })
      const consumer = client.consumer({ groupId: unique('group'), maxWaitTimeInMs: 200 })
      t.after(() => Promise.all([admin.disconnect(), producer.disconnect(), consumer.disconnect()]))
      await Promise.all([admin.connect(), producer.connect(), consumer.connect()])
      await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 3 }], waitForLeaders: false })
      await ready(admin, topic, 1)
      const leader = async (): Promise<number | undefined> => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
        return topics[0]?.partitions[0]?.leader
      }
      const send = (value: number): Promise<unknown> =>
        producer.send({ topic, acks: -1, messages: [{ key: 'k', value: String(value) }] })
      for (let i = 0; i < 50; i++) await send(i)
      const first = await leader()
      const node = kafka.nodes.find(({ id }) => id === first)
      assert.ok(node)
      await node.stop('SIGKILL')
      for (let i = 50; i < 100; i++) await send(i)
      assert.notEqual(await leader(), first)
      await node.start()
      await until('all three in sync again', async () => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
        return topics[0]?.partitions[0]?.isr.length === 3
      })
      const values: string[] = []
      await consumer.subscribe({ topic, fromBeginning: true })
      await consumer.run({
        eachMessage: ({ message }) => {
          values.push(String(message.value))
          return Promise.resolve()
        },
      })
      await until('a hundred records', () => values.length >= 100)
      assert.deepEqual(
        values,
        Array.from({ length: 100 }, (_, i) => String(i)),
      )
    })

    test('Q9 Q12 · with too few replicas in sync, acks=all is refused', async (t) => {
      const topic = unique('minimum')
      const once = new KafkaJs({
        clientId: unique('cluster'),
        brokers: [...kafka.brokers],
        logLevel: logLevel.NOTHING,
        retry: { retries: 0 },
      })
      const admin = client.admin()
      const producer = once.producer({ createPartitioner: Partitioners.DefaultPartitioner })
      t.after(() => Promise.all([admin.disconnect(), producer.disconnect()]))
      await Promise.all([admin.connect(), producer.connect()])
      const configEntries = [{ name: 'min.insync.replicas', value: '3' }]
      const wish = { topic, numPartitions: 1, replicationFactor: 3, configEntries }
      await admin.createTopics({ topics: [wish], waitForLeaders: false })
      await ready(admin, topic, 1)
      await producer.send({ topic, acks: -1, messages: [{ value: 'three' }] })
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      const leader = topics[0]?.partitions[0]?.leader
      const follower = kafka.nodes.find(({ id }) => id !== leader)
      assert.ok(follower)
      await follower.stop('SIGTERM')
      await until('two in sync', async () => {
        const now = await admin.fetchTopicMetadata({ topics: [topic] })
        return now.topics[0]?.partitions[0]?.isr.length === 2
      })
      await assert.rejects(producer.send({ topic, acks: -1, messages: [{ value: 'two' }] }), /in-sync|insync/i)
      await follower.start()
    })
  })
}
