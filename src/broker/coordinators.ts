/**
 * The two coordinators with what they share: the internal topics that hold their state, the markers that end transactions in
 * both, and the order in which they come back after a start.
 */

import { errorCodes, isRetriable } from '../protocol/errors.ts'
import type { BrokerLog } from './broker-log.ts'
import type { BrokerClock } from './clock.ts'
import type { BrokerConfig } from './configs/broker-configs.ts'
import { consumerGroupOptions, groupOptions } from './group-options.ts'
import { GroupCoordinator } from './groups/coordinator.ts'
import type { PartitionLog } from './log/partition-log.ts'
import type { MetadataStore } from './state/metadata-store.ts'
import { ProducerIdBlocks } from './state/producer-ids.ts'
import { StateLog } from './state/state-log.ts'
import { offsetsTopic, transactionsTopic } from './topics/names.ts'
import type { TopicRegistry } from './topics/registry.ts'
import { TransactionCoordinator } from './transactions/coordinator.ts'
import { MarkerWriter } from './transactions/markers.ts'
import type { OpenTransaction, TransactionPartitions } from './transactions/ports.ts'

export interface CoordinatorSurroundings {
  readonly topics: TopicRegistry
  readonly metadata: MetadataStore
  readonly clock: BrokerClock
  readonly log: BrokerLog
  readonly config: BrokerConfig
  readonly coordinatorEpoch: number
}

const stateConfigs = {
  'cleanup.policy': 'compact',
  'segment.bytes': '104857600',
  'max.message.bytes': '16777216',
} as const

export class Coordinators {
  readonly groups: GroupCoordinator
  readonly transactions: TransactionCoordinator
  readonly markers: MarkerWriter
  readonly #offsets: StateLog
  readonly #log: BrokerLog
  #hasMoved = false

  private constructor(
    groups: GroupCoordinator,
    transactions: TransactionCoordinator,
    markers: MarkerWriter,
    offsets: StateLog,
    log: BrokerLog,
  ) {
    this.groups = groups
    this.transactions = transactions
    this.markers = markers
    this.#offsets = offsets
    this.#log = log
  }

  static async start(around: CoordinatorSurroundings): Promise<Coordinators> {
    const { topics, metadata, clock, log, config, coordinatorEpoch } = around
    const offsets = new StateLog(await stateTopic(topics, offsetsTopic), clock)
    const states = new StateLog(await stateTopic(topics, transactionsTopic), clock)
    const groups = new GroupCoordinator({
      stateLog: offsets,
      topics,
      clock,
      log,
      options: groupOptions(config),
      consumerOptions: consumerGroupOptions(config, metadata),
    })
    const markers = new MarkerWriter({
      clock,
      log: (topic, partition) => topics.get(topic)?.partitions[partition]?.log,
      appended: (topic, marker) => {
        if (topic === offsetsTopic) groups.completeTransaction(marker.producerId, marker.kind)
      },
    })
    const transactions = new TransactionCoordinator(
      {
        stateLog: states,
        partitions: transactionPartitions(topics, markers),
        producerIds: new ProducerIdBlocks(metadata),
        clock,
        log,
      },
      {
        coordinatorEpoch,
        timeoutMaxMs: config.number('transaction.max.timeout.ms'),
        idExpirationMs: config.number('transactional.id.expiration.ms'),
      },
    )
    const coordinators = new Coordinators(groups, transactions, markers, offsets, log)
    try {
      await coordinators.#loadGroups()
      await states.replay({
        record: (key, value) => transactions.replay(key, value),
        pending: () => undefined,
        complete: () => undefined,
      })
      transactions.start(openTransactions(topics))
    } catch (error) {
      // Groups that are loaded have timers, which would keep the process of a broker that did not start.
      coordinators.close()
      throw error
    }
    topics.onDeleted((topic) => {
      groups
        .onTopicsDeleted([topic.name])
        .catch((error: unknown) => log.error(`the offsets of ${topic.name} stay`, error))
    })
    return coordinators
  }

  /** For tests: the group coordinator goes away until somebody looks for it. */
  move(): void {
    this.#hasMoved = true
    this.groups.unload()
  }

  lookedFor(): void {
    if (!this.#hasMoved) return
    this.#hasMoved = false
    this.#loadGroups().catch((error: unknown) =>
      this.#log.error('the group coordinator could not load its state', error),
    )
  }

  close(): void {
    this.groups.close()
    this.transactions.close()
  }

  async #loadGroups(): Promise<void> {
    this.groups.beginLoading()
    await this.#offsets.replay({
      record: (key, value) => this.groups.replay(key, value),
      pending: (producerId, key, value) => this.groups.replayPending(producerId, key, value),
      complete: (producerId, outcome) => this.groups.completeTransaction(producerId, outcome),
    })
    this.groups.load()
  }
}

async function stateTopic(topics: TopicRegistry, name: string): Promise<PartitionLog> {
  const topic = topics.get(name) ?? (await topics.create({ name, partitions: 1, configs: stateConfigs }))
  const log = topic.partitions[0]?.log
  if (log === undefined) throw new Error(`${name} has no partition`)
  return log
}

function transactionPartitions(topics: TopicRegistry, markers: MarkerWriter): TransactionPartitions {
  return {
    partitionExists: (topic, partition) => partition >= 0 && partition < (topics.partitionCount(topic) ?? 0),
    appendMarker: async (topic, partition, marker) => {
      const error = await markers.append(topic, partition, marker)
      // Nothing is left to be ended where the partition is gone or a later epoch has come.
      if (error !== errorCodes.NONE && isRetriable(error) && error !== errorCodes.UNKNOWN_TOPIC_OR_PARTITION) {
        throw new Error(`the marker for ${topic}-${partition} was refused with error ${error}`)
      }
    },
    offsetsPartitionOf: () => 0,
  }
}

function* openTransactions(topics: TopicRegistry): Generator<OpenTransaction> {
  for (const { topic, index, log } of topics.partitions()) {
    for (const { producerId, producerEpoch } of log.producers.describe().filter((p) => p.openTransactionFrom >= 0))
      yield { topic: topic.name, partition: index, producerId, producerEpoch }
  }
}
