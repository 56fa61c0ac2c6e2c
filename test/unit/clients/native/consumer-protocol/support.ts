/** A member on a scripted coordinator: every heartbeat waits for the test to answer it. Time stands still. */
import assert from 'node:assert/strict'
import { ConsumerMembership } from '../../../../../src/clients/native/group/consumer-protocol/membership.ts'
import { Holdings } from '../../../../../src/clients/native/group/holdings.ts'
import { InlineHeartbeats } from '../../../../../src/clients/native/group/inline-heartbeats.ts'
import { Topics } from '../../../../../src/clients/native/group/topics.ts'
import { Coordinator } from '../../../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../../../src/cluster/metadata.ts'
import type { Answer, Question, Wire } from '../../../../../src/cluster/wire.ts'
import type { TopicPartition } from '../../../../../src/kernel/ids.ts'
import type { Api } from '../../../../../src/protocol/api.ts'
import { errorCodes } from '../../../../../src/protocol/errors.ts'
import { metadataApi } from '../../../../../src/protocol/generated/03-metadata.ts'
import { findCoordinatorApi } from '../../../../../src/protocol/generated/10-find-coordinator.ts'
import {
  type ConsumerGroupHeartbeatRequest,
  type ConsumerGroupHeartbeatResponse,
  consumerGroupHeartbeatApi,
} from '../../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import type { Input } from '../../../../../src/protocol/types.ts'
import { backOverTheWire, overTheWire } from '../../../broker/groups/support/wire.ts'
import { ManualClock } from '../../../cluster/manual-clock.ts'

export const everyMs = 5_000

/** 16 bytes, as Kafka prints them. */
export const idOf = (topic: string): string => Buffer.from(topic.padEnd(16, '.')).toString('base64url')

interface Heartbeat {
  readonly request: ConsumerGroupHeartbeatRequest
  readonly node: number
  answer(body: Input<ConsumerGroupHeartbeatResponse> | null): void
  reject(error: unknown): void
}

/** With chances that differ, and are the same every time. */
class ChancyClock extends ManualClock {
  #drawn = 0

  override random(): number {
    this.#drawn++
    return (this.#drawn * 0.618034) % 1
  }
}

export class ScriptedWire implements Wire {
  readonly clock: ManualClock = new ChancyClock()
  isOpen = true
  coordinator = 1
  readonly topics: Map<string, { id: string; partitions: number }> = new Map()
  readonly waiting: Heartbeat[] = []

  async ask<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>): Promise<Answer<R> | null> {
    const version = api.maxVersion
    const asked = typeof question === 'function' ? (question as (version: number) => Input<Q>)(version) : question
    const request = overTheWire(api, version, asked) as unknown
    const body = await this.#answer(node, api.key, request)
    return body === null
      ? null
      : { body: backOverTheWire(api, version, body as Input<R>), version, node: this.coordinator }
  }

  async post(): Promise<boolean> {
    return false
  }

  learnNodes(): void {
    // There is one coordinator, wherever it is.
  }

  featureLevel(): number {
    return 0
  }

  #answer(node: number, key: number, request: unknown): Promise<unknown> | unknown {
    const address = { nodeId: this.coordinator, host: 'localhost', port: 9092 }
    if (key === findCoordinatorApi.key) return { coordinators: [{ key: 'group', ...address }] }
    if (key === metadataApi.key) {
      const topics = [...this.topics].map(([name, { id, partitions }]) => ({
        name,
        topicId: id,
        partitions: Array.from({ length: partitions }, (_, partitionIndex) => ({ partitionIndex, leaderId: 1 })),
      }))
      return { brokers: [address], topics }
    }
    assert.equal(key, consumerGroupHeartbeatApi.key)
    return new Promise((resolve, reject) => {
      this.waiting.push({ request: request as ConsumerGroupHeartbeatRequest, node, answer: resolve, reject })
    })
  }
}

export interface ScriptOptions {
  readonly instanceId?: string
  readonly topicRegex?: string
  readonly serverAssignor?: string
  readonly matches?: (topic: string) => boolean
}

/** `a:0 a:1` */
function partitionsIn(text: string): { topicId: string; partitions: number[] }[] {
  const all = text.split(' ').filter((one) => one !== '')
  return [...Map.groupBy(all, (one) => one.replace(/:\d+$/, ''))].map(([topic, ones]) => ({
    topicId: idOf(topic),
    partitions: ones.map((one) => Number(one.slice(topic.length + 1))),
  }))
}

export class Script {
  readonly wire: ScriptedWire = new ScriptedWire()
  readonly holdings: Holdings
  readonly membership: ConsumerMembership
  /** What the control plane was told, in order. */
  readonly events: string[] = []
  readonly errors: unknown[] = []
  readonly troubles: unknown[] = []
  /** Revokes wait until this is called. */
  released: (() => void) | null = null

