/** Three nodes of Apache Kafka that a test may kill: who leads what, and when all is well again. */

import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { type Kafka, KafkaUnavailable, startKafka } from '../../support/kafka.ts'
import { loudly } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { mustBe, RawKafka } from './raw-kafka.ts'

export type Node = Kafka['nodes'][number]

/** How soon the controller takes a silent node for dead; Kafka's default is 9 s. */
const nodeTimeouts = { 'broker.session.timeout.ms': 4_000, 'broker.heartbeat.interval.ms': 500 }

const replicas = 3
const patienceMs = 90_000

/** Undefined, and loudly so, where there is no Java. */
export async function threeNodes(): Promise<Nodes | undefined> {
  if (process.env.FANLANE_TARGET === 'embedded') return undefined
  try {
    return new Nodes(await startKafka({ nodes: replicas, properties: nodeTimeouts }))
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`THREE NODES OF APACHE KAFKA NOT RUN: ${error.message}`)
    return undefined
  }
}

export class Nodes {
  readonly #kafka: Kafka

  constructor(kafka: Kafka) {
    this.#kafka = kafka
  }

  get brokers(): readonly string[] {
    return this.#kafka.brokers
  }

  get all(): readonly Node[] {
    return this.#kafka.nodes
  }

  stop(): Promise<void> {
    return this.#kafka.stop()
  }

  async create(topic: string, partitions: number): Promise<void> {
    await this.#ask(async (raw) => {
      const { topics } = await raw.send(createTopicsApi, 5, {
        timeoutMs: 10_000,
        topics: [{ name: topic, numPartitions: partitions, replicationFactor: replicas }],
      })
      mustBe(topics[0]?.errorCode, `CreateTopics ${topic}`)
    })
    await this.whole()
  }

  async leaderOf(topic: string, partition: number): Promise<Node> {
    return this.#node(`a leader of ${topic}-${partition}`, async (raw) => {
      const { topics } = await raw.send(metadataApi, 9, { topics: [{ name: topic }], allowAutoTopicCreation: false })
      return topics[0]?.partitions.find(({ partitionIndex }) => partitionIndex === partition)?.leaderId
    })
  }

  async coordinatorOf(kind: 'group' | 'transaction', key: string): Promise<Node> {
    return this.#node(`a coordinator of ${key}`, async (raw) => {
      const keyType = kind === 'group' ? 0 : 1
      const { coordinators } = await raw.send(findCoordinatorApi, 4, { coordinatorKeys: [key], keyType })
      return coordinators[0]?.nodeId
    })
  }

  /** Every partition of every topic, Kafka's own too, has three replicas in sync. */
  async whole(): Promise<void> {
    const isWhole = async (raw: RawKafka): Promise<boolean> => {
      const { topics } = await raw.send(metadataApi, 9, { topics: null, allowAutoTopicCreation: false })
      return topics.every(({ partitions }) =>
        partitions.every(({ isrNodes, leaderId }) => isrNodes.length === replicas && leaderId > 0),
      )
    }
    await until('all replicas in sync', () => this.#ask(isWhole), patienceMs)
  }

  /** The others have taken over: the dead one leads nothing, and nobody waits for its acknowledgement. */
  async without(dead: Node): Promise<void> {
    const isWithout = async (raw: RawKafka): Promise<boolean> => {
      const { topics } = await raw.send(metadataApi, 9, { topics: null, allowAutoTopicCreation: false })
      return topics.every(({ partitions }) =>
        partitions.every(({ isrNodes, leaderId }) => !isrNodes.includes(dead.id) && leaderId > 0),
      )
    }
    await until(`the others do without node ${dead.id}`, () => this.#ask(isWithout), patienceMs)
  }

  async #node(what: string, ask: (raw: RawKafka) => Promise<number | undefined>): Promise<Node> {
    return until(what, async () => {
      const id = await this.#ask(ask)
      return this.all.find((node) => node.id === id)
    })
  }

  /** Some node that runs. */
  async #ask<Answer>(ask: (raw: RawKafka) => Promise<Answer>): Promise<Answer> {
    const node = this.all.find((each) => each.pid() !== undefined)
    if (node === undefined) throw new Error('no node runs')
    await using raw = await RawKafka.connect([node.address])
    return await ask(raw)
  }
}
