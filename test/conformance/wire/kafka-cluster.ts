/**
 * Three nodes of Apache Kafka as the conformance scripts need them: both coordinators on node 1 with a copy on node 2, so that
 * they can move; node 3 holds neither. Brokers talk to one another through proxies, so that the markers of a transaction can
 * be held back while clients go on.
 */
import { freePorts, type KafkaNode, startKafkaCluster } from '../../../scripts/kafka/cluster.ts'
import type { Api } from '../../../src/protocol/api.ts'
import { errorCodes, errorName } from '../../../src/protocol/errors.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { PausableProxy } from '../../support/pausable-proxy.ts'
import { RawClient } from '../../support/raw-client.ts'
import { until } from '../../support/wait.ts'

const properties = {
  'inter.broker.listener.name': 'PROXIED',
  'offsets.topic.num.partitions': 1,
  'transaction.state.log.num.partitions': 1,
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': 50,
  'auto.create.topics.enable': false,
  'log.cleaner.backoff.ms': 200,
  'log.cleaner.min.cleanable.ratio': 0.0001,
  // So small that loading the state takes long enough to be seen.
  'offsets.load.buffer.size': 1_024,
  'transaction.state.log.load.buffer.size': 1_024,
  'log.initial.task.delay.ms': 500,
  'replica.fetch.wait.max.ms': 50,
} as const

export const internalTopics = { group: '__consumer_offsets', transaction: '__transaction_state' } as const

export interface PartitionLeader {
  readonly leader: number
  readonly replicas: readonly number[]
  readonly inSync: readonly number[]
}

export class KafkaForScripts {
  readonly nodes: readonly KafkaNode[]
  readonly proxies: readonly PausableProxy[]
  readonly #stop: () => Promise<void>
  readonly #clients = new Map<number, RawClient>()

  private constructor(nodes: readonly KafkaNode[], proxies: readonly PausableProxy[], stop: () => Promise<void>) {
    this.nodes = nodes
    this.proxies = proxies
    this.#stop = stop
  }

  static async start(): Promise<KafkaForScripts> {
    const proxyPorts = await freePorts(3)
    const proxies = await Promise.all(proxyPorts.map((port) => PausableProxy.start(port)))
    const stopProxies = async (): Promise<void> => {
      for (const proxy of proxies) await proxy.stop()
    }
    const cluster = await startKafkaCluster({
      nodes: 3,
      proxyPorts,
      properties,
      onProxied: (targets) => {
        for (const [i, proxy] of proxies.entries()) proxy.target = targets[i] as string
      },
    }).catch(async (error: unknown) => {
      await stopProxies()
      throw error
    })
    const kafka = new KafkaForScripts(cluster.nodes, proxies, async () => {
      await cluster.stop()
      await stopProxies()
    })
    await kafka.#prepare()
    return kafka
  }

  address(node: number): string {
    return (this.nodes[node - 1] as KafkaNode).address
  }

  async ask<Q, R>(node: number, api: Api<Q, R>, version: number, request: Input<Q>): Promise<R> {
    const known = this.#clients.get(node)
    try {
      const client = known ?? (await RawClient.connect(this.address(node), 'conformance'))
      this.#clients.set(node, client)
      return await client.send(api, version, request)
    } catch (error) {
      // A node that was down has closed its connections: the next try opens a new one.
      this.#clients.delete(node)
      if (known === undefined) throw error
      return this.ask(node, api, version, request)
    }
  }

  /** What any node that is up says about a topic. */
  async leaders(topic: string, from: readonly number[] = [1, 2, 3]): Promise<readonly PartitionLeader[]> {
    for (const node of from) {
      const answer = await this.ask(node, metadataApi, 12, {
        topics: [{ name: topic }],
        allowAutoTopicCreation: false,
      }).catch((error: Error) => error)
      // This one is down; the next may know.
      if (answer instanceof Error) continue
      const found = answer.topics[0]
      if (found?.errorCode !== errorCodes.NONE) return []
      return [...found.partitions]
        .sort((a, b) => a.partitionIndex - b.partitionIndex)
        .map((p) => ({ leader: p.leaderId, replicas: p.replicaNodes, inSync: p.isrNodes }))
    }
    return []
  }

  async createTopic(
    name: string,
    assignments: readonly (readonly number[])[],
    configs: Readonly<Record<string, string>>,
  ): Promise<void> {
    const answer = await this.ask(1, createTopicsApi, 7, {
      timeoutMs: 10_000,
      topics: [
        {
          name,
          numPartitions: -1,
          replicationFactor: -1,
          assignments: assignments.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
          configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
        },
      ],
    })
    const { errorCode = -1, errorMessage } = answer.topics[0] ?? {}
    if (errorCode !== errorCodes.NONE && errorCode !== errorCodes.TOPIC_ALREADY_EXISTS) {
      throw new Error(`${name} was not created: ${errorName(errorCode)} ${errorMessage ?? ''}`)
    }
    await until(`${name} has leaders`, async () => {
      const leaders = await this.leaders(name)
      return leaders.length === assignments.length && leaders.every(({ leader }) => leader > 0)
    })
  }

  async stopNode(node: number): Promise<void> {
    await this.#clients.get(node)?.close()
    this.#clients.delete(node)
    await (this.nodes[node - 1] as KafkaNode).stop('SIGKILL')
  }

  startNode(node: number, liveNodes: number): Promise<void> {
    return (this.nodes[node - 1] as KafkaNode).start(liveNodes)
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) await client.close()
    await this.#stop()
  }

  async #prepare(): Promise<void> {
    const configs = { 'cleanup.policy': 'compact', 'min.insync.replicas': '1' }
    for (const topic of Object.values(internalTopics)) await this.createTopic(topic, [[1, 2]], configs)
    // A node without a block of producer ids answers COORDINATOR_LOAD_IN_PROGRESS for a while.
    for (const node of [1, 2, 3]) {
      await until(`node ${node} gives producer ids`, async () => {
        const { errorCode } = await this.ask(node, initProducerIdApi, 5, {
          transactionalId: null,
          transactionTimeoutMs: 1_000,
          producerId: -1n,
          producerEpoch: -1,
        })
        return errorCode === errorCodes.NONE
      })
    }
  }
}
