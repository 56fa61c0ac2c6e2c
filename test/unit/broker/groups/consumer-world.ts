/** A consumer group alone: a clock that stands still, topics in memory, a state log that is a list. */
import { ManualClock } from '../../../../src/broker/clock.ts'
import { ConsumerGroup } from '../../../../src/broker/groups/consumer/consumer-group.ts'
import { newMemberId } from '../../../../src/broker/groups/consumer/member-id.ts'
import {
  type ConsumerGroupOptions,
  defaultConsumerGroupOptions,
} from '../../../../src/broker/groups/consumer/options.ts'
import type { StateRecord, TopicsView } from '../../../../src/broker/groups/ports.ts'
import { errorName } from '../../../../src/protocol/errors.ts'
import {
  type ConsumerGroupHeartbeatRequest,
  type ConsumerGroupHeartbeatResponse,
  consumerGroupHeartbeatApi,
} from '../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import {
  consumerGroupDescribeApi,
  type DescribedGroup,
} from '../../../../src/protocol/generated/69-consumer-group-describe.ts'
import { Reader } from '../../../../src/protocol/reader.ts'
import type { Input, Uuid } from '../../../../src/protocol/types.ts'
import { Writer } from '../../../../src/protocol/writer.ts'

export class FakeTopics implements TopicsView {
  readonly #topics = new Map<string, { id: Uuid; partitions: number }>()
  #created = 0

  set(name: string, partitions: number): void {
    const id =
      this.#topics.get(name)?.id ?? Buffer.from(String(++this.#created).padStart(16, '0')).toString('base64url')
    this.#topics.set(name, { id, partitions })
  }

  delete(name: string): void {
    this.#topics.delete(name)
  }

  partitionCount(name: string): number | undefined {
    return this.#topics.get(name)?.partitions
  }

  topicId(name: string): Uuid | undefined {
    return this.#topics.get(name)?.id
  }

  topicName(id: Uuid): string | undefined {
    for (const [name, topic] of this.#topics) if (topic.id === id) return name
    return undefined
  }

  names(): Iterable<string> {
    return this.#topics.keys()
  }

  onChange(): void {}
}

/** `topic-0 topic-1 …`, sorted; null where an answer tells no assignment. */
export type Told = string | null

export interface Beat {
  readonly error: string
  readonly memberId: string | null
  readonly epoch: number
  readonly told: Told
  readonly heartbeatIntervalMs: number
}

type Options = { -readonly [K in keyof ConsumerGroupOptions]: ConsumerGroupOptions[K] }

export class World {
  readonly clock: ManualClock = new ManualClock()
  readonly topics: FakeTopics = new FakeTopics()
  readonly options: Options = { ...defaultConsumerGroupOptions }
  readonly log: StateRecord[] = []
  /** A topic that is created again is another one: with ids instead of names the two can be told apart. */
  tellsIds = false
  persist: (records: StateRecord[]) => Promise<void> = (records) => {
    this.log.push(...records)
    return Promise.resolve()
  }
  group: ConsumerGroup = this.newGroup()

  constructor(topics: Readonly<Record<string, number>> = { t: 4 }) {
    for (const [name, partitions] of Object.entries(topics)) this.topics.set(name, partitions)
  }

  newGroup(): ConsumerGroup {
    const { topics, clock, options } = this
    return new ConsumerGroup('g', {
      topics,
      clock,
      options,
      newMemberId,
      persist: (records) => this.persist(records),
      fits: () => true,
      mayDowngrade: () => false,
      downgraded: () => undefined,
    })
  }

  /** The broker starts again and reads the state log, whole or compacted. */
  restart(log: readonly StateRecord[] = this.log): void {
    this.group.close()
    this.group = this.newGroup()
    for (const { key, value } of log) this.group.replay(key.readInt16BE(0), key, value)
    this.group.loaded()
  }

