/**
 * The group coordinator: the one owner of all groups and their offsets.
 *
 * Requests come in decoded, answers go out before they are encoded. Always holds: what was answered is in the state log; a
 * request that comes while the coordinator is elsewhere, loads or is closed changes nothing.
 */
import { randomUUID } from 'node:crypto'
import { errorCodes } from '../../protocol/errors.ts'
import type { OffsetCommitRequest, OffsetCommitResponse } from '../../protocol/generated/08-offset-commit.ts'
import type { OffsetFetchRequest, OffsetFetchResponse } from '../../protocol/generated/09-offset-fetch.ts'
import type { JoinGroupRequest, JoinGroupResponse } from '../../protocol/generated/11-join-group.ts'
import type { HeartbeatRequest, HeartbeatResponse } from '../../protocol/generated/12-heartbeat.ts'
import type { LeaveGroupRequest, LeaveGroupResponse } from '../../protocol/generated/13-leave-group.ts'
import type { SyncGroupRequest, SyncGroupResponse } from '../../protocol/generated/14-sync-group.ts'
import type { DescribeGroupsRequest, DescribeGroupsResponse } from '../../protocol/generated/15-describe-groups.ts'
import type { ListGroupsRequest, ListGroupsResponse } from '../../protocol/generated/16-list-groups.ts'
import type { TxnOffsetCommitRequest, TxnOffsetCommitResponse } from '../../protocol/generated/28-txn-offset-commit.ts'
import type { DeleteGroupsRequest, DeleteGroupsResponse } from '../../protocol/generated/42-delete-groups.ts'
import type { OffsetDeleteRequest, OffsetDeleteResponse } from '../../protocol/generated/47-offset-delete.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../protocol/generated/68-consumer-group-heartbeat.ts'
import type {
  ConsumerGroupDescribeRequest,
  ConsumerGroupDescribeResponse,
} from '../../protocol/generated/69-consumer-group-describe.ts'
import type { Input } from '../../protocol/types.ts'
import { type BrokerLog, silentLog } from '../broker-log.ts'
import type { BrokerClock } from '../clock.ts'
import { joinAnswerFor, notJoined, notSynced } from './classic/answers.ts'
import { ClassicProtocol } from './classic/protocol.ts'
import { Committing } from './committing.ts'
import { type ConsumerGroupOptions, defaultConsumerGroupOptions } from './consumer/options.ts'
import { ConsumerProtocol } from './consumer-protocol.ts'
import type { GroupCore } from './core.ts'
import { Deleting } from './deleting.ts'
import { describeConsumerGroups, describeGroups, listGroups } from './describing.ts'
import { fetchOffsets } from './fetching.ts'
import { OffsetStore } from './offsets.ts'
import { defaultGroupOptions, type GroupOptions } from './options.ts'
import { type Phase, refusalIn } from './phase.ts'
import type { StateLog, TopicsView } from './ports.ts'
import { GroupRegistry } from './registry.ts'
import { Replay } from './replay.ts'
import type { RequestContext } from './request-context.ts'
import { StateWriter } from './state-writer.ts'

export interface GroupSurroundings {
  readonly stateLog: StateLog
  readonly topics: TopicsView
  readonly clock: BrokerClock
  /** Read at every use. */
  readonly options?: GroupOptions
  readonly consumerOptions?: ConsumerGroupOptions
  readonly log?: BrokerLog
  /** The random part of member ids; tests give their own. */
  readonly newUuid?: () => string
  /** The same for members of consumer groups: there is nothing else in them. */
  readonly newMemberId?: () => string
}

const groupIdBytesMax = 32_767

export class GroupCoordinator {
  readonly #core: GroupCore
  readonly #log: BrokerLog
  readonly #classic: ClassicProtocol
  readonly #consumer: ConsumerProtocol
  readonly #committing: Committing
  readonly #deleting: Deleting
  readonly #replay: Replay
  #phase: Phase = 'loading'
  #cancelExpiry: (() => void) | null = null

