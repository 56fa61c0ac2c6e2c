/**
 * Makes topics that nobody made: dead-letter topics. Like the topic of the record as far as that matters: as many partitions,
 * so that a key has the same place in both, and room for its largest record with our headers on top.
 *
 * Where we may not, or cannot, nothing is said: the cluster may still make it by itself when it is written to, and if it does
 * not, the write is refused and that is told.
 */
import type { Metadata } from '../../../cluster/metadata.ts'
import { anyNode, type Wire } from '../../../cluster/wire.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { metadataApi } from '../../../protocol/generated/03-metadata.ts'
import { createTopicsApi } from '../../../protocol/generated/19-create-topics.ts'
import { describeConfigsApi } from '../../../protocol/generated/32-describe-configs.ts'

const timeoutMs = 10_000
const sizeConfig = 'max.message.bytes'
/** Our headers and what a batch of one record adds, generously. */
const roomBytes = 16 * 1_024
const topicResource = 2
/** From this version on the cluster chooses the number of replicas, if we say −1. */
const versionOfDefaults = 4

export class TopicMaker {
  readonly #wire: Wire
  readonly #metadata: Metadata
  /** One at a time for each topic; those who come meanwhile wait for the same. */
  readonly #running: Map<string, Promise<void>> = new Map()

  constructor(wire: Wire, metadata: Metadata) {
    this.#wire = wire
    this.#metadata = metadata
  }

  ensure(topic: string, like: string): Promise<void> {
    if (this.#metadata.topic(topic) !== undefined) return Promise.resolve()
    const running = this.#running.get(topic)
    if (running !== undefined) return running
    // A cluster that does not know one of these requests is one that does not let us: writing will tell.
    const making = this.#ensure(topic, like)
      .catch(() => undefined)
      .finally(() => this.#running.delete(topic))
    this.#running.set(topic, making)
    return making
  }

  async #ensure(topic: string, like: string): Promise<void> {
    // Asked here and not by way of `metadata`, which would have it made by the cluster, with the cluster's defaults.
    const answer = await this.#wire.ask(anyNode, metadataApi, {
      topics: [{ name: topic }],
      allowAutoTopicCreation: false,
    })
    if (answer?.body.topics[0]?.errorCode !== errorCodes.UNKNOWN_TOPIC_OR_PARTITION) return
    const numPartitions = this.#metadata.topic(like)?.partitions.length ?? 0
    if (numPartitions === 0) return
    const sizeMax = await this.#sizeMaxOf(like)
    const configs = sizeMax === null ? [] : [{ name: sizeConfig, value: String(sizeMax + roomBytes) }]
    await this.#wire.ask(anyNode, createTopicsApi, (version) => ({
      topics: [{ name: topic, numPartitions, replicationFactor: version < versionOfDefaults ? 1 : -1, configs }],
      timeoutMs,
      validateOnly: false,
    }))
  }

  /** null: it is the cluster's default, or we may not know. */
  async #sizeMaxOf(topic: string): Promise<number | null> {
    const answer = await this.#wire.ask(anyNode, describeConfigsApi, {
      resources: [{ resourceType: topicResource, resourceName: topic, configurationKeys: [sizeConfig] }],
    })
    const [result] = answer?.body.results ?? []
    if (result === undefined || result.errorCode !== errorCodes.NONE) return null
    const value = Number(result.configs.find(({ name }) => name === sizeConfig)?.value)
    return Number.isSafeInteger(value) && value > 0 && value + roomBytes < 2 ** 31 ? value : null
  }
}