  constructor({ instanceId, topicRegex, serverAssignor, matches }: ScriptOptions = {}) {
    this.addTopic('a', 4)
    const { wire } = this
    const backoff = { backoffMs: 50, backoffMaxMs: 400 }
    const metadata = new Metadata(wire)
    const topics = { names: topicRegex === undefined && matches === undefined ? ['a'] : [], matches: matches ?? null }
    this.holdings = new Holdings({
      assigned: (all) => this.#note('assigned', all),
      revoked: (all) => {
        this.#note('revoked', all)
        return new Promise((resolve) => {
          this.released = resolve
        })
      },
      lost: (all) => this.#note('lost', all),
      failed: (error) => this.errors.push(error),
    })
    this.membership = new ConsumerMembership({
      wire,
      coordinator: new Coordinator(wire, 'group', 'group'),
      metadata,
      topics: new Topics(wire, metadata, { topics, metadataMaxAgeMs: 60_000 }),
      holdings: this.holdings,
      options: {
        group: 'group',
        instanceId: instanceId ?? null,
        rackId: 'rack',
        rebalanceTimeoutMs: 60_000,
        serverAssignor: serverAssignor ?? null,
        topicRegex: topicRegex ?? null,
        heartbeatMs: 3_000,
        backoff,
      },
      makeHeartbeater: (listener) => new InlineHeartbeats(wire, listener),
      failed: (error) => this.errors.push(error),
      trouble: (error) => this.troubles.push(error),
    })
  }

  addTopic(name: string, partitions: number): void {
    this.wire.topics.set(name, { id: idOf(name), partitions })
  }

  /** What has happened since. */
  get news(): readonly string[] {
    return this.events.splice(0)
  }

  get owned(): string {
    return listed(this.holdings.ownership.partitions)
  }

  /** The next heartbeat that waits for an answer; time goes on, a step at a time, until there is one. */
  async next(withinMs = 60_000): Promise<Heartbeat> {
    await this.wire.clock.settle()
    for (let ms = 0; this.wire.waiting.length === 0 && ms < withinMs; ms += 50) await this.wire.clock.advance(50)
    const heartbeat = this.wire.waiting.shift()
    assert.ok(heartbeat !== undefined, `no heartbeat within ${withinMs} ms`)
    return heartbeat
  }

  /** Answers the next one with an epoch and, if told, an assignment. Gives the request. */
  async answer(memberEpoch: number, assignment?: string): Promise<ConsumerGroupHeartbeatRequest> {
    const { request, answer } = await this.next()
    answer({
      memberId: request.memberId,
      memberEpoch,
      heartbeatIntervalMs: everyMs,
      assignment: assignment === undefined ? null : { topicPartitions: partitionsIn(assignment) },
    })
    await this.wire.clock.settle()
    return request
  }

  async refuse(
    error: keyof typeof errorCodes,
    errorMessage: string | null = null,
  ): Promise<ConsumerGroupHeartbeatRequest> {
    const { request, answer } = await this.next()
    answer({ errorCode: errorCodes[error], errorMessage })
    await this.wire.clock.settle()
    return request
  }

  async ignore(): Promise<ConsumerGroupHeartbeatRequest> {
    const { request, answer } = await this.next()
    answer(null)
    await this.wire.clock.settle()
    return request
  }

  async release(): Promise<void> {
    assert.ok(this.released !== null, 'nothing is being revoked')
    this.released()
    this.released = null
    await this.wire.clock.settle()
  }

  /** Joined, and owner of these. */
  async joined(epoch: number, assignment: string): Promise<void> {
    this.membership.start()
    await this.answer(epoch, assignment)
    if (assignment !== '') await this.answer(epoch)
    this.news
  }

  #note(what: string, all: readonly TopicPartition[]): void {
    this.events.push(`${what} ${listed(all)}`.trim())
  }
}

function listed(all: readonly TopicPartition[]): string {
  return all
    .map(({ topic, partition }) => `${topic}:${partition}`)
    .sort()
    .join(' ')
}

/** `a:0 a:1`, as a heartbeat lists them. */
export function listedIn({ topicPartitions }: ConsumerGroupHeartbeatRequest): string | null {
  if (topicPartitions === null) return null
  return topicPartitions
    .flatMap(({ topicId, partitions }) => {
      const topic = Buffer.from(topicId, 'base64url').toString().replace(/\.+$/, '')
      return partitions.map((partition) => `${topic}:${partition}`)
    })
    .sort()
    .join(' ')
}
