/** A group coordinator with a clock, topics and a state log of its own, and requests with the usual fields filled in. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { ManualClock } from '../../../../../src/broker/clock.ts'
import {
  type ConsumerGroupOptions,
  defaultConsumerGroupOptions,
} from '../../../../../src/broker/groups/consumer/options.ts'
import { GroupCoordinator } from '../../../../../src/broker/groups/coordinator.ts'
import { defaultGroupOptions, type GroupOptions } from '../../../../../src/broker/groups/options.ts'
import type { RequestContext } from '../../../../../src/broker/groups/request-context.ts'
import type { Api } from '../../../../../src/protocol/api.ts'
import { errorName } from '../../../../../src/protocol/errors.ts'
import * as commitApi from '../../../../../src/protocol/generated/08-offset-commit.ts'
import * as fetchApi from '../../../../../src/protocol/generated/09-offset-fetch.ts'
import * as joinApi from '../../../../../src/protocol/generated/11-join-group.ts'
import * as heartbeatApi from '../../../../../src/protocol/generated/12-heartbeat.ts'
import * as leaveApi from '../../../../../src/protocol/generated/13-leave-group.ts'
import * as syncApi from '../../../../../src/protocol/generated/14-sync-group.ts'
import * as describeApi from '../../../../../src/protocol/generated/15-describe-groups.ts'
import * as listApi from '../../../../../src/protocol/generated/16-list-groups.ts'
import * as txnCommitApi from '../../../../../src/protocol/generated/28-txn-offset-commit.ts'
import * as deleteGroupsApi from '../../../../../src/protocol/generated/42-delete-groups.ts'
import * as offsetDeleteApi from '../../../../../src/protocol/generated/47-offset-delete.ts'
import * as consumerHeartbeatApi from '../../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import * as consumerDescribeApi from '../../../../../src/protocol/generated/69-consumer-group-describe.ts'
import type { Input } from '../../../../../src/protocol/types.ts'
import { FakeTopics } from './fake-topics.ts'
import { MemoryStateLog } from './memory-state-log.ts'
import { backOverTheWire, overTheWire, subscription } from './wire.ts'

/** A request that was sent. Some are answered later, some never. */
export class Asked<R> {
  #answer: R | null = null
  error: unknown = null

  constructor(promise: Promise<R>) {
    promise.then(
      (answer) => {
        this.#answer = answer
      },
      (error: unknown) => {
        this.error = error
      },
    )
  }

  get isAnswered(): boolean {
    return this.#answer !== null
  }

  get answer(): R {
    assert.ok(this.#answer !== null, 'no answer yet')
    return this.#answer
  }
}

type Handle<Q, R> = (request: Q, context: RequestContext) => Input<R> | Promise<Input<R>>

interface WorldOptions {
  readonly topics?: Readonly<Record<string, number>>
  readonly options?: Partial<GroupOptions>
  readonly consumerOptions?: Partial<ConsumerGroupOptions>
  readonly log?: MemoryStateLog
  readonly clock?: ManualClock
  readonly newUuid?: () => string
}

const calmMs = 30_000

export class World {
  readonly clock: ManualClock
  readonly log: MemoryStateLog
  readonly topics: FakeTopics
  readonly coordinator: GroupCoordinator
  readonly #given: WorldOptions
  #uuids = 0

