/** KafkaJS as these suites use it: quiet, quick to notice a rebalance, and closed after each test. */
import type { TestContext } from 'node:test'
import {
  type Admin,
  type Consumer,
  type ConsumerConfig,
  type EachBatchPayload,
  Kafka,
  type KafkaConfig,
  type KafkaMessage,
  logLevel,
  Partitioners,
  type Producer,
  type ProducerConfig,
} from 'kafkajs'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'

export type Seen = KafkaMessage & { readonly topic: string; readonly partition: number }

export const text = (bytes: Buffer | null | undefined): string | null => (bytes == null ? null : bytes.toString())
export const valuesOf = (records: readonly Seen[]): (string | null)[] => records.map(({ value }) => text(value))

/** Resolves when all partitions of the topic have a leader. */
export async function ready(admin: Admin, topic: string, partitions: number): Promise<void> {
  await until('leaders for all partitions', async () => {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      const found = topics[0]?.partitions ?? []
      return (
        found.length === partitions &&
        found.every(({ leader, partitionErrorCode }) => leader >= 0 && partitionErrorCode === 0)
      )
    } catch (error) {
      if ((error as { retriable?: boolean }).retriable === true) return false
      throw error
    }
  })
}

export class Clients {
  readonly #kafka: Kafka
  readonly #t: TestContext

  constructor(t: TestContext, target: Target, config: Partial<KafkaConfig> = {}) {
    this.#t = t
    this.#kafka = new Kafka({
      clientId: unique('kafkajs'),
      brokers: [...target.brokers],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, retries: 10 },
      ...config,
    })
  }

  async admin(): Promise<Admin> {
    const admin = this.#kafka.admin()
    await admin.connect()
    this.#t.after(() => admin.disconnect())
    return admin
  }

  /** Ready to be written to. KafkaJS's own wait for leaders gives up where a broker has not heard of the topic yet. */
  async topic(partitions = 1, config: Record<string, string> = {}): Promise<string> {
    const topic = unique('topic')
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    const admin = await this.admin()
    await admin.createTopics({ topics: [{ topic, numPartitions: partitions, configEntries }], waitForLeaders: false })
    await ready(admin, topic, partitions)
    return topic
  }

  async producer(config: ProducerConfig = {}): Promise<Producer> {
    const producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, ...config })
    await producer.connect()
    this.#t.after(() => producer.disconnect())
    return producer
  }

  /** Numbered values `0`, `1`, … to one partition. */
  async fill(topic: string, count: number, partition = 0, from = 0): Promise<void> {
    const producer = await this.producer()
    const messages = Array.from({ length: count }, (_, i) => ({ value: String(from + i), partition }))
    await producer.send({ topic, messages })
  }

  async consumer(config: ConsumerConfig): Promise<Consumer> {
    const consumer = this.#kafka.consumer({
      sessionTimeout: 10_000,
      rebalanceTimeout: 5_000,
      heartbeatInterval: 100,
      maxWaitTimeInMs: 100,
      ...config,
    })
    await consumer.connect()
    this.#t.after(() => consumer.disconnect())
    return consumer
  }

  /** A running member that keeps all it sees. */
  async member(
    config: ConsumerConfig,
    topics: readonly (string | RegExp)[],
    more: MemberOptions = {},
  ): Promise<Member> {
    const consumer = await this.consumer(config)
    const member = new Member(consumer)
    await consumer.subscribe({ topics: [...topics], fromBeginning: more.fromBeginning ?? true })
    await consumer.run({
      autoCommit: more.autoCommit ?? true,
      autoCommitThreshold: 1,
      eachBatchAutoResolve: true,
      eachBatch: async (batch) => {
        member.add(batch)
        await more.onBatch?.(batch)
      },
    })
    return member
  }
}

type MemberOptions = {
  readonly fromBeginning?: boolean
  readonly autoCommit?: boolean
  readonly onBatch?: (batch: EachBatchPayload) => Promise<void>
}

export class Member {
  readonly consumer: Consumer
  readonly records: Seen[] = []
  /** Partitions by topic, as the last join of the group gave them. */
  assignment: Readonly<Record<string, readonly number[]>> | undefined
  joins = 0

  constructor(consumer: Consumer) {
    this.consumer = consumer
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.assignment = payload.memberAssignment
      this.joins++
    })
  }

  add({ batch }: EachBatchPayload): void {
    for (const message of batch.messages) {
      this.records.push({ ...message, topic: batch.topic, partition: batch.partition })
    }
  }

  owns(topic: string): readonly number[] {
    return [...(this.assignment?.[topic] ?? [])].sort((a, b) => a - b)
  }

  joined(): Promise<true> {
    return until('joined the group', () => (this.joins > 0 ? true : undefined))
  }

  async has(count: number): Promise<Seen[]> {
    await until(`${count} records, not only ${this.records.length}`, () => this.records.length >= count)
    return this.records
  }
}
