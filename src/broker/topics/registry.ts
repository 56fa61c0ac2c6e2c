/**
 * All topics: created, deleted, grown and configured here and nowhere else. A change is durable in the metadata store before
 * anybody is told of it; files that no stored topic owns (a crash in between) are removed at start.
 */
import { randomBytes } from 'node:crypto'
import { FanlaneError } from '../../errors.ts'
import { type ErrorName, errorCodes } from '../../protocol/errors.ts'
import type { Uuid } from '../../protocol/types.ts'
import type { BrokerLog } from '../broker-log.ts'
import { configProblem } from '../configs/definition.ts'
import { type TopicSettings, topicConfigs, topicSettings } from '../configs/topic-configs.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import type { MetadataStore, TopicDocument } from '../state/metadata-store.ts'
import type { Ending } from '../teardown.ts'
import { internalTopics, topicFolder, topicNameProblem } from './names.ts'
import { TopicRoom } from './room.ts'
import type { Partition, Topic } from './topic.ts'

/** A change that was refused, with the code that a client gets. */
export class TopicRefused extends FanlaneError {
  readonly errorCode: number

  constructor(error: ErrorName, message: string) {
    super(error, message)
    this.name = 'TopicRefused'
    this.errorCode = errorCodes[error]
  }
}

/** What the registry needs of the storage. */
export interface TopicFiles {
  open(
    folder: string,
    partition: number,
    settings: TopicSettings,
    leaderEpoch: number,
    isInternal: boolean,
  ): Promise<PartitionLog>
  /** Removes every topic folder that is not in the set. */
  removeOthers(folders: ReadonlySet<string>): Promise<void>
  removeFolder(folder: string): Promise<void>
}

export interface TopicLimits {
  readonly partitionsMax: number
}

/** What a topic gets that was not told otherwise. */
export interface TopicDefaults {
  readonly partitions: number
  readonly configs: Readonly<Record<string, string>>
}

export interface NewTopic {
  readonly name: string
  readonly partitions: number
  readonly configs: Readonly<Record<string, string | null>>
}

interface MutableTopic extends Topic {
  readonly folder: string
  readonly bornAt: number[]
  partitions: Partition[]
  configs: ReadonlyMap<string, string>
  settings: TopicSettings
}

const closedAtOnceMax = 8

export class TopicRegistry {
  readonly #store: MetadataStore
  readonly #storage: TopicFiles
  readonly #starts: number
  readonly #defaults: () => TopicDefaults
  readonly #byName = new Map<string, MutableTopic>()
  readonly #byId = new Map<Uuid, MutableTopic>()
  /** Names on their way in: two requests for the same new topic make one. */
  readonly #creating = new Map<string, Promise<Topic>>()
  readonly #removals = new Set<Promise<void>>()
  readonly #room: TopicRoom
  readonly #log: BrokerLog
  readonly #listeners: (() => void)[] = []
  readonly #deletionListeners: ((topic: Topic) => void)[] = []

  constructor(
    store: MetadataStore,
    storage: TopicFiles,
    starts: number,
    limits: TopicLimits,
    defaults: () => TopicDefaults,
    log: BrokerLog,
  ) {
    this.#store = store
    this.#storage = storage
    this.#starts = starts
    this.#room = new TopicRoom(limits.partitionsMax)
    this.#defaults = defaults
    this.#log = log
  }

