/** JoinGroup: new members, members that come back, and static members that take an older instance's place. */
import { errorCodes } from '../../../protocol/errors.ts'
import type { JoinGroupRequest } from '../../../protocol/generated/11-join-group.ts'
import type { GroupOptions } from '../options.ts'
import type { RequestContext } from '../request-context.ts'
import { answerSync, joined, notJoined, notSynced } from './answers.ts'
import type { ClassicGroup } from './group.ts'
import {
  type AnswerJoin,
  type ClassicMember,
  keptProtocols,
  type MemberProtocol,
  noAssignment,
  protocolBytes,
  sameProtocols,
} from './member.ts'
import type { Rebalance, StoreGroup } from './rebalance.ts'

/** From this version on a new member is given an id first, and joins with it: a lost answer then leaves no ghost. */
const memberIdRequiredFrom = 4
const skipAssignmentFrom = 9

interface Join {
  readonly request: JoinGroupRequest
  readonly context: RequestContext
  readonly protocols: readonly MemberProtocol[]
  readonly rebalanceTimeoutMs: number
  /** Called exactly once, unless the member repeats its request while it waits: then only the newest is answered. */
  readonly answer: AnswerJoin
}

export class Joining {
  readonly #options: GroupOptions
  readonly #rebalance: Rebalance
  readonly #store: StoreGroup
  readonly #newUuid: () => string

  constructor(options: GroupOptions, rebalance: Rebalance, store: StoreGroup, newUuid: () => string) {
    this.#options = options
    this.#rebalance = rebalance
    this.#store = store
    this.#newUuid = newUuid
  }

  join(group: ClassicGroup, request: JoinGroupRequest, context: RequestContext, answer: AnswerJoin): void {
    const { memberId, protocols } = request
    if (!this.#hasRoom(group, memberId)) {
      this.#turnAway(group, memberId)
      answer(notJoined(errorCodes.GROUP_MAX_SIZE_REACHED, ''))
      return
    }
    const names = protocols.map(({ name }) => name)
    if (!group.supports(request.protocolType, names)) {
      answer(notJoined(errorCodes.INCONSISTENT_GROUP_PROTOCOL, memberId))
      return
    }
    const rebalanceTimeoutMs = context.version === 0 ? request.sessionTimeoutMs : request.rebalanceTimeoutMs
    const join: Join = { request, context, protocols: keptProtocols(protocols), rebalanceTimeoutMs, answer }
    if (this.#isTooMuch(group, join)) {
      answer(notJoined(errorCodes.GROUP_MAX_SIZE_REACHED, memberId))
      return
    }
    if (memberId === '') this.#joinAnew(group, join)
    else this.#joinKnown(group, join)
  }

