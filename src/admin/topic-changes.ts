/**
 * Creating, deleting and growing topics.
 *
 * A request that met silence may have been applied. It is sent again, and if the answer then is "that exists already" (or
 * "there is no such topic" for deleting, "it has that many" for growing), it counts as done with `confirmed: false`: most
 * likely it was our first try, and in any case the cluster is as it was asked to be. What exists but differs in its number
 * of partitions from what was asked for was not made by us, and is an error.
 */
import type { Answer } from '../cluster/wire.ts'
import { errorCodes } from '../protocol/errors.ts'
import type { MetadataResponse } from '../protocol/generated/03-metadata.ts'
import { createTopicsApi } from '../protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../protocol/generated/20-delete-topics.ts'
import { createPartitionsApi } from '../protocol/generated/37-create-partitions.ts'
import { names as checkedNames, listed, orNull, whole } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { type Errand, run } from './errand.ts'
import { askController, askMetadata, learnController } from './routes.ts'
import { idOf } from './topics.ts'

export interface NewTopic {
  readonly name: string
  /** Default: the cluster's num.partitions. */
  readonly partitions?: number
  /** Default: the cluster's default.replication.factor. */
  readonly replicationFactor?: number
  readonly configs?: Readonly<Record<string, string | number | boolean>>
  /** For each partition its brokers, the preferred leader first; instead of the two numbers. */
  readonly assignments?: readonly (readonly number[])[]
}

export interface CreatedTopic {
  readonly name: string
  /** null: not told, by a broker that is too old or by one that only looked (`validateOnly`). */
  readonly id: string | null
  readonly partitions: number | null
  readonly replicationFactor: number | null
  /** False: an earlier try met silence, and now the topic is there. */
  readonly confirmed: boolean
}

export interface NewPartitions {
  readonly topic: string
  /** How many there are to be, not how many more. */
  readonly count: number
  /** For each new partition its brokers, the preferred leader first. */
  readonly assignments?: readonly (readonly number[])[]
}

export interface ChangedTopic {
  readonly name: string
  /** False: an earlier try met silence, and now it is as asked. */
  readonly confirmed: boolean
}

export interface ChangeOptions extends CallOptions {
  /** Only look whether it would be done. */
  readonly validateOnly?: boolean
}

/** From this version on topics are deleted by name or id. */
const byIdFrom = 6

export function createTopics(
  context: AdminContext,
  topics: readonly NewTopic[],
  options: ChangeOptions,
): Promise<readonly CreatedTopic[]> {
  const { validateOnly = false } = options
  const requests = new Map(listed(topics, 'topics', ({ name }) => name).map((topic) => [topic, creation(topic)]))
  return run<NewTopic, CreatedTopic>(context, {
    request: createTopicsApi.name,
    items: topics,
    nameOf: ({ name }) => name,
    deadline: deadlineOf(context, options),
    attempt: async (open, errand) => {
      const request = {
        topics: open.map((topic) => requests.get(topic) ?? {}),
        timeoutMs: errand.patienceMs,
        validateOnly,
      }
      const answer = await askController(errand, open, createTopicsApi, request, { applies: !validateOnly })
      const existing: NewTopic[] = []
      for (const told of answer?.body.topics ?? []) {
        const topic = open.find(({ name }) => name === told.name)
        if (topic === undefined || answer === null) continue
        learnController(context, told.errorCode)
        if (told.errorCode === errorCodes.NONE) {
          errand.done(topic, {
            name: told.name,
            id: idOf(told.topicId),
            partitions: orNull(told.numPartitions),
            replicationFactor: orNull(told.replicationFactor),
            confirmed: true,
          })
        } else if (told.errorCode === errorCodes.TOPIC_ALREADY_EXISTS && errand.isUnsure(topic)) existing.push(topic)
        else errand.refused(topic, told.errorCode, answer.node, createTopicsApi, told.errorMessage)
      }
      if (existing.length > 0) await lookAgain(errand, existing)
    },
  })
}

/** The topics are there after a silence: are they what was asked for? */
async function lookAgain(errand: Errand<NewTopic, CreatedTopic>, existing: readonly NewTopic[]): Promise<void> {
  const names = existing.map(({ name }) => name)
  const answer = await askMetadata(errand, existing, names)
  for (const topic of existing) {
    const found = topicOf(answer, topic.name)
    if (found === undefined || answer === null) continue
    const wanted = topic.assignments?.length ?? topic.partitions ?? found.partitions.length
    if (wanted === found.partitions.length) {
      errand.done(topic, {
        name: topic.name,
        id: idOf(found.topicId),
        partitions: found.partitions.length,
        replicationFactor: found.partitions[0]?.replicaNodes.length ?? null,
        confirmed: false,
      })
    } else {
      const detail = `it has ${found.partitions.length} partitions`
      errand.refused(topic, errorCodes.TOPIC_ALREADY_EXISTS, answer.node, createTopicsApi, detail)
    }
  }
}