  /** Opens everything that was stored. */
  async load(): Promise<void> {
    const stored = [...this.#store.all('topic')]
    await this.#storage.removeOthers(new Set(stored.map(([name, { id }]) => topicFolder(name, idHex(id)))))
    for (const [name, { id, bornAt, configs }] of stored) {
      const topic = this.#newTopic(name, id, new Map(Object.entries(configs)))
      topic.bornAt.push(...bornAt)
      topic.partitions = await Promise.all(bornAt.map((_, index) => this.#openPartition(topic, index)))
      this.#room.take(name, bornAt.length)
      this.#publish(topic)
    }
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name)
  }

  byId(id: Uuid): Topic | undefined {
    return this.#byId.get(id)
  }

  all(): Iterable<Topic> {
    return this.#byName.values()
  }

  *partitions(): Generator<Partition> {
    for (const topic of this.#byName.values()) yield* topic.partitions
  }

  // The view that coordinators have.

  partitionCount(topic: string): number | undefined {
    return this.#byName.get(topic)?.partitions.length
  }

  topicId(topic: string): Uuid | undefined {
    return this.#byName.get(topic)?.id
  }

  topicName(id: Uuid): string | undefined {
    return this.#byId.get(id)?.name
  }

  names(): Iterable<string> {
    return this.#byName.keys()
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  onDeleted(listener: (topic: Topic) => void): void {
    this.#deletionListeners.push(listener)
  }

  // Changes.

  /** Creates a topic that a client merely mentioned. A name that is refused stays unknown. */
  async autoCreate(name: string): Promise<void> {
    try {
      await this.create({ name, partitions: this.#defaults().partitions, configs: {} })
    } catch (error) {
      if (!(error instanceof TopicRefused)) throw error
    }
  }

  async create(wanted: NewTopic): Promise<Topic> {
    this.check(wanted)
    // Taken in the same step: whoever asks next, before this one is made, finds name and room gone.
    this.#room.take(wanted.name, wanted.partitions)
    const creation = this.#create(wanted, internalTopics.has(wanted.name))
    this.#creating.set(wanted.name, creation)
    try {
      return await creation
    } catch (error) {
      this.#room.giveBack(wanted.name, wanted.partitions)
      throw error
    } finally {
      this.#creating.delete(wanted.name)
    }
  }

  /** Throws what is wrong with a wish for a new topic. */
  check(wanted: NewTopic): void {
    const problem = topicNameProblem(wanted.name)
    if (problem !== undefined) throw new TopicRefused('INVALID_TOPIC_EXCEPTION', problem)
    if (this.#byName.has(wanted.name) || this.#creating.has(wanted.name)) {
      throw new TopicRefused('TOPIC_ALREADY_EXISTS', `Topic '${wanted.name}' already exists.`)
    }
    const other = this.collidingWith(wanted.name)
    if (other !== undefined) {
      throw new TopicRefused('INVALID_TOPIC_EXCEPTION', `Topic '${wanted.name}' collides with existing topic: ${other}`)
    }
    if (wanted.partitions < 1)
      throw new TopicRefused('INVALID_PARTITIONS', 'Number of partitions was set to an invalid non-positive value.')
    this.#checkRoom(wanted.partitions)
    checkConfigs(wanted.configs)
  }

  /** The topic, there or on its way, that a new one of this name could not stand beside. */
  collidingWith(name: string): string | undefined {
    return this.#room.collidingWith(name)
  }

  async delete(name: string): Promise<void> {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new TopicRefused('UNKNOWN_TOPIC_OR_PARTITION', `Topic '${name}' does not exist.`)
    if (topic.isInternal)
      throw new TopicRefused('INVALID_REQUEST', `Topic '${name}' is the broker's own and cannot be deleted.`)
    this.#byName.delete(name)
    this.#byId.delete(topic.id)
    this.#room.giveBack(name, topic.bornAt.length)
    await this.#store.put('topic', name, undefined)
    for (const listener of this.#deletionListeners) listener(topic)
    this.#tell()
    // The topic is gone; its files follow. Thousands of them take seconds, and should this be cut short, the next start goes on.
    const removal = this.#removeFiles(topic).finally(() => this.#removals.delete(removal))
    this.#removals.add(removal)
  }

  async #removeFiles(topic: MutableTopic): Promise<void> {
    try {
      for (const { log } of topic.partitions) await log.delete()
      await this.#storage.removeFolder(topic.folder)
    } catch (error) {
      this.#log.error(`the files of the deleted topic ${topic.name} could not be removed`, error)
    }
  }

  async addPartitions(name: string, total: number, validateOnly = false): Promise<void> {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new TopicRefused('UNKNOWN_TOPIC_OR_PARTITION', `Topic '${name}' does not exist.`)
    const present = topic.partitions.length
    if (total < present) {
      throw new TopicRefused(
        'INVALID_PARTITIONS',
        `The topic ${name} currently has ${present} partition(s); ${total} would not be an increase.`,
      )
    }
    if (total === present) throw new TopicRefused('INVALID_PARTITIONS', `Topic already has ${present} partition(s).`)
    this.#checkRoom(total - present)
    if (validateOnly) return
    const known = topic.bornAt.length
    for (let index = known; index < total; index++) topic.bornAt.push(this.#starts)
    this.#room.grow(topic.bornAt.length - known)
    // Counted before the wait: a change of the configuration that comes meanwhile stores the topic as it will be. With the
    // old number its document would be the last word, and the next start would not find the new partitions.
    await this.#store.put('topic', name, this.#document(topic))
    const added = await Promise.all(
      topic.bornAt.slice(present, total).map((_, i) => this.#openPartition(topic, present + i)),
    )
    topic.partitions = [...topic.partitions, ...added]
    this.#tell()
  }

  /** The whole configuration of a topic, replaced. Values were merged by the caller. */
  async configure(name: string, configs: Readonly<Record<string, string | null>>): Promise<void> {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new TopicRefused('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${name}' does not exist.`)
    checkConfigs(configs)
    topic.configs = new Map(Object.entries(configs).filter((entry): entry is [string, string] => entry[1] !== null))
    topic.settings = this.#settings(topic.configs)
    for (const { log } of topic.partitions) log.setConfig(logConfig(topic.settings))
    await this.#store.put('topic', name, this.#document(topic))
  }

  /** A default of the broker has changed: every topic without a value of its own follows. */
  defaultsChanged(): void {
    for (const topic of this.#byName.values()) {
      topic.settings = this.#settings(topic.configs)
      for (const { log } of topic.partitions) log.setConfig(logConfig(topic.settings))
    }
  }

  async close(ending: Ending): Promise<void> {
    await Promise.all(this.#removals)
    // Several at a time: each closing waits for the disk, and one after the other thousands take longer than anybody waits.
    // All of them get their turn, whatever becomes of one.
    const logs = Array.from(this.partitions(), ({ log }) => log).values()
    const errors: unknown[] = []
    const closeSome = async (): Promise<void> => {
      for (const log of logs) {
        try {
          await (ending === 'graceful' ? log.close() : log.abandon())
        } catch (error) {
          errors.push(error)
        }
      }
    }
    await Promise.all(Array.from({ length: closedAtOnceMax }, closeSome))
    if (errors.length > 0) throw errors[0]
  }

  async #create(wanted: NewTopic, isInternal: boolean): Promise<Topic> {
    const configs = new Map(
      Object.entries(wanted.configs).filter((entry): entry is [string, string] => entry[1] !== null),
    )
    const topic = this.#newTopic(wanted.name, randomBytes(16).toString('base64url'), configs, isInternal)
    for (let i = 0; i < wanted.partitions; i++) topic.bornAt.push(this.#starts)
    topic.partitions = await Promise.all(topic.bornAt.map((_, index) => this.#openPartition(topic, index)))
    await this.#store.put('topic', wanted.name, this.#document(topic))
    this.#publish(topic)
    this.#tell()
    return topic
  }

  #newTopic(
    name: string,
    id: Uuid,
    configs: ReadonlyMap<string, string>,
    isInternal = internalTopics.has(name),
  ): MutableTopic {
    const settings = this.#settings(configs)
    return { name, id, isInternal, partitions: [], configs, settings, folder: topicFolder(name, idHex(id)), bornAt: [] }
  }

  #settings(configs: ReadonlyMap<string, string>): TopicSettings {
    return topicSettings(new Map([...Object.entries(this.#defaults().configs), ...configs]))
  }

  async #openPartition(topic: MutableTopic, index: number): Promise<Partition> {
    const leaderEpoch = this.#starts - (topic.bornAt[index] ?? this.#starts)
    const log = await this.#storage.open(topic.folder, index, topic.settings, leaderEpoch, topic.isInternal)
    return { topic, index, log, leaderEpoch }
  }

  #document({ id, bornAt, configs }: MutableTopic): TopicDocument {
    return { id, bornAt: [...bornAt], configs: Object.fromEntries(configs) }
  }

  #publish(topic: MutableTopic): void {
    this.#byName.set(topic.name, topic)
    this.#byId.set(topic.id, topic)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #checkRoom(added: number): void {
    const problem = this.#room.problem(added)
    if (problem !== undefined) throw new TopicRefused('POLICY_VIOLATION', problem)
  }
}

function idHex(id: Uuid): string {
  return Buffer.from(id, 'base64url').toString('hex')
}

function checkConfigs(configs: Readonly<Record<string, string | null>>): void {
  for (const [key, value] of Object.entries(configs)) {
    const problem = configProblem(topicConfigs, key, value)
    if (problem !== undefined) throw new TopicRefused('INVALID_CONFIG', problem)
  }
}

/** The part of a topic's settings that its logs obey. */
export function logConfig(settings: TopicSettings): Parameters<PartitionLog['setConfig']>[0] {
  return {
    segmentBytes: settings.segmentBytes,
    segmentMs: settings.segmentMs,
    indexIntervalBytes: settings.indexIntervalBytes,
    retentionMs: settings.retentionMs,
    retentionBytes: settings.retentionBytes,
    deletes: settings.cleanupPolicies.has('delete'),
    compacts: settings.cleanupPolicies.has('compact'),
    timestampType: settings.timestampType,
  }
}
