/**
 * One group of the `consumer` protocol (KIP-848): the broker decides who owns what, and members come there step by step
 * with their heartbeats.
 *
 * - The *group epoch* rises whenever a new target is needed: a member came, went or changed its topics, or topics changed.
 * - The *target* says who shall own what; it is computed by the first heartbeat that finds the group epoch above the
 *   epoch of the target.
 * - A *member epoch* follows once the member has let go of what the target takes from it (reconcile.ts).
 *
 * Every change is applied to memory and handed to `persist` in the same synchronous step; an answer waits until all that
 * was handed over so far is durable, so no member ever hears of something that a crash could take back.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { DescribedGroup } from '../../../protocol/generated/69-consumer-group-describe.ts'
import type { Input } from '../../../protocol/types.ts'
import type { BrokerClock } from '../../clock.ts'
import type { ClassicGroup } from '../classic/group.ts'
import { storedRecord } from '../classic/stored.ts'
import { classicGroupOf, type Staying, stayingWithout } from '../migration/downgrade.ts'
import type { StateRecord, TopicsView } from '../ports.ts'
import { type Change, memberTombstones } from './changes.ts'
import { ClassicMembers } from './classic-members.ts'
import { describeGroup } from './describe.ts'
import type { Founders } from './founders.ts'
import { type ConsumerGroupStateName, GroupState } from './group-state.ts'
import { Journal } from './journal.ts'
import { joinEpoch, type Member, progressOf, staticLeaveEpoch, subscribed } from './member.ts'
import { MemberClocks } from './member-clocks.ts'
import { findMember, findNamed } from './membership.ts'
import { type CommitDetails, checkCommit, checkFetch } from './offset-access.ts'
import { type ConsumerGroupOptions, optionsOfGroup } from './options.ts'
import { noPartitions, samePartitions, toWire } from './partitions.ts'
import { compileTopicPattern } from './pattern/topic-pattern.ts'
import { Rebalancing } from './rebalancing.ts'
import { decodeChange, encodeChange } from './records.ts'
import { Refusal, refuseRequest } from './refusals.ts'
import { RegexRefresh } from './regex-refresh.ts'
import { isSubscribedTo, preferredAssignor } from './subscriptions.ts'

export interface Surroundings {
  readonly topics: TopicsView
  readonly clock: BrokerClock
  readonly options: ConsumerGroupOptions
  readonly persist: (records: StateRecord[]) => Promise<void>
  /** Whether so much can be written in one step. */
  readonly fits: (records: readonly StateRecord[]) => boolean
  readonly newMemberId: () => string
  /** Whether the group may go on as a classic one with so many members. */
  readonly mayDowngrade: (memberCount: number) => boolean
  /** It does: the state log has it already. */
  readonly downgraded: (group: ClassicGroup, rebalance: boolean) => void
}

export interface HeartbeatContext {
  readonly version: number
  readonly clientId: string
  /** As Kafka prints it: `/127.0.0.1`. */
  readonly clientHost: string
}

type Answer = Input<ConsumerGroupHeartbeatResponse>

const tooLarge: Refusal = new Refusal(
  errorCodes.UNKNOWN_SERVER_ERROR,
  'what the members say about themselves is too much to be stored at once',
)

export class ConsumerGroup {
  readonly groupId: string
  /** JoinGroup, SyncGroup and Heartbeat of the classic API. */
  readonly classicMembers: ClassicMembers
  readonly #around: Surroundings
  readonly #topics: TopicsView
  readonly #options: ConsumerGroupOptions
  readonly #state: GroupState = new GroupState()
  readonly #journal: Journal
  readonly #rebalancing: Rebalancing
  readonly #clocks: MemberClocks
  readonly #regexes: RegexRefresh
  #isClosed = false

  constructor(groupId: string, around: Surroundings) {
    const options = optionsOfGroup(around.options, groupId)
    const surroundings = { ...around, options }
    const { topics, persist, newMemberId } = surroundings
    this.groupId = groupId
    this.#around = surroundings
    this.#topics = topics
    this.#options = options
    this.#journal = new Journal(groupId, this.#state, persist)
    this.#rebalancing = new Rebalancing(this.#state, this.#journal, surroundings)
    this.#clocks = new MemberClocks(this.#state, surroundings, (memberId) => this.expireSession(memberId))
    this.#regexes = new RegexRefresh(this.#state, surroundings)
    this.classicMembers = new ClassicMembers({
      groupId,
      state: this.#state,
      journal: this.#journal,
      rebalancing: this.#rebalancing,
      clocks: this.#clocks,
      topics,
      options,
      newMemberId,
      downgrade: (replaced, joins, rebalance) => this.#downgradeWith(replaced, joins, rebalance),
    })
  }

  get state(): ConsumerGroupStateName | 'Dead' {
    return this.#isClosed ? 'Dead' : this.#state.name
  }