function topicOf(
  answer: Answer<MetadataResponse> | null,
  name: string,
): MetadataResponse['topics'][number] | undefined {
  return answer?.body.topics.find((each) => each.name === name && each.errorCode === errorCodes.NONE)
}

export function deleteTopics(
  context: AdminContext,
  names: readonly string[],
  options: CallOptions,
): Promise<readonly ChangedTopic[]> {
  return run<string, ChangedTopic>(context, {
    request: deleteTopicsApi.name,
    items: checkedNames(names, 'names'),
    nameOf: (name) => name,
    deadline: deadlineOf(context, options),
    attempt: async (open, errand) => {
      const timeoutMs = errand.patienceMs
      const question = (version: number): object =>
        version < byIdFrom ? { topicNames: open, timeoutMs } : { topics: open.map((name) => ({ name })), timeoutMs }
      const answer = await askController(errand, open, deleteTopicsApi, question, { applies: true })
      for (const { name, errorCode, errorMessage } of answer?.body.responses ?? []) {
        if (name === null || !open.includes(name) || answer === null) continue
        learnController(context, errorCode)
        const isGone = errorCode === errorCodes.UNKNOWN_TOPIC_OR_PARTITION && errand.isUnsure(name)
        if (errorCode === errorCodes.NONE || isGone) errand.done(name, { name, confirmed: !isGone })
        else errand.refused(name, errorCode, answer.node, deleteTopicsApi, errorMessage)
      }
    },
  })
}

export function createPartitions(
  context: AdminContext,
  topics: readonly NewPartitions[],
  options: ChangeOptions,
): Promise<readonly ChangedTopic[]> {
  const { validateOnly = false } = options
  for (const { count } of listed(topics, 'topics', ({ topic }) => topic)) whole(count, 'count', 1)
  return run<NewPartitions, ChangedTopic>(context, {
    request: createPartitionsApi.name,
    items: topics,
    nameOf: ({ topic }) => topic,
    deadline: deadlineOf(context, options),
    attempt: async (open, errand) => {
      const request = {
        topics: open.map(({ topic, count, assignments }) => ({
          name: topic,
          count,
          assignments: assignments?.map((brokerIds) => ({ brokerIds })) ?? null,
        })),
        timeoutMs: errand.patienceMs,
        validateOnly,
      }
      const answer = await askController(errand, open, createPartitionsApi, request, { applies: !validateOnly })
      const grown: NewPartitions[] = []
      for (const { name, errorCode, errorMessage } of answer?.body.results ?? []) {
        const item = open.find(({ topic }) => topic === name)
        if (item === undefined || answer === null) continue
        learnController(context, errorCode)
        if (errorCode === errorCodes.NONE) errand.done(item, { name, confirmed: true })
        else if (errorCode === errorCodes.INVALID_PARTITIONS && errand.isUnsure(item)) grown.push(item)
        else errand.refused(item, errorCode, answer.node, createPartitionsApi, errorMessage)
      }
      if (grown.length > 0) await countAgain(errand, grown)
    },
  })
}

async function countAgain(errand: Errand<NewPartitions, ChangedTopic>, grown: readonly NewPartitions[]): Promise<void> {
  const names = grown.map(({ topic }) => topic)
  const answer = await askMetadata(errand, grown, names)
  for (const item of grown) {
    const found = topicOf(answer, item.topic)
    if (found === undefined || answer === null) continue
    if (found.partitions.length === item.count) errand.done(item, { name: item.topic, confirmed: false })
    // With fewer, this broker has not heard yet: a topic never shrinks.
    else if (found.partitions.length > item.count) {
      const detail = `it has ${found.partitions.length} partitions`
      errand.refused(item, errorCodes.INVALID_PARTITIONS, answer.node, createPartitionsApi, detail)
    }
  }
}

function creation({ name, partitions, replicationFactor, configs = {}, assignments = [] }: NewTopic): object {
  const isPlaced = assignments.length > 0
  return {
    name,
    numPartitions: isPlaced || partitions === undefined ? -1 : whole(partitions, 'partitions', 1),
    replicationFactor:
      isPlaced || replicationFactor === undefined ? -1 : whole(replicationFactor, 'replicationFactor', 1),
    assignments: assignments.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
    configs: Object.entries(configs).map(([config, value]) => ({ name: config, value: String(value) })),
  }
}
