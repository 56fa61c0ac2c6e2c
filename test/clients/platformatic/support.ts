/** @platformatic/kafka as these suites use it: strings, short retries, closed after each test. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  Admin,
  Consumer,
  type ConsumerOptions,
  type Message,
  type MessagesStream,
  Producer,
  type ProducerOptions,
  type StreamOptions,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka'
import { type Target, unique } from '../../support/targets.ts'
import { until, within } from '../../support/wait.ts'

export type StringConsumer = Consumer<string, string, string, string>
export type StringProducer = Producer<string, string, string, string>
export type StringMessage = Message<string, string, string, string>
type StringStream = MessagesStream<string, string, string, string>
type Options<T> = Partial<Omit<T, 'clientId' | 'bootstrapBrokers'>>

export const protocols = ['classic', 'consumer'] as const
export type Protocol = (typeof protocols)[number]

/** Group settings that notice a rebalance quickly; in the newer protocol the broker says how often to call. */
const groupSettings = {
  classic: { groupProtocol: 'classic', sessionTimeout: 10_000, rebalanceTimeout: 10_000, heartbeatInterval: 100 },
  consumer: { groupProtocol: 'consumer' },
} as const

/** The protocol's names of all refusals in an error. */
export async function refusals(promise: Promise<unknown>): Promise<string[]> {
  const error = await promise.then(
    () => assert.fail('expected a refusal'),
    (reason: unknown) => reason,
  )
  return namesIn(error)
}

function namesIn(error: unknown): string[] {
  const { apiId, errors = [], cause } = error as { apiId?: string; errors?: unknown[]; cause?: unknown }
  const own = apiId === undefined ? [] : [apiId]
  return [...own, ...errors.flatMap(namesIn), ...(cause === undefined ? [] : namesIn(cause))]
}

export class Clients {
  readonly #t: TestContext
  readonly #consumers: StringConsumer[] = []
  readonly #base: { clientId: string; bootstrapBrokers: string[]; retries: number; retryDelay: number }

  constructor(t: TestContext, target: Target) {
    this.#t = t
    const bootstrapBrokers = [...target.brokers]
    this.#base = { clientId: unique('platformatic'), bootstrapBrokers, retries: 20, retryDelay: 50 }
  }

  admin(options: Options<ConstructorParameters<typeof Admin>[0]> = {}): Admin {
    const admin = new Admin({ ...this.#base, ...options })
    this.#t.after(() => admin.close())
    return admin
  }

  /** Ready to be written to: the answer to a creation may come before the leader is there. */
  async topic(partitions = 1, config: Record<string, string> = {}): Promise<string> {
    const topic = unique('topic')
    const admin = this.admin()
    const configs = Object.entries(config).map(([name, value]) => ({ name, value }))
    await admin.createTopics({ topics: [topic], partitions, replicas: 1, configs })
    await until('leaders for all partitions', async () => {
      const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
      const found = topics.get(topic)?.partitions ?? []
      return found.length === partitions && found.every(({ leader }) => leader >= 0)
    })
    return topic
  }

  producer(options: Options<ProducerOptions<string, string, string, string>> = {}): StringProducer {
    const producer = new Producer({ ...this.#base, serializers: stringSerializers, ...options })
    this.#t.after(() => producer.close(true))
    return producer
  }

  /** Numbered values `0`, `1`, … to one partition. */
  async fill(topic: string, count: number, partition = 0, from = 0): Promise<void> {
    const messages = Array.from({ length: count }, (_, i) => ({ topic, partition, value: String(from + i) }))
    await this.producer().send({ messages, acks: -1 })
  }

  consumer(
    groupId: string,
    protocol: Protocol = 'classic',
    options: Options<ConsumerOptions<string, string, string, string>> = {},
  ): StringConsumer {
    const settings = { ...this.#base, ...groupSettings[protocol], maxWaitTime: 100, groupId, ...options }
    // The options are a union over the group protocol, which a spread over a variable loses.
    const all = { deserializers: stringDeserializers, ...settings } as ConsumerOptions<string, string, string, string>
    const consumer = new Consumer(all)
    // Its way of saying that a rejoin failed, e.g. because it is being closed; without a listener it ends the process.
    consumer.on('error', (error: Error) => this.#t.diagnostic(`consumer of ${groupId}: ${error.message}`))
    if (this.#consumers.push(consumer) === 1) this.#t.after(() => this.#closeConsumers())
    return consumer
  }

  /** All at once: a member that notices another one's leaving and is closed while it joins again may never end. */
  async #closeConsumers(): Promise<void> {
    const closing = this.#consumers.map((consumer) => consumer.close(true))
    await within('consumers are closed', Promise.all(closing))
  }

  /** A running member that keeps all it sees. */
  async member(consumer: StringConsumer, options: StreamOptions & { autocommit?: boolean | number }): Promise<Member> {
    const member = new Member(consumer)
    const started = consumer.consume({ mode: 'committed', fallbackMode: 'earliest', ...options })
    member.stream = await within('the stream starts', started)
    member.stream.on('data', (message) => member.records.push(message))
    member.stream.on('error', (error) => {
      member.error = error
    })
    return member
  }

  /** Everything from the first record on, by a consumer in a group of its own. */
  async read(topics: string[], count: number): Promise<StringMessage[]> {
    const member = await this.member(this.consumer(unique('reader')), { topics, mode: 'earliest' })
    return member.has(count)
  }
}

export class Member {
  readonly consumer: StringConsumer
  readonly records: StringMessage[] = []
  stream: StringStream | undefined
  error: Error | undefined

  constructor(consumer: StringConsumer) {
    this.consumer = consumer
  }

  owns(topic: string): number[] {
    const found = this.consumer.assignments?.find((assignment) => assignment.topic === topic)
    return [...(found?.partitions ?? [])].sort((a, b) => a - b)
  }

  async has(count: number): Promise<StringMessage[]> {
    await until(`${count} records`, () => {
      if (this.error !== undefined) throw this.error
      return this.records.length >= count
    })
    return this.records
  }

  /** Leaves the group; what was read is committed first. */
  close(): Promise<void> {
    return this.consumer.close(true)
  }
}
