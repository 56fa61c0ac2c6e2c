/**
 * Members of a consumer group that speak the classic protocol: some were there before the group changed its protocol, others
 * join with it afterwards. They are members like all others, with an epoch, a target and a step by step way towards it; only
 * the words differ:
 *
 * - JoinGroup is the heartbeat that says what the member owns. It never waits; its answer has the member epoch as generation.
 * - SyncGroup tells what the member owns now. Nobody leads, nobody assigns.
 * - Heartbeat tells whether the member has to join again: the group has a new epoch, partitions are to be given up, or
 *   partitions that others owned have become free.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type { JoinGroupRequest, JoinGroupResponse } from '../../../protocol/generated/11-join-group.ts'
import type { HeartbeatRequest } from '../../../protocol/generated/12-heartbeat.ts'
import type { SyncGroupRequest, SyncGroupResponse } from '../../../protocol/generated/14-sync-group.ts'
import type { Input } from '../../../protocol/types.ts'
import { notJoined, notSynced } from '../classic/answers.ts'
import {
  type EmbeddedSubscription,
  readEmbeddedSubscription,
  withTopicIds,
  withTopicNames,
  writeEmbeddedAssignment,
} from '../classic/embedded-protocol.ts'
import { keptProtocols, type MemberProtocol, noAssignment, protocolBytes } from '../classic/member.ts'
import { consumerProtocolType } from '../classic/subscribed-topics.ts'
import type { TopicsView } from '../ports.ts'
import type { RequestContext } from '../request-context.ts'
import type { GroupState } from './group-state.ts'
import type { Journal } from './journal.ts'
import { type Member, newMember, sameNames } from './member.ts'
import type { MemberClocks } from './member-clocks.ts'
import { type Found, findNamed, joinStaticClassic } from './membership.ts'
import type { ConsumerGroupOptions } from './options.ts'
import { toWire } from './partitions.ts'
import type { Rebalancing } from './rebalancing.ts'
import { isWaitingForOthers } from './reconcile.ts'
import { isShortId, maxSubscriptionChars, Refusal } from './refusals.ts'

/** From this version on a new member is given an id first, and joins with it. */
const memberIdRequiredFrom = 4

export interface ClassicMembersParts {
  readonly groupId: string
  readonly state: GroupState
  readonly journal: Journal
  readonly rebalancing: Rebalancing
  readonly clocks: MemberClocks
  readonly topics: TopicsView
  readonly options: ConsumerGroupOptions
  readonly newMemberId: () => string
  /** The group goes on as a classic one, with `joins` in the place of `replaced`, if it may. */
  readonly downgrade: (replaced: Member, joins: Member, rebalance: boolean) => boolean
}

interface Join extends Found {
  readonly updated: Member
  readonly subscription: EmbeddedSubscription
  /** As the request says it: a static member may leave it out. */
  readonly groupInstanceId: string | null
}

export class ClassicMembers {
  readonly #parts: ClassicMembersParts

  constructor(parts: ClassicMembersParts) {
    this.#parts = parts
  }

  join(request: JoinGroupRequest, context: RequestContext): Input<JoinGroupResponse> {
    const isNew = request.memberId === ''
    const memberId = isNew ? this.#parts.newMemberId() : request.memberId
    const protocols = keptProtocols(request.protocols)
    const refusal = this.#refuseJoin(memberId, request.protocolType, protocols)
    if (refusal !== errorCodes.NONE) return notJoined(refusal, '')
    if (isNew && request.groupInstanceId === null && context.version >= memberIdRequiredFrom) {
      // Nothing is kept of it: whatever id a member brings is good.
      return notJoined(errorCodes.MEMBER_ID_REQUIRED, memberId)
    }
    const found = this.#find(memberId, request, isNew)
    if (found instanceof Refusal) return notJoined(found.errorCode, '')
    // All of its protocols say the same about topics.
    const subscription = readEmbeddedSubscription(protocols[0]?.metadata ?? noAssignment)
    if (subscription === null || protocolBytes(protocols) > maxSubscriptionChars) {
      return notJoined(errorCodes.UNKNOWN_SERVER_ERROR, '')
    }
    const updated = subscribedWith(found.member, request, context, subscription, protocols)
    const join = { ...found, updated, subscription, groupInstanceId: request.groupInstanceId }
    const joined = this.#joinAndDowngrade(join) ?? this.#join(join)
    return {
      errorCode: errorCodes.NONE,
      generationId: joined.epoch,
      protocolType: consumerProtocolType,
      protocolName: protocols[0]?.name ?? '',
      leader: '',
      skipAssignment: false,
      memberId,
      members: [],
    }
  }

