/**
 * CreateTopics: new topics, each on its own: one that is refused does not hold the others up.
 * v4 partitions and replicas may be left to the broker (-1) · v5 the answer has the configuration · v7 and the topic id.
 */
import { randomBytes } from 'node:crypto'
import { errorCodes } from '../../protocol/errors.ts'
import {
  type CreatableTopic,
  type CreatableTopicResult,
  type CreateTopicsRequest,
  createTopicsApi,
} from '../../protocol/generated/19-create-topics.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { creationEntries } from '../configs/entries.ts'
import { topicConfigsProblem } from '../configs/topic-configs.ts'
import { granted, type Outcome, outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { topicNameRefusal } from '../topics/name-refusal.ts'
import { assignmentsRefusal } from './assignments.ts'
import { isTooLate } from './controller-time.ts'

type Result = Input<CreatableTopicResult>

/** Kafka's controller writes no more records than this for one request. */
const partitionsPerRequestMax = 10_000
const tooMany = 'Excessively large number of partitions per request.'
const metadataTopic = '__cluster_metadata'

export function createTopics(broker: Broker): Route {
  return route(createTopicsApi, {
    handle: async (request) => {
      if (isTooLate(request)) return refuseAll(request, errorCodes.REQUEST_TIMED_OUT)
      const partitions = request.topics.reduce((sum, topic) => sum + partitionsOf(broker, topic), 0)
      if (partitions > partitionsPerRequestMax) return refuseAll(request, errorCodes.POLICY_VIOLATION, tooMany)
      const wanted = Map.groupBy(request.topics, ({ name }) => name)
      const results = [...wanted].map(([name, [topic, ...others]]) =>
        topic === undefined || others.length > 0
          ? failure(name, { errorCode: errorCodes.INVALID_REQUEST, errorMessage: 'Duplicate topic name.' })
          : create(broker, topic, request),
      )
      return { topics: await Promise.all(results) }
    },
    refuse: (request, errorCode) => refuseAll(request, errorCode),
  })
}

function refuseAll(
  { topics }: CreateTopicsRequest,
  errorCode: number,
  errorMessage: string | null = null,
): { topics: Result[] } {
  return { topics: topics.map(({ name }) => failure(name, { errorCode, errorMessage })) }
}

function failure(name: string, outcome: Outcome): Result {
  return { name, ...outcome }
}

async function create(broker: Broker, wanted: CreatableTopic, request: CreateTopicsRequest): Promise<Result> {
  const { name } = wanted
  try {
    const configs = checkedConfigs(broker, wanted)
    const partitions = checkedPartitions(broker, wanted)
    const topic = { name, partitions, configs }
    broker.topics.check(topic)
    const topicId = request.validateOnly
      ? randomBytes(16).toString('base64url')
      : (await broker.topics.create(topic)).id
    const entries = creationEntries(new Map(Object.entries(configs)), broker.config)
    return { name, topicId, ...granted, numPartitions: partitions, replicationFactor: 1, configs: entries }
  } catch (error) {
    return failure(name, outcomeOf(error))
  }
}

function partitionsOf(broker: Broker, { assignments, numPartitions }: CreatableTopic): number {
  if (assignments.length > 0) return assignments.length
  return numPartitions < 0 ? broker.config.number('num.partitions') : numPartitions
}

function checkedConfigs(broker: Broker, { name, configs }: CreatableTopic): Record<string, string> {
  if (name === metadataTopic) {
    throw new Refused('INVALID_REQUEST', `Creation of internal topic ${metadataTopic} is prohibited.`)
  }
  const badName = topicNameRefusal(name)
  if (badName !== undefined) throw badName
  if (broker.topics.get(name) !== undefined)
    throw new Refused('TOPIC_ALREADY_EXISTS', `Topic '${name}' already exists.`)
  const other = broker.topics.collidingWith(name)
  if (other !== undefined) {
    throw new Refused('INVALID_TOPIC_EXCEPTION', `Topic '${name}' collides with existing topic: ${other}`)
  }
  const empty = configs.filter(({ value }) => value === null)
  if (empty.length > 0) {
    const keys = empty.map((config) => config.name).join(',')
    throw new Refused('INVALID_CONFIG', `Null value not supported for topic configs: ${keys}`)
  }
  const values = Object.fromEntries(configs.map((config) => [config.name, config.value ?? '']))
  const problem = topicConfigsProblem(values, broker.config.topicDefaults())
  if (problem !== undefined) throw new Refused('INVALID_CONFIG', problem)
  return values
}

function checkedPartitions(broker: Broker, wanted: CreatableTopic): number {
  const { assignments, numPartitions, replicationFactor } = wanted
  if (assignments.length > 0) {
    const both = 'A manual partition assignment was specified, but'
    if (replicationFactor !== -1) throw new Refused('INVALID_REQUEST', `${both} replication factor was not set to -1.`)
    if (numPartitions !== -1) throw new Refused('INVALID_REQUEST', `${both} numPartitions was not set to -1.`)
    const refusal = assignmentsRefusal(assignments)
    if (refusal !== undefined) throw refusal
    return assignments.length
  }
  if (replicationFactor < -1 || replicationFactor === 0) {
    const why = 'Replication factor must be larger than 0, or -1 to use the default value.'
    throw new Refused('INVALID_REPLICATION_FACTOR', why)
  }
  if (numPartitions < -1 || numPartitions === 0) {
    throw new Refused('INVALID_PARTITIONS', 'Number of partitions was set to an invalid non-positive value.')
  }
  const replicas = replicationFactor === -1 ? broker.config.number('default.replication.factor') : replicationFactor
  if (replicas > 1) {
    const why = `The target replication factor of ${replicas} cannot be reached because only 1 broker(s) are registered.`
    throw new Refused('INVALID_REPLICATION_FACTOR', `Unable to replicate the partition ${replicas} time(s): ${why}`)
  }
  return partitionsOf(broker, wanted)
}