  changeTopic(name: string, partitions: number | undefined): void {
    if (partitions === undefined) this.topics.delete(name)
    else this.topics.set(name, partitions)
    this.group.topicsChanged()
  }

  async beat(memberId: string, memberEpoch: number, more: Partial<ConsumerGroupHeartbeatRequest> = {}): Promise<Beat> {
    return this.heard(await this.send(memberId, memberEpoch, more))
  }

  send(
    memberId: string,
    memberEpoch: number,
    more: Partial<ConsumerGroupHeartbeatRequest> = {},
    version = 1,
  ): Input<ConsumerGroupHeartbeatResponse> | Promise<Input<ConsumerGroupHeartbeatResponse>> {
    const request = { ...quiet, memberId, memberEpoch, ...more }
    return this.group.heartbeat(request, { version, clientId: 'client', clientHost: '/127.0.0.1' })
  }

  join(memberId: string, more: Partial<ConsumerGroupHeartbeatRequest> = {}): Promise<Beat> {
    const names = more.subscribedTopicRegex === undefined ? ['t'] : null
    return this.beat(memberId, 0, {
      rebalanceTimeoutMs: 60_000,
      subscribedTopicNames: names,
      topicPartitions: [],
      ...more,
    })
  }

  /** A heartbeat that says which partitions the member owns. */
  own(memberId: string, memberEpoch: number, owned: string): Promise<Beat> {
    return this.beat(memberId, memberEpoch, { topicPartitions: this.partitions(owned) })
  }

  partitions(text: string): { topicId: Uuid; partitions: number[] }[] {
    return text
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => {
        const [topic = '', partition] = one.split(/-(?=\d+$)/)
        return { topicId: this.topics.topicId(topic) ?? topic, partitions: [Number(partition)] }
      })
  }

  /** What a client sees: the answer as it comes off the wire. */
  heard(answer: Input<ConsumerGroupHeartbeatResponse>): Beat {
    const writer = new Writer()
    consumerGroupHeartbeatApi.writeResponse(writer, answer, 1)
    const response = consumerGroupHeartbeatApi.readResponse(new Reader(writer.toBuffer()), 1)
    return {
      error: errorName(response.errorCode),
      memberId: response.memberId,
      epoch: response.memberEpoch,
      told: response.assignment === null ? null : this.named(response.assignment.topicPartitions),
      heartbeatIntervalMs: response.heartbeatIntervalMs,
    }
  }

  named(topics: readonly { readonly topicId: Uuid; readonly partitions: readonly number[] }[]): string {
    const name = (topicId: Uuid): string => (this.tellsIds ? topicId : (this.topics.topicName(topicId) ?? topicId))
    return topics
      .flatMap(({ topicId, partitions }) => partitions.map((partition) => `${name(topicId)}-${partition}`))
      .sort()
      .join(' ')
  }

  described(): DescribedGroup {
    const writer = new Writer()
    consumerGroupDescribeApi.writeResponse(writer, { groups: [this.group.describe()] }, 1)
    const { groups } = consumerGroupDescribeApi.readResponse(new Reader(writer.toBuffer()), 1)
    const [group] = groups
    if (group === undefined) throw new Error('nothing described')
    return { ...group, members: [...group.members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1)) }
  }
}

/** A heartbeat that says nothing but that the member is there. */
const quiet: ConsumerGroupHeartbeatRequest = {
  groupId: 'g',
  memberId: '',
  memberEpoch: 0,
  instanceId: null,
  rackId: null,
  rebalanceTimeoutMs: -1,
  subscribedTopicNames: null,
  subscribedTopicRegex: null,
  serverAssignor: null,
  topicPartitions: null,
}

/** Only the last record of every key, in the order of the log. */
export function compacted(log: readonly StateRecord[]): StateRecord[] {
  const last = new Map(log.map((record, index) => [record.key.toString('hex'), index]))
  return log.filter((record, index) => last.get(record.key.toString('hex')) === index)
}