  sync(request: SyncGroupRequest): Input<SyncGroupResponse> {
    const member = this.#check(request)
    if (typeof member === 'number') return notSynced(member)
    const { protocolType, protocolName } = request
    const first = member.classic?.protocols[0]
    const speaksOther = protocolType !== null && protocolType !== consumerProtocolType
    if (speaksOther || (protocolName !== null && protocolName !== first?.name)) {
      return notSynced(errorCodes.INCONSISTENT_GROUP_PROTOCOL)
    }
    // One that has to give up partitions is in the middle of it, and joins again afterwards by itself.
    if (this.#parts.state.epoch > member.epoch && member.state !== 'unrevoked') {
      this.#parts.clocks.expectJoin(member)
      return notSynced(errorCodes.REBALANCE_IN_PROGRESS)
    }
    this.#parts.clocks.synced(member)
    const owned = withTopicNames(toWire(member.assigned), this.#parts.topics)
    const assignment = writeEmbeddedAssignment(first?.metadata ?? noAssignment, owned)
    return { errorCode: errorCodes.NONE, protocolType, protocolName, assignment }
  }

  heartbeat(request: HeartbeatRequest): number {
    const member = this.#check(request)
    if (typeof member === 'number') return member
    this.#parts.clocks.startSession(member)
    if (!this.#mustJoinAgain(member)) return errorCodes.NONE
    this.#parts.clocks.expectJoin(member)
    return errorCodes.REBALANCE_IN_PROGRESS
  }

  #mustJoinAgain(member: Member): boolean {
    const { state } = this.#parts
    if (member.epoch < state.epoch) return true
    switch (member.state) {
      case 'unrevoked':
        return true
      case 'unreleased':
        return !isWaitingForOthers(member, state.target(member.memberId), (id, partition) =>
          state.isOwned(id, partition),
        )
      case 'stable':
      case 'unknown':
        return false
    }
  }

  #refuseJoin(memberId: string, protocolType: string, protocols: readonly MemberProtocol[]): number {
    const { state, options } = this.#parts
    if (!isShortId(memberId)) return errorCodes.INVALID_REQUEST
    if (state.members.size >= options.maxSize && !state.members.has(memberId)) return errorCodes.GROUP_MAX_SIZE_REACHED
    const isSpoken = protocolType === consumerProtocolType && protocols.some(({ name }) => this.#isSpokenByAll(name))
    return isSpoken ? errorCodes.NONE : errorCodes.INCONSISTENT_GROUP_PROTOCOL
  }

  /** By all who speak the classic protocol: they may be among themselves again one day. */
  #isSpokenByAll(name: string): boolean {
    for (const { classic } of this.#parts.state.members.values()) {
      if (classic !== null && !classic.protocols.some((protocol) => protocol.name === name)) return false
    }
    return true
  }

  #find(memberId: string, { groupInstanceId }: JoinGroupRequest, isNew: boolean): Found | Refusal {
    const { state, groupId } = this.#parts
    if (groupInstanceId === null)
      return { member: state.members.get(memberId) ?? newMember(memberId), replaces: undefined }
    if (isNew) return joinStaticClassic(state, memberId, groupInstanceId)
    const member = findNamed(state, groupId, memberId, groupInstanceId)
    return member instanceof Refusal ? member : { member, replaces: undefined }
  }

  /** A static member changes to the classic protocol as the last of the group: the group goes with it. */
  #joinAndDowngrade({ member, updated, subscription, groupInstanceId }: Join): Member | undefined {
    const { state, rebalancing } = this.#parts
    const before = groupInstanceId === null ? undefined : state.staticMember(groupInstanceId)
    if (before === undefined || before.classic !== null) return undefined
    const changes = !sameNames(member.topicNames, updated.topicNames)
    const joins = changes
      ? updated
      : { ...updated, ...rebalancing.nextStep(updated, before.memberId, this.#owned(subscription)) }
    return this.#parts.downgrade(before, joins, changes) ? joins : undefined
  }

  #join({ member, replaces, updated, subscription }: Join): Member {
    const { rebalancing, clocks, journal } = this.#parts
    if (replaces !== undefined) {
      clocks.stop(replaces.memberId)
      rebalancing.replace(replaces, member)
    }
    rebalancing.raiseEpoch(rebalancing.subscribe(member, updated))
    rebalancing.assign()
    const joined = rebalancing.reconcile(updated, this.#owned(subscription))
    journal.flush()
    clocks.joined(joined)
    return joined
  }

  #owned({ owned }: EmbeddedSubscription): ReturnType<typeof withTopicIds> {
    return withTopicIds(owned, this.#parts.topics)
  }

  /** The member that speaks, or why it is none that may. */
  #check(request: {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly generationId: number
  }): Member | number {
    const member = findNamed(this.#parts.state, this.#parts.groupId, request.memberId, request.groupInstanceId)
    if (member instanceof Refusal) return member.errorCode
    if (member.classic === null) return errorCodes.UNKNOWN_MEMBER_ID
    return member.epoch === request.generationId ? member : errorCodes.ILLEGAL_GENERATION
  }
}

/** The member after a JoinGroup. From now on it speaks the classic protocol. */
function subscribedWith(
  member: Member,
  request: JoinGroupRequest,
  { version, clientId, clientHost }: RequestContext,
  { topics, rackId }: EmbeddedSubscription,
  protocols: readonly MemberProtocol[],
): Member {
  const { groupInstanceId, sessionTimeoutMs } = request
  const rebalanceTimeoutMs = version === 0 ? sessionTimeoutMs : request.rebalanceTimeoutMs
  return {
    ...member,
    instanceId: groupInstanceId ?? member.instanceId,
    rackId: rackId ?? member.rackId,
    clientId: clientId ?? '',
    clientHost,
    topicNames: new Set(topics),
    rebalanceTimeoutMs: rebalanceTimeoutMs === -1 ? member.rebalanceTimeoutMs : rebalanceTimeoutMs,
    classic: { sessionTimeoutMs, protocols },
  }
}
