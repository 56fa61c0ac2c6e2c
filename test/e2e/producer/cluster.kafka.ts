/** The producer on three nodes of Apache Kafka, while the leaders die under load. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Kafka, KafkaUnavailable, startKafka } from '../../support/kafka.ts'
import { loudly, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { kafkaJs, open, readAll, valuesOf } from './support.ts'

/** Undefined, and loudly so, where there is no Java. */
async function threeNodes(): Promise<Kafka | undefined> {
  if (process.env.FANLANE_TARGET === 'embedded') return undefined
  try {
    return await startKafka({ nodes: 3 })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`THE PRODUCER ON THREE NODES OF APACHE KAFKA NOT RUN: ${error.message}`)
    return undefined
  }
}

const partitions = 3
const kafka = await threeNodes()
if (kafka !== undefined) {
  describe('the producer on three nodes of Apache Kafka', { timeout: 240_000 }, () => {
    after(() => kafka.stop())
    const admin = kafkaJs(kafka.brokers).admin()
    after(() => admin.disconnect())

    const create = async (): Promise<string> => {
      const topic = unique('replicated')
      await admin.connect()
      const configEntries = [{ name: 'min.insync.replicas', value: '2' }]
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions, replicationFactor: 3, configEntries }] })
      return topic
    }
    const metadataOf = async (topic: string) =>
      (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]!.partitions
    const isWhole = (topic: string) =>
      until('all in sync', async () => (await metadataOf(topic)).every(({ isr }) => isr.length === 3))

    for (const transactionalId of [undefined, unique('id')]) {
      const how = transactionalId === undefined ? 'idempotent' : 'transactional'
      // A transaction on three nodes takes from 70 ms to several times that, depending on the machine; a send takes a few.
      const some = transactionalId === undefined ? 200 : 30
      test(`Q9 Q12 X1 · ${how}: a leader is killed under load: nothing lost, nothing twice, nothing out of order`, async () => {
        const topic = await create()
        await isWhole(topic)
        await using producer = await open(kafka.brokers, {
          deliveryTimeoutMs: 100_000,
          ...(transactionalId === undefined ? {} : { transactionalId }),
        })
        const wanted: string[][] = [[], [], []]
        const slowest = { ms: 0 }
        let isEnough = false
        const write = async (): Promise<void> => {
          for (let n = 0; !isEnough; n++) {
            const records = wanted.map((values, partition) => {
              values.push(`${n}`)
              return { topic, value: `${n}`, partition }
            })
            const before = performance.now()
            if (transactionalId === undefined) await producer.send(records)
            else await producer.transaction((tx) => tx.send(records))
            slowest.ms = Math.max(slowest.ms, performance.now() - before)
          }
        }
        const writing = write()
        await until('some are written', () => wanted[0]!.length > some)
        const [first] = await metadataOf(topic)
        const node = kafka.nodes.find(({ id }) => id === first!.leader)!
        await node.stop('SIGKILL')
        const atKill = wanted[0]!.length
        await until('writing goes on', () => wanted[0]!.length > atKill + some, 90_000)
        await node.start()
        await isWhole(topic)
        isEnough = true
        await writing
        const read = await readAll(kafka.brokers, topic, partitions)
        for (const partition of wanted.keys()) {
          const values = valuesOf(read.filter((each) => each.partition === partition))
          assert.equal(values.length, wanted[partition]!.length)
          assert.deepEqual(values, wanted[partition])
        }
        process.stderr.write(`${how}: the longest wait was ${Math.round(slowest.ms)} ms\n`)
      })
    }
  })
}