  constructor(given: WorldOptions = {}) {
    this.#given = given
    this.clock = given.clock ?? new ManualClock()
    this.log = given.log ?? new MemoryStateLog()
    this.topics = new FakeTopics(given.topics ?? { in: 3 })
    const options = { ...defaultGroupOptions, ...given.options }
    const surroundings = { stateLog: this.log, topics: this.topics, clock: this.clock, options }
    this.coordinator = new GroupCoordinator({
      ...surroundings,
      consumerOptions: { ...defaultConsumerGroupOptions, ...given.consumerOptions },
      newUuid: given.newUuid ?? (() => String(++this.#uuids)),
      newMemberId: () => `new-${++this.#uuids}`,
    })
    this.log.replayInto(this.coordinator)
    this.coordinator.load()
  }

  /** A new broker with the data of this one, which is gone. */
  restarted(log: MemoryStateLog = this.log.afterCrash(), options: Partial<GroupOptions> = {}): World {
    this.coordinator.close()
    return this.beside(log, options)
  }

  /** A second broker with the data of this one, which goes on. */
  beside(log: MemoryStateLog = this.log.afterCrash(), options: Partial<GroupOptions> = {}): World {
    const world = new World({ ...this.#given, log, clock: this.clock, options: { ...this.#given.options, ...options } })
    world.#uuids = this.#uuids
    return world
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms)
    await turn()
  }

  async ask<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>, handle: Handle<Q, R>): Promise<Asked<R>> {
    const context = { version, clientId: 'c', clientHost: '/127.0.0.1' }
    const decoded = overTheWire(api, version, request)
    const answer = async (): Promise<R> => backOverTheWire(api, version, await handle(decoded, context))
    const asked = new Asked(answer())
    await turn()
    return asked
  }

  join(fields: Input<joinApi.JoinGroupRequest> = {}, version = 9): Promise<Asked<joinApi.JoinGroupResponse>> {
    const protocols = [{ name: 'range', metadata: subscription('', ['in']) }]
    const timeouts = { sessionTimeoutMs: calmMs, rebalanceTimeoutMs: calmMs }
    const request = { groupId: 'g', protocolType: 'consumer', protocols, ...timeouts, ...fields }
    return this.ask(joinApi.joinGroupApi, version, request, (q, c) => this.coordinator.joinGroup(q, c))
  }

  sync(fields: Input<syncApi.SyncGroupRequest>, version = 5): Promise<Asked<syncApi.SyncGroupResponse>> {
    const named = version >= 5 ? { protocolType: 'consumer', protocolName: 'range' } : {}
    const request = { groupId: 'g', generationId: 1, ...named, ...fields }
    return this.ask(syncApi.syncGroupApi, version, request, (q, c) => this.coordinator.syncGroup(q, c))
  }

  async heartbeat(fields: Input<heartbeatApi.HeartbeatRequest>): Promise<string> {
    const request = { groupId: 'g', generationId: 1, ...fields }
    const asked = await this.ask(heartbeatApi.heartbeatApi, 4, request, (q, c) => this.coordinator.heartbeat(q, c))
    return errorName(asked.answer.errorCode)
  }

  leave(fields: Input<leaveApi.LeaveGroupRequest>, version = 5): Promise<Asked<leaveApi.LeaveGroupResponse>> {
    const request = { groupId: 'g', ...fields }
    return this.ask(leaveApi.leaveGroupApi, version, request, (q, c) => this.coordinator.leaveGroup(q, c))
  }

  commit(
    fields: Input<commitApi.OffsetCommitRequest> = {},
    version = 9,
  ): Promise<Asked<commitApi.OffsetCommitResponse>> {
    const request = { groupId: 'g', generationIdOrMemberEpoch: -1, topics: positions(5), ...fields }
    return this.ask(commitApi.offsetCommitApi, version, request, (q, c) => this.coordinator.offsetCommit(q, c))
  }

  commitInTransaction(
    fields: Input<txnCommitApi.TxnOffsetCommitRequest> = {},
    version = 4,
    verify?: () => number,
  ): Promise<Asked<txnCommitApi.TxnOffsetCommitResponse>> {
    const request = {
      groupId: 'g',
      transactionalId: 't',
      producerId: 7n,
      producerEpoch: 0,
      topics: positions(9),
      ...fields,
    }
    const { txnOffsetCommitApi } = txnCommitApi
    return this.ask(txnOffsetCommitApi, version, request, (q, c) => this.coordinator.txnOffsetCommit(q, c, verify))
  }

  endTransaction(result: 'commit' | 'abort', producerId = 7): void {
    this.log.marker(producerId, result)
    this.coordinator.completeTransaction(producerId, result)
  }

  fetch(request: Input<fetchApi.OffsetFetchRequest>, version = 9): Promise<Asked<fetchApi.OffsetFetchResponse>> {
    return this.ask(fetchApi.offsetFetchApi, version, request, (q, c) => this.coordinator.offsetFetch(q, c))
  }

  /** `in/0 → 5` for every offset of the group, or the name of an error. */
  async offsets(groupId = 'g', requireStable = false): Promise<Record<string, number | string>> {
    const groups = [{ groupId, memberEpoch: -1, memberId: null, topics: null }]
    const [group] = (await this.fetch({ groups, requireStable })).answer.groups
    const found: Record<string, number | string> = {}
    for (const { name, partitions } of group!.topics) {
      for (const { partitionIndex, committedOffset, errorCode } of partitions) {
        found[`${name}/${partitionIndex}`] = errorCode === 0 ? Number(committedOffset) : errorName(errorCode)
      }
    }
    return found
  }

  async describe(groupId = 'g', version = 6): Promise<describeApi.DescribedGroup> {
    const request = { groups: [groupId] }
    const { describeGroupsApi } = describeApi
    const asked = await this.ask(describeGroupsApi, version, request, (q, c) => this.coordinator.describeGroups(q, c))
    return asked.answer.groups[0]!
  }

  async list(request: Input<listApi.ListGroupsRequest> = {}): Promise<listApi.ListGroupsResponse> {
    const asked = await this.ask(listApi.listGroupsApi, 5, request, (q, c) => this.coordinator.listGroups(q, c))
    return asked.answer
  }

  async deleteGroups(...groupsNames: string[]): Promise<Record<string, string>> {
    const { deleteGroupsApi: api } = deleteGroupsApi
    const asked = await this.ask(api, 2, { groupsNames }, (q, c) => this.coordinator.deleteGroups(q, c))
    return Object.fromEntries(asked.answer.results.map(({ groupId, errorCode }) => [groupId, errorName(errorCode)]))
  }

  offsetDelete(
    fields: Input<offsetDeleteApi.OffsetDeleteRequest>,
  ): Promise<Asked<offsetDeleteApi.OffsetDeleteResponse>> {
    const request = { groupId: 'g', ...fields }
    return this.ask(offsetDeleteApi.offsetDeleteApi, 0, request, (q, c) => this.coordinator.offsetDelete(q, c))
  }

  consumerHeartbeat(
    fields: Input<consumerHeartbeatApi.ConsumerGroupHeartbeatRequest>,
  ): Promise<Asked<consumerHeartbeatApi.ConsumerGroupHeartbeatResponse>> {
    const { consumerGroupHeartbeatApi: api } = consumerHeartbeatApi
    const request = { groupId: 'g', memberId: 'm', rebalanceTimeoutMs: -1, ...fields }
    return this.ask(api, 1, request, (q, c) => this.coordinator.consumerGroupHeartbeat(q, c))
  }

  async consumerDescribe(groupId = 'g'): Promise<consumerDescribeApi.DescribedGroup> {
    const { consumerGroupDescribeApi: api } = consumerDescribeApi
    const request = { groupIds: [groupId] }
    const asked = await this.ask(api, 1, request, (q, c) => this.coordinator.consumerGroupDescribe(q, c))
    return asked.answer.groups[0]!
  }

  /** A dynamic member joins, and the group assigns `what` to it; others must have joined again by then. */
  async soloMember(fields: Input<joinApi.JoinGroupRequest> = {}, what = 'everything'): Promise<string> {
    const { memberId } = (await this.join(fields)).answer
    const { generationId } = (await this.join({ ...fields, memberId })).answer
    const groupId = fields.groupId ?? 'g'
    const assignments = [{ memberId, assignment: Buffer.from(what) }]
    await this.sync({ groupId, memberId, generationId, assignments })
    return memberId
  }
}

export function positions(
  offset: number,
  metadata = 'm',
  topic = 'in',
  partition = 0,
): Input<commitApi.OffsetCommitRequestTopic>[] {
  const committed = { committedOffset: BigInt(offset), committedMetadata: metadata }
  return [{ name: topic, partitions: [{ partitionIndex: partition, ...committed }] }]
}

/** The error code of the first partition. */
export function codeOf(answer: {
  readonly topics: readonly { readonly partitions: readonly { readonly errorCode: number }[] }[]
}): string {
  return errorName(answer.topics[0]!.partitions[0]!.errorCode)
}