  constructor(surroundings: GroupSurroundings) {
    const { stateLog, topics, clock, options = defaultGroupOptions } = surroundings
    this.#log = surroundings.log ?? silentLog
    const writer = new StateWriter(
      stateLog,
      () => options.stateBatchBytesMax,
      (error) => this.#stateLogFailed(error),
    )
    const core = { groups: new GroupRegistry(), offsets: new OffsetStore(), writer, topics, clock, options }
    this.#core = core
    this.#classic = new ClassicProtocol(core, surroundings.newUuid ?? randomUUID)
    const { rebalance } = this.#classic
    const { consumerOptions = defaultConsumerGroupOptions, newMemberId } = surroundings
    this.#consumer = new ConsumerProtocol(core, consumerOptions, rebalance, newMemberId)
    this.#committing = new Committing(core, rebalance)
    this.#deleting = new Deleting(core, rebalance)
    this.#replay = new Replay(core, (groupId) => this.#consumer.create(groupId), this.#log)
    topics.onChange(() => this.#topicsChanged())
  }

  // ── Membership, classic protocol ───────────────────────────────────────────────────────────────────────────────────

  async joinGroup(request: JoinGroupRequest, context: RequestContext): Promise<Input<JoinGroupResponse>> {
    const { groupId, memberId, sessionTimeoutMs } = request
    const refuse = (errorCode: number, id: string): Input<JoinGroupResponse> =>
      joinAnswerFor(context.version, notJoined(errorCode, id))
    const { groupMinSessionTimeoutMs, groupMaxSessionTimeoutMs } = this.#core.options
    if (!isGroupId(groupId)) return refuse(errorCodes.INVALID_GROUP_ID, memberId)
    if (sessionTimeoutMs < groupMinSessionTimeoutMs || sessionTimeoutMs > groupMaxSessionTimeoutMs) {
      return refuse(errorCodes.INVALID_SESSION_TIMEOUT, memberId)
    }
    const refusal = this.#refusal
    return refusal === errorCodes.NONE ? this.#classic.join(request, context) : refuse(refusal, '')
  }

  async syncGroup(request: SyncGroupRequest, { version }: RequestContext): Promise<Input<SyncGroupResponse>> {
    // From version 5 on they must be said.
    if (version >= 5 && (request.protocolType === null || request.protocolName === null)) {
      return notSynced(errorCodes.INCONSISTENT_GROUP_PROTOCOL)
    }
    if (!isGroupId(request.groupId)) return notSynced(errorCodes.INVALID_GROUP_ID)
    return this.#refusal === errorCodes.NONE ? this.#classic.sync(request) : notSynced(this.#refusal)
  }

  heartbeat(request: HeartbeatRequest, _context: RequestContext): Input<HeartbeatResponse> {
    if (!isGroupId(request.groupId)) return { errorCode: errorCodes.INVALID_GROUP_ID }
    // Nothing is known yet, and a member must not be alarmed for that: any heartbeat is good.
    if (this.#phase === 'loading') return { errorCode: errorCodes.NONE }
    const refusal = this.#refusal
    return { errorCode: refusal === errorCodes.NONE ? this.#classic.heartbeat(request) : refusal }
  }

  async leaveGroup(request: LeaveGroupRequest, { version }: RequestContext): Promise<Input<LeaveGroupResponse>> {
    if (!isGroupId(request.groupId)) return { errorCode: errorCodes.INVALID_GROUP_ID, members: [] }
    if (this.#refusal !== errorCodes.NONE) return { errorCode: this.#refusal, members: [] }
    if (version >= 3) {
      return { errorCode: errorCodes.NONE, members: await this.#classic.leave(request.groupId, request.members) }
    }
    const one = { memberId: request.memberId, groupInstanceId: null, reason: null }
    const [result] = await this.#classic.leave(request.groupId, [one])
    return { errorCode: result?.errorCode ?? errorCodes.NONE }
  }

  // ── Membership, consumer protocol ──────────────────────────────────────────────────────────────────────────────────

  async consumerGroupHeartbeat(
    request: ConsumerGroupHeartbeatRequest,
    context: RequestContext,
  ): Promise<Input<ConsumerGroupHeartbeatResponse>> {
    const refusal = this.#refusal
    return refusal === errorCodes.NONE ? this.#consumer.heartbeat(request, context) : { errorCode: refusal }
  }

  consumerGroupDescribe(
    request: ConsumerGroupDescribeRequest,
    _context: RequestContext,
  ): Promise<Input<ConsumerGroupDescribeResponse>> {
    return this.#core.writer.whenAllDurable({
      groups: describeConsumerGroups(this.#core.groups, request, this.#refusal),
    })
  }

  // ── Offsets ────────────────────────────────────────────────────────────────────────────────────────────────────────

  offsetCommit(request: OffsetCommitRequest, context: RequestContext): Promise<Input<OffsetCommitResponse>> {
    const refusal = isShort(request.groupId) ? this.#refusal : errorCodes.INVALID_GROUP_ID
    return this.#committing.commit(request, context, refusal)
  }

  /** `verify` asks the transaction coordinator, at the moment when Kafka does; the answer is an error code. */
  txnOffsetCommit(
    request: TxnOffsetCommitRequest,
    context: RequestContext,
    verify: () => number = () => errorCodes.NONE,
  ): Promise<Input<TxnOffsetCommitResponse>> {
    const refusal = isGroupId(request.groupId) ? this.#refusal : errorCodes.INVALID_GROUP_ID
    return this.#committing.commitInTransaction(request, context, refusal, verify)
  }

  offsetFetch(request: OffsetFetchRequest, context: RequestContext): Promise<Input<OffsetFetchResponse>> {
    return fetchOffsets(this.#core, request, context, this.#refusal)
  }

  async offsetDelete(request: OffsetDeleteRequest, _context: RequestContext): Promise<Input<OffsetDeleteResponse>> {
    if (!isGroupId(request.groupId)) return { errorCode: errorCodes.INVALID_GROUP_ID, topics: [] }
    if (this.#refusal !== errorCodes.NONE) return { errorCode: this.#refusal, topics: [] }
    return this.#deleting.deleteOffsets(request)
  }

  /** Their offsets are removed, in all groups. */
  async onTopicsDeleted(topics: Iterable<string>): Promise<void> {
    if (this.#phase === 'active') await this.#deleting.topicsDeleted(topics)
  }

  // ── Groups as tools see them ───────────────────────────────────────────────────────────────────────────────────────

  describeGroups(request: DescribeGroupsRequest, { version }: RequestContext): Promise<Input<DescribeGroupsResponse>> {
    return this.#core.writer.whenAllDurable({
      groups: describeGroups(this.#core.groups, request, version, this.#refusal),
    })
  }

  listGroups(request: ListGroupsRequest, _context: RequestContext): Promise<Input<ListGroupsResponse>> {
    // Who has moved away has no groups to tell of; others have them.
    const errorCode = this.#phase === 'moved' ? errorCodes.NONE : this.#refusal
    const groups = this.#phase === 'active' ? listGroups(this.#core.groups, request) : []
    return this.#core.writer.whenAllDurable({ errorCode, groups })
  }

  async deleteGroups(request: DeleteGroupsRequest, _context: RequestContext): Promise<Input<DeleteGroupsResponse>> {
    const { groupsNames } = request
    const errorCode = this.#refusal
    if (errorCode === errorCodes.NONE) return { results: await this.#deleting.deleteGroups(groupsNames) }
    return { results: groupsNames.map((groupId) => ({ groupId, errorCode })) }
  }

  // ── Its own life ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** A record of the state log, in the order of the log. Records of transactions come through `replayPending`. */
  replay(key: Buffer, value: Buffer | null): void {
    this.#replay.record(key, value)
  }

  replayPending(producerId: number, key: Buffer, value: Buffer | null): void {
    this.#replay.pending(producerId, key, value)
  }

  /** The marker of a transaction is in the state log, while it runs or in a replay. */
  completeTransaction(producerId: number, result: 'commit' | 'abort'): void {
    this.#core.offsets.endTransaction(producerId, result)
  }

  /** From here on records are replayed, and requests are told to wait. A new coordinator begins like this. */
  beginLoading(): void {
    this.#leavePhase('loading', errorCodes.NOT_COORDINATOR)
  }

  /** Everything has been replayed: members get a whole session, and requests are served. */
  load(): void {
    if (this.#phase !== 'loading') return
    this.#replay.end()
    this.#phase = 'active'
    for (const [, group] of this.#core.groups.all()) {
      if (group.kind === 'classic') this.#classic.rebalance.loaded(group.classic)
      else group.consumer.loaded()
    }
    this.#scheduleExpiry()
  }

  /** The coordinator moves away: whoever waits is told so, and everything that is not in the state log is forgotten. */
  unload(): void {
    this.#leavePhase('moved', errorCodes.NOT_COORDINATOR)
  }

  close(): void {
    this.#leavePhase('closed', errorCodes.COORDINATOR_NOT_AVAILABLE)
  }

  // ── For tests of clients ───────────────────────────────────────────────────────────────────────────────────────────

  /** Everybody has to join again, or gets a new target. Whether there was anything to rebalance. */
  forceRebalance(groupId: string): boolean {
    const group = this.#core.groups.get(groupId)
    if (group === undefined) return false
    if (group.kind === 'classic') return this.#classic.forceRebalance(group.classic)
    group.consumer.forceRebalance()
    return !group.consumer.isEmpty
  }

  /** Puts a member out, or all, as if no heartbeat had come in time. Whether there was anybody. */
  expireSession(groupId: string, memberId?: string): boolean {
    const group = this.#core.groups.get(groupId)
    if (group === undefined) return false
    if (group.kind === 'classic') return this.#classic.expireSession(group.classic, memberId)
    const memberIds = group.consumer.memberIds.filter((id) => memberId === undefined || id === memberId)
    for (const id of memberIds) {
      // Without one of them the others may be a classic group.
      const now = this.#core.groups.get(groupId)
      if (now?.kind === 'classic') this.#classic.expireSession(now.classic, id)
      else now?.consumer.expireSession(id)
    }
    return memberIds.length > 0
  }

  get #refusal(): number {
    return refusalIn(this.#phase)
  }

  #leavePhase(next: Phase, errorCode: number): void {
    if (this.#phase === 'closed') return
    this.#phase = next
    this.#cancelExpiry?.()
    this.#cancelExpiry = null
    for (const [, group] of this.#core.groups.all()) {
      if (group.kind === 'classic') this.#classic.rebalance.unload(group.classic, errorCode)
      else group.consumer.close()
    }
    this.#core.groups.clear()
    this.#core.offsets.clear()
  }

  #topicsChanged(): void {
    if (this.#phase !== 'active') return
    for (const [, group] of this.#core.groups.all()) if (group.kind === 'consumer') group.consumer.topicsChanged()
  }

  #scheduleExpiry(): void {
    this.#cancelExpiry = this.#core.clock.timer(this.#core.options.offsetsRetentionCheckIntervalMs, () => {
      this.#scheduleExpiry()
      this.#deleting.expire().catch((error: unknown) => this.#stateLogFailed(error))
    })
  }

  #stateLogFailed(error: unknown): void {
    if (this.#phase === 'closed') return
    this.#log.error('the state log of groups has failed: nothing is acknowledged any more', error)
    this.close()
  }
}

function isShort(groupId: string): boolean {
  return Buffer.byteLength(groupId) <= groupIdBytesMax
}

/** Offsets may be kept under the empty id, members may not. */
function isGroupId(groupId: string): boolean {
  return groupId !== '' && isShort(groupId)
}