  /** While members join, those who wait are counted: if the limit was lowered, the last ones to come are turned away. */
  #hasRoom(group: ClassicGroup, memberId: string): boolean {
    const { groupMaxSize } = this.#options
    const member = group.members.get(memberId)
    switch (group.state) {
      case 'PreparingRebalance':
        return (member !== undefined && member.awaitingJoin !== null) || group.awaitingJoin < groupMaxSize
      case 'CompletingRebalance':
      case 'Stable':
        return member !== undefined || group.members.size < groupMaxSize
      case 'Empty':
      case 'Dead':
        return true
    }
  }

  /** What the member said before no longer counts. */
  #isTooMuch(group: ClassicGroup, { request, protocols }: Join): boolean {
    const { memberId, groupInstanceId } = request
    const older = groupInstanceId === null ? group.members.get(memberId) : group.staticMember(groupInstanceId)
    const others = group.metadataBytes - protocolBytes(older?.protocols ?? [])
    return others + protocolBytes(protocols) > this.#options.groupMetadataBytesMax
  }

  #turnAway(group: ClassicGroup, memberId: string): void {
    this.#rebalance.forgetGivenOut(group, memberId)
    const member = group.members.get(memberId)
    if (member === undefined) return
    this.#rebalance.remove(group, member)
    this.#rebalance.membershipChanged(group)
  }

  #joinAnew(group: ClassicGroup, join: Join): void {
    const { groupInstanceId, sessionTimeoutMs } = join.request
    const newId = `${groupInstanceId ?? join.context.clientId ?? ''}-${this.#newUuid()}`
    if (groupInstanceId !== null) {
      const older = group.staticMember(groupInstanceId)
      if (older === undefined) this.#add(group, newId, join)
      else this.#replace(group, older, newId, join)
    } else if (join.context.version < memberIdRequiredFrom) this.#add(group, newId, join)
    else if (group.pendingJoins.size >= this.#options.groupMaxSize) {
      join.answer(notJoined(errorCodes.GROUP_MAX_SIZE_REACHED, ''))
    } else {
      this.#rebalance.giveOut(group, newId, sessionTimeoutMs)
      join.answer(notJoined(errorCodes.MEMBER_ID_REQUIRED, newId))
    }
  }

  #add(group: ClassicGroup, id: string, join: Join): void {
    const { request, context } = join
    this.#rebalance.forgetGivenOut(group, id)
    const member: ClassicMember = {
      id,
      groupInstanceId: request.groupInstanceId,
      clientId: context.clientId ?? '',
      clientHost: context.clientHost,
      sessionTimeoutMs: request.sessionTimeoutMs,
      rebalanceTimeoutMs: join.rebalanceTimeoutMs,
      protocols: join.protocols,
      assignment: noAssignment,
      isNew: true,
      awaitingJoin: join.answer,
      awaitingSync: null,
      cancelSession: null,
    }
    if (group.joinWait?.kind === 'first') group.joinWait.memberAdded = true
    group.add(member, request.protocolType)
    this.#rebalance.keepAlive(group, member, this.#options.groupNewMemberJoinTimeoutMs)
    this.#rebalance.membershipChanged(group)
  }

  #joinKnown(group: ClassicGroup, join: Join): void {
    const { memberId, groupInstanceId } = join.request
    if (groupInstanceId === null && group.pendingJoins.has(memberId)) {
      this.#add(group, memberId, join)
      return
    }
    const refusal = group.checkMember(memberId, groupInstanceId)
    const member = group.members.get(memberId)
    if (refusal !== errorCodes.NONE || member === undefined) join.answer(notJoined(refusal, memberId))
    else if (isRepeated(group, member, join)) join.answer(joined(group, member))
    else {
      this.#update(group, member, join)
      this.#rebalance.membershipChanged(group)
    }
  }

  #update(group: ClassicGroup, member: ClassicMember, join: Join): void {
    group.setProtocols(member, join.protocols)
    member.sessionTimeoutMs = join.request.sessionTimeoutMs
    member.rebalanceTimeoutMs = join.rebalanceTimeoutMs
    group.setAwaitingJoin(member, join.answer)
  }

  #replace(group: ClassicGroup, older: ClassicMember, id: string, join: Join): void {
    group.answerJoin(older, notJoined(errorCodes.FENCED_INSTANCE_ID, older.id))
    answerSync(older, notSynced(errorCodes.FENCED_INSTANCE_ID))
    older.cancelSession?.()
    const formerLeader = group.leader
    const member = group.rename(older, id)
    this.#rebalance.keepAlive(group, member)
    this.#update(group, member, join)
    if (group.state === 'Stable' && group.selectProtocol() === group.protocolName && this.#store(group)) {
      group.answerJoin(member, takenOver(group, member, join.context.version, formerLeader))
      return
    }
    // The leader may have assigned to the older id by now: in the middle of that, only a new rebalance helps.
    this.#rebalance.membershipChanged(group)
  }
}

/** A repeated request changes nothing: its first answer was lost. But a leader that asks again wants a rebalance. */
function isRepeated(group: ClassicGroup, member: ClassicMember, join: Join): boolean {
  if (group.state !== 'CompletingRebalance' && group.state !== 'Stable') return false
  if (group.state === 'Stable' && group.leader === member.id) return false
  return sameProtocols(member.protocols, join.protocols)
}

/**
 * A static member is back in an unchanged group: nothing moves, so nobody must assign. A leader is told so where the version
 * has a word for it; an older one is told that its former self leads.
 */
function takenOver(
  group: ClassicGroup,
  member: ClassicMember,
  version: number,
  formerLeader: string | null,
): ReturnType<typeof joined> {
  const answer = joined(group, member)
  const leads = group.leader === member.id
  if (version >= skipAssignmentFrom) return { ...answer, skipAssignment: leads }
  return leads ? { ...answer, leader: formerLeader ?? '', members: [] } : answer
}
