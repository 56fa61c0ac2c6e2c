/** SyncGroup, Heartbeat and LeaveGroup: the life of somebody who has joined. */
import type { ErrorCode } from '../errors.ts'
import type {
  HeartbeatRequest,
  LeaveGroupRequest,
  LeaveGroupResponse,
  SyncGroupRequest,
  SyncGroupResponse,
} from '../group-messages.ts'
import type { Group } from './group.ts'
import type { Rebalance } from './rebalance.ts'
import { notSynced, synced } from './replies.ts'

export class Membership {
  readonly #rebalance: Rebalance

  constructor(rebalance: Rebalance) {
    this.#rebalance = rebalance
  }

  /** null: answered through `respond`, when the leader has assigned. */
  sync(
    nowMs: number,
    group: Group,
    request: SyncGroupRequest,
    respond: (response: SyncGroupResponse) => void,
  ): SyncGroupResponse | null {
    const member = group.members.get(request.memberId)
    const refusal = refuseSync(group, request)
    if (refusal !== null || member === undefined) return notSynced(refusal ?? 'UNKNOWN_MEMBER_ID')
    this.#rebalance.gotSync(group, member)
    if (group.state === 'Stable') return synced(group, member)
    member.answerSync = respond
    if (group.leader !== member.id) return null
    const assignments = new Map(request.assignments.map(({ memberId, assignment }) => [memberId, assignment]))
    this.#rebalance.stabilize(nowMs, group, assignments)
    return null
  }

  heartbeat(nowMs: number, group: Group, request: HeartbeatRequest): ErrorCode {
    const refusal = group.checkMember(request.memberId, request.groupInstanceId)
    const member = group.members.get(request.memberId)
    if (refusal !== 'NONE' || member === undefined) return refusal
    if (request.generationId !== group.generationId) return 'ILLEGAL_GENERATION'
    this.#rebalance.keepAlive(nowMs, group, member)
    return group.state === 'PreparingRebalance' ? 'REBALANCE_IN_PROGRESS' : 'NONE'
  }

  leave(nowMs: number, group: Group, request: LeaveGroupRequest): LeaveGroupResponse['members'] {
    let left = false
    const members = request.members.map(({ memberId, groupInstanceId }) => {
      const errorCode = this.#leaveOne(group, memberId, groupInstanceId)
      left ||= errorCode === 'NONE'
      return { memberId, groupInstanceId, errorCode }
    })
    // Even an id that was never used: it was given out, so others may have been waiting for it.
    if (left && group.state !== 'Empty') this.#rebalance.membershipChanged(nowMs, group)
    return members
  }

  #leaveOne(group: Group, memberId: string, groupInstanceId: string | null): ErrorCode {
    if (group.pendingJoin.has(memberId)) {
      this.#rebalance.forgetPending(group, memberId)
      return 'NONE'
    }
    // An administrator knows only the instance id.
    const holder = memberId === '' && groupInstanceId !== null ? group.staticMember(groupInstanceId) : undefined
    const refusal = holder === undefined ? group.checkMember(memberId, groupInstanceId) : 'NONE'
    const member = holder ?? group.members.get(memberId)
    if (refusal !== 'NONE' || member === undefined) return refusal
    this.#rebalance.remove(group, member)
    return 'NONE'
  }
}

function refuseSync(group: Group, request: SyncGroupRequest): ErrorCode | null {
  if (group.members.size === 0) return 'UNKNOWN_MEMBER_ID'
  const refusal = group.checkMember(request.memberId, request.groupInstanceId)
  if (refusal !== 'NONE') return refusal
  if (request.generationId !== group.generationId) return 'ILLEGAL_GENERATION'
  const differs = (mine: string | null, theirs: string | null): boolean =>
    mine !== null && theirs !== null && mine !== theirs
  if (differs(request.protocolType, group.protocolType) || differs(request.protocolName, group.protocolName)) {
    return 'INCONSISTENT_GROUP_PROTOCOL'
  }
  return group.state === 'PreparingRebalance' ? 'REBALANCE_IN_PROGRESS' : null
}
