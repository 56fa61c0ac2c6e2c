/**
 * What Metadata says: which topics there are, their ids and partitions, and who leads each partition. Only kept here; whoever
 * notices that it is old asks for it again. Questions of one moment share one request.
 */
import { errorCodes } from '../protocol/errors.ts'
import { type MetadataResponseTopic, metadataApi } from '../protocol/generated/03-metadata.ts'
import { zeroUuid } from '../protocol/types.ts'
import { anyNode, type Wire } from './wire.ts'

export interface PartitionInfo {
  /** −1: there is none at the moment. */
  readonly leader: number
  readonly leaderEpoch: number
}

export interface TopicInfo {
  readonly name: string
  readonly id: string
  readonly isInternal: boolean
  readonly partitions: readonly PartitionInfo[]
}

export const noPartition: PartitionInfo = { leader: -1, leaderEpoch: -1 }

/** By topic: what it is now, or the error code that it was answered with. */
export type TopicAnswers = ReadonlyMap<string, TopicInfo | number>

export interface MetadataOptions {
  /** Topics that are asked for by name are created where the broker allows it; one that was there and is gone is not. */
  readonly autoCreate: boolean
}

export class Metadata {
  readonly #wire: Wire
  readonly #options: MetadataOptions
  readonly #topics: Map<string, TopicInfo> = new Map()
  readonly #byId: Map<string, string> = new Map()
  /** Topics that were there once. Whoever deletes one does not want it back because we look for it. */
  readonly #seen: Set<string> = new Set()
  #pending: { readonly names: Set<string>; readonly answer: Promise<TopicAnswers | null> } | null = null

  constructor(wire: Wire, options: MetadataOptions = { autoCreate: false }) {
    this.#wire = wire
    this.#options = options
  }

  topic(name: string): TopicInfo | undefined {
    return this.#topics.get(name)
  }

  nameOf(id: string): string | undefined {
    return this.#byId.get(id)
  }

  partition(topic: string, partition: number): PartitionInfo {
    return this.#topics.get(topic)?.partitions[partition] ?? noPartition
  }

  /** These topics as they are now; null: no answer. A topic that is gone is forgotten. */
  refresh(names: readonly string[]): Promise<TopicAnswers | null> {
    if (names.length === 0) return Promise.resolve(new Map())
    if (this.#pending !== null) {
      for (const name of names) this.#pending.names.add(name)
      return this.#pending.answer
    }
    const asked = new Set(names)
    const { promise, resolve, reject } = Promise.withResolvers<TopicAnswers | null>()
    this.#pending = { names: asked, answer: promise }
    // In a turn of its own, so that everybody who notices the same change shares the question.
    this.#wire.clock.soon(() => {
      this.#pending = null
      this.#askByName([...asked]).then(resolve, reject)
    })
    return promise
  }

  /** All topics of the cluster, for patterns; null: no answer. */
  async refreshAll(): Promise<readonly TopicInfo[] | null> {
    const answers = await this.#ask(null, false)
    if (answers === null) return null
    return [...answers.values()].filter((answer) => typeof answer === 'object')
  }

  /** One request says for all of its topics whether they may be created. */
  async #askByName(names: readonly string[]): Promise<TopicAnswers | null> {
    const isSeen = (name: string): boolean => !this.#options.autoCreate || this.#seen.has(name)
    const { true: seen = [], false: unseen = [] } = Object.groupBy(names, (name) => `${isSeen(name)}` as const)
    if (unseen.length === 0) return this.#ask(seen, false)
    const [created, known] = await Promise.all([
      this.#ask(unseen, true),
      seen.length === 0 ? none : this.#ask(seen, false),
    ])
    return created === null || known === null ? null : new Map([...created, ...known])
  }

  async #ask(names: readonly string[] | null, allowAutoTopicCreation: boolean): Promise<TopicAnswers | null> {
    const topics = names === null ? null : names.map((name) => ({ name }))
    const answer = await this.#wire.ask(anyNode, metadataApi, { topics, allowAutoTopicCreation })
    if (answer === null || answer.body.errorCode !== errorCodes.NONE) return null
    // A broker that is starting may not know the others yet.
    if (answer.body.brokers.length > 0) this.#wire.learnNodes(answer.body.brokers, true)
    const answers = new Map<string, TopicInfo | number>()
    for (const topic of answer.body.topics) {
      if (topic.name !== null) answers.set(topic.name, this.#take(topic, topic.name))
    }
    if (names === null) for (const name of this.#topics.keys()) if (!answers.has(name)) this.#forget(name)
    return answers
  }

  #take(topic: MetadataResponseTopic, name: string): TopicInfo | number {
    if (topic.errorCode !== errorCodes.NONE) {
      // Without a leader somewhere the rest is still right; a topic that is gone is gone.
      if (topic.errorCode === errorCodes.UNKNOWN_TOPIC_OR_PARTITION) this.#forget(name)
      if (topic.errorCode !== errorCodes.LEADER_NOT_AVAILABLE) return topic.errorCode
    }
    const partitions: PartitionInfo[] = []
    const before = this.#topics.get(name)
    for (const { partitionIndex, leaderId, leaderEpoch } of topic.partitions) {
      partitions[partitionIndex] = newest({ leader: leaderId, leaderEpoch }, before, topic.topicId, partitionIndex)
    }
    for (let index = 0; index < partitions.length; index++) partitions[index] ??= noPartition
    const info = { name, id: topic.topicId, isInternal: topic.isInternal, partitions }
    this.#forget(name)
    this.#topics.set(name, info)
    this.#seen.add(name)
    if (info.id !== zeroUuid) this.#byId.set(info.id, name)
    return info
  }

  #forget(name: string): void {
    const before = this.#topics.get(name)
    if (before === undefined) return
    this.#topics.delete(name)
    this.#byId.delete(before.id)
  }
}

const none: TopicAnswers = new Map()

/** A broker that lags behind may tell of a leader that has been replaced already: what is newer counts. */
function newest(told: PartitionInfo, before: TopicInfo | undefined, id: string, index: number): PartitionInfo {
  const known = before?.id === id ? before.partitions[index] : undefined
  return known !== undefined && told.leaderEpoch >= 0 && known.leaderEpoch > told.leaderEpoch ? known : told
}