  /** Whether the group has any durable state. A group whose first heartbeat was refused never came into being. */
  get exists(): boolean {
    return this.#state.exists
  }

  get isEmpty(): boolean {
    return this.#state.members.size === 0
  }

  get memberIds(): readonly string[] {
    return [...this.#state.members.keys()]
  }

  isSubscribedTo(topic: string): boolean {
    return isSubscribedTo(this.#state, topic)
  }

  describe(): Input<DescribedGroup> {
    const assignor = preferredAssignor(this.#state, this.#options.assignors)
    return describeGroup(this.groupId, this.state, this.#state, assignor, this.#topics)
  }

  heartbeat(request: ConsumerGroupHeartbeatRequest, context: HeartbeatContext): Answer | Promise<Answer> {
    const answer =
      refuseRequest(request, context.version, this.#options) ??
      (request.memberEpoch < joinEpoch ? this.#leave(request) : this.#beat(request, context))
    this.#journal.flush()
    return this.#journal.whenDurable(answer instanceof Refusal ? answer.answer() : answer)
  }

  /**
   * The heartbeat that the group begins with: alone, or joining the members that it had as a classic group. If it is refused
   * the group never came into being, and nothing was written.
   */
  begin(
    request: ConsumerGroupHeartbeatRequest,
    context: HeartbeatContext,
    founders?: Founders,
  ): Answer | Promise<Answer> | Refusal {
    if (founders !== undefined) {
      this.#rebalancing.found(founders)
      for (const member of founders.members) this.#clocks.startSession(member)
    }
    const beat = this.#beat(request, context)
    const answer = this.#around.fits(this.#journal.step) ? beat : tooLarge
    if (answer instanceof Refusal) {
      this.close()
      return answer
    }
    this.#journal.flush()
    return this.#journal.whenDurable(answer)
  }

  #beat(request: ConsumerGroupHeartbeatRequest, context: HeartbeatContext): Answer | Refusal {
    const { maxSize, regexRefreshIntervalMs, heartbeatIntervalMs } = this.#options
    if (this.#state.members.size >= maxSize && !this.#state.members.has(request.memberId)) {
      return new Refusal(errorCodes.GROUP_MAX_SIZE_REACHED, `the group has ${maxSize} members, as many as it may have`)
    }
    const memberId = request.memberId === '' ? this.#around.newMemberId() : request.memberId
    const found = findMember(this.#state, this.groupId, memberId, request)
    if (found instanceof Refusal) return found
    const { member, replaces } = found
    const updated = subscribed(member, request, context)
    const refusal = this.#refuseRegex(member, updated)
    if (refusal !== undefined) return refusal

    const { lastLookMs } = this.#regexes
    if (replaces !== undefined) {
      this.#clocks.stop(replaces.memberId)
      this.#rebalancing.replace(replaces, member)
    }
    const needsTarget = this.#rebalancing.subscribe(member, updated)
    this.#regexes.schedule(lastLookMs, regexRefreshIntervalMs, (resolved) => {
      this.#rebalancing.resolve(resolved)
      this.#journal.flush()
    })
    this.#rebalancing.raiseEpoch(needsTarget)
    this.#rebalancing.assign()
    const reconciled = this.#rebalancing.reconcile(updated, request.topicPartitions)
    if (reconciled !== updated) this.#clocks.stepped(reconciled)
    this.#clocks.startSession(reconciled)

    const hasChanged = !samePartitions(member.assigned, reconciled.assigned)
    const tellsAssignment = hasChanged || request.memberEpoch === joinEpoch || isFull(request)
    return {
      memberId,
      memberEpoch: reconciled.epoch,
      heartbeatIntervalMs,
      assignment: tellsAssignment ? { topicPartitions: toWire(reconciled.assigned) } : null,
    }
  }

  /** An expression that others of the group use already is known to be good. */
  #refuseRegex(member: Member, updated: Member): Refusal | undefined {
    const regex = updated.topicRegex
    if (regex === member.topicRegex || regex === '' || this.#state.regexSubscribers.has(regex)) return undefined
    const pattern = compileTopicPattern(regex)
    if (!('problem' in pattern)) return undefined
    return new Refusal(errorCodes.INVALID_REGULAR_EXPRESSION, `'${regex}' cannot be used: ${pattern.problem}`)
  }

  #leave({ memberId, memberEpoch, instanceId }: ConsumerGroupHeartbeatRequest): Answer | Refusal {
    const member = findNamed(this.#state, this.groupId, memberId, instanceId)
    if (member instanceof Refusal) return member
    if (memberEpoch === staticLeaveEpoch) {
      // Until its session ends it keeps its partitions, all but those that it was asked to give up.
      const value = { ...progressOf(member), epoch: staticLeaveEpoch, pendingRevocation: noPartitions }
      this.#journal.write({ kind: 'progress', memberId, value })
    } else this.#putOut([member])
    return { memberId, memberEpoch }
  }

  /** LeaveGroup of the classic API: an administrator removes members, by member id or instance id. One code for each. */
  remove(
    members: readonly { readonly memberId: string; readonly groupInstanceId: string | null }[],
  ): readonly number[] | Promise<readonly number[]> {
    const found = members.map(({ memberId, groupInstanceId }) => {
      const whoever = memberId === '' && groupInstanceId !== null
      const id = whoever ? (this.#state.staticMembers.get(groupInstanceId) ?? '') : memberId
      return findNamed(this.#state, this.groupId, id, groupInstanceId)
    })
    this.#putOut(found.flatMap((member) => (member instanceof Refusal ? [] : [member])))
    this.#journal.flush()
    return this.#journal.whenDurable(
      found.map((member) => (member instanceof Refusal ? member.errorCode : errorCodes.NONE)),
    )
  }

  /** May this member commit offsets? An error code. */
  checkCommit(memberId: string, memberEpoch: number, details: CommitDetails): number {
    return checkCommit(this.#state, memberId, memberEpoch, details)
  }

  /** May it fetch them? Tools ask without a member id, with epoch −1. */
  checkFetch(memberId: string | null, memberEpoch: number): number {
    return checkFetch(this.#state, memberId, memberEpoch)
  }

  /** Topics were created, deleted or got partitions: the next heartbeat sees whether that concerns the group. */
  topicsChanged(): void {
    this.#rebalancing.topicsChanged()
    this.#regexes.topicsChanged()
  }

  /** Puts a member out as if it had been silent for too long. */
  expireSession(memberId: string): void {
    const member = this.#state.members.get(memberId)
    if (member === undefined) return
    this.#putOut([member])
    this.#journal.flush()
  }

  /** A new target, although nothing asks for one. */
  forceRebalance(): void {
    this.#rebalancing.raiseEpoch(true)
    this.#journal.flush()
  }

  /** Applies a record of the state log: its type, its key (type and struct) and its value (version and struct). */
  replay(recordType: number, key: Buffer, value: Buffer | null): void {
    const change = decodeChange(recordType, key, value)
    if (change !== undefined) this.#state.apply(change)
  }

  /** After the last record: everybody gets a whole session to be heard of again. */
  loaded(): void {
    for (const member of this.#state.members.values()) {
      this.#clocks.startSession(member)
      this.#clocks.stepped(member)
    }
  }

  /** The records that delete the group. */
  tombstones(): StateRecord[] {
    const { members, resolvedRegexes } = this.#state
    const changes: Change[] = [...members.keys()].flatMap(memberTombstones)
    for (const regex of resolvedRegexes.keys()) changes.push({ kind: 'regex', regex, value: null })
    changes.push({ kind: 'target-epoch', value: null }, { kind: 'group', value: null })
    return changes.map((change) => encodeChange(this.groupId, change))
  }

  close(): void {
    this.#isClosed = true
    this.#clocks.stopAll()
    this.#regexes.close()
  }

  #putOut(members: readonly Member[]): void {
    if (members.length === 0) return
    for (const { memberId } of members) this.#clocks.stop(memberId)
    const leaving = new Set(members)
    const staying = stayingWithout(this.#state, leaving)
    if (staying === null || !this.#downgrade(staying, true)) this.#rebalancing.putOut(leaving)
  }

  /** A static member that spoke the consumer protocol is back with the classic one. */
  #downgradeWith(replaced: Member, joins: Member, rebalance: boolean): boolean {
    const others = this.#state.members.size === 1 ? [] : stayingWithout(this.#state, new Set([replaced]))
    if (others === null) return false
    return this.#downgrade([...others, { member: joins, target: this.#state.target(replaced.memberId) }], rebalance)
  }

  #downgrade(staying: readonly Staying[], rebalance: boolean): boolean {
    if (!this.#around.mayDowngrade(staying.length)) return false
    const around = { topics: this.#topics, nowMs: this.#around.clock.now() }
    const classic = classicGroupOf(this.groupId, this.#state.epoch, staying, around)
    const records = [...this.tombstones(), storedRecord(classic)]
    if (!this.#around.fits(records)) return false
    this.close()
    this.#journal.end(records)
    this.#around.downgraded(classic, rebalance)
    return true
  }
}

/** A request that says everything gets an answer that says everything. */
function isFull(request: ConsumerGroupHeartbeatRequest): boolean {
  const { rebalanceTimeoutMs, subscribedTopicNames, subscribedTopicRegex, topicPartitions } = request
  return (
    rebalanceTimeoutMs !== -1 && (subscribedTopicNames ?? subscribedTopicRegex) !== null && topicPartitions !== null
  )
}
