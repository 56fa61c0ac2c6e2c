/** SyncGroup, Heartbeat and LeaveGroup: the life of somebody who has joined. */
import { errorCodes } from '../../../protocol/errors.ts'
import type { HeartbeatRequest } from '../../../protocol/generated/12-heartbeat.ts'
import type { MemberIdentity, MemberResponse } from '../../../protocol/generated/13-leave-group.ts'
import type { SyncGroupRequest } from '../../../protocol/generated/14-sync-group.ts'
import type { Input } from '../../../protocol/types.ts'
import { notSynced, synced } from './answers.ts'
import type { ClassicGroup } from './group.ts'
import type { AnswerSync } from './member.ts'
import type { Rebalance } from './rebalance.ts'

export class Membership {
  readonly #rebalance: Rebalance

  constructor(rebalance: Rebalance) {
    this.#rebalance = rebalance
  }

  /** The answer comes at once, or when the leader has assigned; never, if the member leaves meanwhile (as in Kafka). */
  sync(group: ClassicGroup, request: SyncGroupRequest, answer: AnswerSync): void {
    const member = group.members.get(request.memberId)
    const refusal = refuseSync(group, request)
    if (refusal !== errorCodes.NONE || member === undefined) {
      answer(notSynced(refusal))
      return
    }
    this.#rebalance.gotSync(group, member)
    if (group.state === 'Stable') {
      answer(synced(group, member))
      return
    }
    member.awaitingSync = answer
    if (group.leader !== member.id) return
    this.#rebalance.assign(group, new Map(request.assignments.map((one) => [one.memberId, one.assignment])))
  }

  heartbeat(group: ClassicGroup, request: HeartbeatRequest): number {
    const refusal = group.checkMember(request.memberId, request.groupInstanceId)
    const member = group.members.get(request.memberId)
    if (refusal !== errorCodes.NONE || member === undefined) return refusal
    if (request.generationId !== group.generationId) return errorCodes.ILLEGAL_GENERATION
    this.#rebalance.keepAlive(group, member)
    return group.state === 'PreparingRebalance' ? errorCodes.REBALANCE_IN_PROGRESS : errorCodes.NONE
  }

  leave(group: ClassicGroup, members: readonly MemberIdentity[]): Input<MemberResponse>[] {
    let left = false
    const results = members.map(({ memberId, groupInstanceId }) => {
      const errorCode = this.#leaveOne(group, memberId, groupInstanceId)
      left ||= errorCode === errorCodes.NONE
      return { memberId, groupInstanceId, errorCode }
    })
    // Even for an id that was never used: it was given out, so others may have been waiting for it.
    if (left && group.state !== 'Empty') this.#rebalance.membershipChanged(group)
    return results
  }

  #leaveOne(group: ClassicGroup, memberId: string, groupInstanceId: string | null): number {
    if (group.pendingJoins.has(memberId)) {
      this.#rebalance.forgetGivenOut(group, memberId)
      return errorCodes.NONE
    }
    // An administrator knows only the instance id.
    const byInstance = memberId === '' && groupInstanceId !== null ? group.staticMember(groupInstanceId) : undefined
    const refusal = byInstance === undefined ? refuseLeave(group, memberId, groupInstanceId) : errorCodes.NONE
    const member = byInstance ?? group.members.get(memberId)
    if (refusal !== errorCodes.NONE || member === undefined) return refusal
    this.#rebalance.remove(group, member)
    return errorCodes.NONE
  }
}

function refuseLeave(group: ClassicGroup, memberId: string, groupInstanceId: string | null): number {
  return memberId === '' ? errorCodes.UNKNOWN_MEMBER_ID : group.checkMember(memberId, groupInstanceId)
}

function refuseSync(group: ClassicGroup, request: SyncGroupRequest): number {
  if (group.members.size === 0) return errorCodes.UNKNOWN_MEMBER_ID
  const refusal = group.checkMember(request.memberId, request.groupInstanceId)
  if (refusal !== errorCodes.NONE) return refusal
  if (request.generationId !== group.generationId) return errorCodes.ILLEGAL_GENERATION
  if (differs(request.protocolType, group.protocolType) || differs(request.protocolName, group.protocolName)) {
    return errorCodes.INCONSISTENT_GROUP_PROTOCOL
  }
  return group.state === 'PreparingRebalance' ? errorCodes.REBALANCE_IN_PROGRESS : errorCodes.NONE
}

/** Older versions do not say. */
function differs(asked: string | null, own: string | null): boolean {
  return asked !== null && own !== null && asked !== own
}
