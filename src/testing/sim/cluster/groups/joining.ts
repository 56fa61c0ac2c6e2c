/** JoinGroup: new members, members that come back, and static members that take an older instance's place. */
import type { JoinGroupRequest, JoinGroupResponse } from '../group-messages.ts'
import type { Timers } from '../timers.ts'
import type { Group, Member } from './group.ts'
import { type Rebalance, storedForm } from './rebalance.ts'
import { answerJoin, answerSync, joined, notJoined, notSynced, sameProtocols } from './replies.ts'

/** A new member cannot heartbeat while it waits to join, and its client may be gone: so long it may wait. */
const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000

type Respond = (response: JoinGroupResponse) => void
/** null: answered through `respond`, when the others have joined. */
type Answer = JoinGroupResponse | null

export class Joining {
  readonly #timers: Timers
  readonly #rebalance: Rebalance
  #idsGiven = 0

  constructor(timers: Timers, rebalance: Rebalance) {
    this.#timers = timers
    this.#rebalance = rebalance
  }

  join(nowMs: number, group: Group, request: JoinGroupRequest, respond: Respond): Answer {
    const { memberId, groupInstanceId } = request
    if (!group.supports(request.protocolType, request.protocols)) {
      return notJoined('INCONSISTENT_GROUP_PROTOCOL', memberId)
    }
    if (memberId !== '') return this.#joinKnown(nowMs, group, request, respond)
    const newId = `${groupInstanceId ?? request.clientId}-${++this.#idsGiven}`
    if (groupInstanceId === null) return this.#giveId(nowMs, group, newId, request)
    const older = group.staticMember(groupInstanceId)
    if (older === undefined) return this.#add(nowMs, group, newId, request, respond)
    return this.#replace(nowMs, group, older, newId, request, respond)
  }

  #giveId(nowMs: number, group: Group, newId: string, request: JoinGroupRequest): Answer {
    const expire = (at: number): void => this.#rebalance.expirePending(at, group, newId)
    group.pendingJoin.set(newId, this.#timers.set(nowMs + request.sessionTimeoutMs, expire))
    return notJoined('MEMBER_ID_REQUIRED', newId)
  }

  #add(nowMs: number, group: Group, id: string, request: JoinGroupRequest, respond: Respond): Answer {
    this.#rebalance.forgetPending(group, id)
    const { groupInstanceId, sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request
    const member: Member = {
      id,
      groupInstanceId,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      protocols,
      assignment: null,
      isNew: true,
      answerJoin: respond,
      answerSync: null,
      session: null,
    }
    if (group.members.size === 0) group.protocolType = request.protocolType
    group.members.set(id, member)
    group.leader ??= id
    this.#rebalance.keepAlive(nowMs, group, member, NEW_MEMBER_JOIN_TIMEOUT_MS)
    this.#rebalance.membershipChanged(nowMs, group)
    return null
  }

  #joinKnown(nowMs: number, group: Group, request: JoinGroupRequest, respond: Respond): Answer {
    const { memberId, protocols } = request
    if (group.pendingJoin.has(memberId)) return this.#add(nowMs, group, memberId, request, respond)
    const refusal = group.checkMember(memberId, request.groupInstanceId)
    const member = group.members.get(memberId)
    if (refusal !== 'NONE' || member === undefined) return notJoined(refusal, memberId)
    // A repeated request changes nothing: its first answer was lost. But a leader that asks again wants a rebalance.
    const unchanged = sameProtocols(member.protocols, protocols)
    const repeated =
      (group.state === 'CompletingRebalance' && unchanged) ||
      (group.state === 'Stable' && unchanged && group.leader !== memberId)
    if (repeated) return joined(group, member)
    this.#update(member, request, respond)
    this.#rebalance.membershipChanged(nowMs, group)
    return null
  }

  /** The newest request is the one that is answered; an older one of the same member never is. */
  #update(member: Member, request: JoinGroupRequest, respond: Respond): void {
    member.protocols = request.protocols
    member.sessionTimeoutMs = request.sessionTimeoutMs
    member.rebalanceTimeoutMs = request.rebalanceTimeoutMs
    member.answerJoin = respond
  }

  #replace(
    nowMs: number,
    group: Group,
    older: Member,
    id: string,
    request: JoinGroupRequest,
    respond: Respond,
  ): Answer {
    answerJoin(older, notJoined('FENCED_INSTANCE_ID', older.id))
    answerSync(older, notSynced('FENCED_INSTANCE_ID'))
    this.#timers.cancel(older.session)
    const member: Member = { ...older, id, session: null, isNew: false }
    group.members.delete(older.id)
    group.members.set(id, member)
    if (group.leader === older.id) group.leader = id
    this.#rebalance.keepAlive(nowMs, group, member)
    this.#update(member, request, respond)
    if (group.state === 'Stable' && group.selectProtocol() === group.protocolName) {
      group.stored = storedForm(group)
      member.answerJoin = null
      return joined(group, member, group.leader === id)
    }
    // The leader may have assigned to the older id by now: in the middle of that, only a new rebalance helps.
    this.#rebalance.membershipChanged(nowMs, group)
    return null
  }
}
