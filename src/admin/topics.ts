/** Topics as brokers see them now. */
import { errorCodes } from '../protocol/errors.ts'
import { type MetadataResponseTopic, metadataApi } from '../protocol/generated/03-metadata.ts'
import { zeroUuid } from '../protocol/types.ts'
import { names as checkedNames, orNull } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { askMetadata } from './routes.ts'

export interface TopicListing {
  readonly name: string
  /** null: the broker is too old for ids. */
  readonly id: string | null
  /** Kafka's own: `__consumer_offsets`, `__transaction_state`. */
  readonly isInternal: boolean
  readonly partitions: number
  /** Of the partition with the fewest replicas. */
  readonly replicationFactor: number
}

export interface PartitionDescription {
  readonly partition: number
  /** null: there is none at the moment. */
  readonly leader: number | null
  readonly leaderEpoch: number | null
  readonly replicas: readonly number[]
  /** Replicas that have all that was acknowledged. */
  readonly isr: readonly number[]
  /** Replicas whose broker or disk is down. */
  readonly offline: readonly number[]
}

export interface TopicDescription {
  readonly name: string
  readonly id: string | null
  readonly isInternal: boolean
  readonly partitions: readonly PartitionDescription[]
}

export interface ListTopicsOptions extends CallOptions {
  /** Kafka's own topics as well. Default false. */
  readonly internal?: boolean
}

/** Sorted by name. */
export async function listTopics(context: AdminContext, options: ListTopicsOptions): Promise<readonly TopicListing[]> {
  const { internal = false } = options
  const [topics = []] = await run<string, readonly MetadataResponseTopic[]>(context, {
    request: 'Metadata',
    items: ['all topics'],
    nameOf: (name) => name,
    deadline: deadlineOf(context, options),
    attempt: async (items, errand) => {
      const answer = await askMetadata(errand, items, null)
      for (const item of answer === null ? [] : items) errand.done(item, answer?.body.topics ?? [])
    },
  })
  return topics
    .filter(({ name, isInternal }) => name !== null && (internal || !isInternal))
    .map(listing)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function describeTopics(
  context: AdminContext,
  names: readonly string[],
  options: CallOptions,
): Promise<readonly TopicDescription[]> {
  return run<string, TopicDescription>(context, {
    request: 'Metadata',
    items: checkedNames(names, 'names'),
    nameOf: (name) => name,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: async (items, errand) => {
      const answer = await askMetadata(errand, items, items)
      const asked = new Set(items)
      for (const topic of answer?.body.topics ?? []) {
        if (answer === null || topic.name === null || !asked.has(topic.name)) continue
        if (topic.errorCode === errorCodes.NONE) errand.done(topic.name, description(topic))
        else errand.refused(topic.name, topic.errorCode, answer.node, metadataApi)
      }
    },
  })
}

function listing({ name, topicId, isInternal, partitions }: MetadataResponseTopic): TopicListing {
  const replicationFactor = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length))
  return {
    name: name ?? '',
    id: idOf(topicId),
    isInternal,
    partitions: partitions.length,
    replicationFactor: partitions.length === 0 ? 0 : replicationFactor,
  }
}

function description({ name, topicId, isInternal, partitions }: MetadataResponseTopic): TopicDescription {
  return {
    name: name ?? '',
    id: idOf(topicId),
    isInternal,
    partitions: partitions
      .map(({ partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, offlineReplicas }) => ({
        partition: partitionIndex,
        leader: orNull(leaderId),
        leaderEpoch: orNull(leaderEpoch),
        replicas: replicaNodes,
        isr: isrNodes,
        offline: offlineReplicas,
      }))
      .sort((a, b) => a.partition - b.partition),
  }
}

export function idOf(id: string): string | null {
  return id === zeroUuid ? null : id
}
