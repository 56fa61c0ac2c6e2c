/** Producers on real sockets, and KafkaJS to read back what they wrote: somebody else's eyes. */
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import { Cluster } from '../../../src/cluster/net/cluster.ts'
import type { Wire } from '../../../src/cluster/wire.ts'
import { openProducer, type Producer, type ProducerOptions } from '../../../src/producer/index.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { unique } from '../../support/targets.ts'

export const clock: SystemClock = new SystemClock()

export type Flow = 'explicit' | 'implicit'

/** In the explicit flow: as on a cluster that has not raised `transaction.version`. */
export function open(
  brokers: readonly string[],
  options: ProducerOptions = {},
  flow: Flow = 'implicit',
): Promise<Producer> {
  const cluster = new Cluster({ brokers, clientId: unique('producer'), clock, requestTimeoutMs: 5_000 })
  return openProducer(
    { brokers, ...options },
    { clock, wire: flow === 'implicit' ? cluster : withoutFeatures(cluster) },
  )
}

function withoutFeatures(cluster: Cluster): Wire & { close(): Promise<void> } {
  return {
    clock,
    get isOpen() {
      return cluster.isOpen
    },
    ask: (...question) => cluster.ask(...question),
    post: (...question) => cluster.post(...question),
    learnNodes: (...nodes) => cluster.learnNodes(...nodes),
    featureLevel: () => 0,
    close: () => cluster.close(),
  }
}

export function kafkaJs(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: unique('reader'), logLevel: logLevel.NOTHING })
}

export async function createTopic(
  brokers: readonly string[],
  partitions: number,
  config: Record<string, string> = {},
): Promise<string> {
  const topic = unique('topic')
  const admin = kafkaJs(brokers).admin()
  await admin.connect()
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions, configEntries }], waitForLeaders: true })
  await admin.disconnect()
  return topic
}

export type ReadMessage = KafkaMessage & { readonly partition: number }

const endMark = '--- end of test ---'

/** Everything that a read_committed reader sees, by KafkaJS. A mark behind the last record says that it is all. */
export async function readAll(brokers: readonly string[], topic: string, partitions: number): Promise<ReadMessage[]> {
  const kafka = kafkaJs(brokers)
  const marker = kafka.producer()
  await marker.connect()
  const marks = Array.from({ length: partitions }, (_, partition) => ({ value: endMark, partition }))
  await marker.send({ topic, messages: marks })
  await marker.disconnect()
  const consumer = kafka.consumer({ groupId: unique('reading'), readUncommitted: false, maxWaitTimeInMs: 100 })
  const found: ReadMessage[] = []
  const ended = new Set<number>()
  const { promise: isDone, resolve } = Promise.withResolvers<void>()
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      if (message.value?.toString() === endMark) ended.add(partition)
      else found.push({ ...message, partition })
      if (ended.size === partitions) resolve()
    },
  })
  await isDone
  await consumer.disconnect()
  return found
}

export const valuesOf = (messages: readonly ReadMessage[]): string[] => messages.map(({ value }) => String(value))
