/**
 * Metadata: brokers, topics, partitions and their leaders; creates topics that are asked for, where that is allowed.
 * v0 empty list = all topics · v1 null = all · v4 auto-creation can be switched off · v10 topic ids · v12 by id · v13 an error
 * code for the whole answer.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type MetadataRequest,
  type MetadataResponse,
  type MetadataResponseTopic,
  metadataApi,
} from '../../protocol/generated/03-metadata.ts'
import { type Input, zeroUuid } from '../../protocol/types.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { topicNameProblem } from '../topics/names.ts'
import type { Topic } from '../topics/topic.ts'
import { authorizedOperations } from './authorized-operations.ts'

export function metadata(broker: Broker): Route {
  return route(metadataApi, {
    handle: (request, { version }) => {
      const asked = askedTopics(request, version)
      if (asked === 'all')
        return answer(
          broker,
          request,
          [...broker.topics.all()].map((t) => describe(t, request)),
        )
      const missing = asked.filter((t) => t.topicId === zeroUuid && needsCreation(broker, t.name ?? '', request))
      // As in Kafka, the request that sets a creation off is told that the topic is unknown; the next one finds it. Clients
      // count on it: one that looks whether a deleted topic is gone must not see the topic that its look brought back.
      const topics = asked.map((t) => one(broker, t, request))
      if (missing.length === 0) return answer(broker, request, topics)
      const creations = missing.map(({ name }) => broker.topics.autoCreate(name ?? ''))
      return Promise.all(creations).then(() => answer(broker, request, topics))
    },
    refuse: (request, errorCode, { version }) => {
      const asked = askedTopics(request, version)
      const topics = (asked === 'all' ? [] : asked).map((t) => ({ ...nameOf(t), errorCode }))
      return { ...answer(broker, request, topics), errorCode }
    },
  })
}

type Asked = { readonly name: string | null; readonly topicId: string }

function askedTopics(request: MetadataRequest, version: number): 'all' | readonly Asked[] {
  if (request.topics === null || (version === 0 && request.topics.length === 0)) return 'all'
  return request.topics
}

function nameOf(asked: Asked): Input<MetadataResponseTopic> {
  return { name: asked.topicId === zeroUuid ? (asked.name ?? '') : null, topicId: asked.topicId }
}

function needsCreation(broker: Broker, name: string, request: MetadataRequest): boolean {
  return (
    request.allowAutoTopicCreation &&
    broker.config.boolean('auto.create.topics.enable') &&
    broker.topics.get(name) === undefined &&
    topicNameProblem(name) === undefined
  )
}

function one(broker: Broker, asked: Asked, request: MetadataRequest): Input<MetadataResponseTopic> {
  // Java's client sends an empty name beside an id: where there is an id, it counts.
  const byName = asked.topicId === zeroUuid
  const name = asked.name ?? ''
  const topic = byName ? broker.topics.get(name) : broker.topics.byId(asked.topicId)
  if (topic !== undefined) return describe(topic, request)
  const errorCode = !byName
    ? errorCodes.UNKNOWN_TOPIC_ID
    : topicNameProblem(name) === undefined
      ? errorCodes.UNKNOWN_TOPIC_OR_PARTITION
      : errorCodes.INVALID_TOPIC_EXCEPTION
  return { ...nameOf(asked), errorCode, isInternal: false, partitions: [] }
}

function describe(topic: Topic, request: MetadataRequest): Input<MetadataResponseTopic> {
  const replicas = [nodeId]
  return {
    errorCode: errorCodes.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: topic.isInternal,
    partitions: topic.partitions.map(({ index, leaderEpoch }) => ({
      errorCode: errorCodes.NONE,
      partitionIndex: index,
      leaderId: nodeId,
      leaderEpoch,
      replicaNodes: replicas,
      isrNodes: replicas,
    })),
    ...(request.includeTopicAuthorizedOperations ? { topicAuthorizedOperations: authorizedOperations.topic } : {}),
  }
}

function answer(
  broker: Broker,
  request: MetadataRequest,
  topics: readonly Input<MetadataResponseTopic>[],
): Input<MetadataResponse> {
  const { host, port } = broker.advertised
  return {
    brokers: [{ nodeId: nodeId, host, port, rack: null }],
    clusterId: broker.clusterId,
    controllerId: nodeId,
    topics,
    ...(request.includeClusterAuthorizedOperations
      ? { clusterAuthorizedOperations: authorizedOperations.cluster }
      : {}),
  }
}
