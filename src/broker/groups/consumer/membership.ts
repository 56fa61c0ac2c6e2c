/**
 * Which member a heartbeat comes from, and whether it may speak for it.
 *
 * The epoch is the fence: a member that was put out, or that missed an epoch, must give up its partitions and join anew.
 * One exception: the answer that told it the new epoch got lost. Then it comes with the epoch before, and owns nothing
 * that it should not own.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type { ConsumerGroupHeartbeatRequest } from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { GroupState } from './group-state.ts'
import { joinEpoch, type Member, newMember, noProgress, staticLeaveEpoch } from './member.ts'
import { isPartOf } from './partitions.ts'
import { Refusal } from './refusals.ts'

export interface Found {
  readonly member: Member
  /** The static member whose place `member` takes. */
  readonly replaces: Member | undefined
}

export function findMember(
  state: GroupState,
  groupId: string,
  memberId: string,
  request: ConsumerGroupHeartbeatRequest,
): Found | Refusal {
  const joins = request.memberEpoch === joinEpoch
  if (request.instanceId !== null && joins) return joinStatic(state, memberId, request.instanceId)
  const member =
    request.instanceId !== null
      ? findStatic(state, memberId, request.instanceId)
      : (state.members.get(memberId) ?? (joins ? newMember(memberId) : unknownMember(groupId, memberId)))
  if (member instanceof Refusal) return member
  return fence(member, request) ?? { member, replaces: undefined }
}

/** The member that leaves, or that an administrator removes, or that speaks with a classic API. */
export function findNamed(
  state: GroupState,
  groupId: string,
  memberId: string,
  instanceId: string | null,
): Member | Refusal {
  if (instanceId !== null) return findStatic(state, memberId, instanceId)
  return state.members.get(memberId) ?? unknownMember(groupId, memberId)
}

/**
 * An instance of a static member comes. With the consumer protocol on both sides the older one must have left for a while;
 * where one of them speaks the classic protocol the newer one takes over, as it always did there.
 */
function joinStatic(state: GroupState, memberId: string, instanceId: string): Found | Refusal {
  const existing = state.staticMember(instanceId)
  if (existing !== undefined && existing.classic === null && existing.epoch !== staticLeaveEpoch) {
    return new Refusal(
      errorCodes.UNRELEASED_INSTANCE_ID,
      `instance id '${instanceId}' is in use by member '${existing.memberId}': it must leave or time out first`,
    )
  }
  return joinStaticClassic(state, memberId, instanceId)
}

/** The same for one that speaks the classic protocol. */
export function joinStaticClassic(state: GroupState, memberId: string, instanceId: string): Found {
  const existing = state.staticMember(instanceId)
  if (existing === undefined) {
    return { member: state.members.get(memberId) ?? newMember(memberId), replaces: undefined }
  }
  const { epoch, previousEpoch } = noProgress
  return { member: { ...existing, memberId, epoch, previousEpoch }, replaces: existing }
}

function findStatic(state: GroupState, memberId: string, instanceId: string): Member | Refusal {
  const existing = state.staticMember(instanceId)
  if (existing === undefined) {
    return new Refusal(errorCodes.UNKNOWN_MEMBER_ID, `no member has the instance id '${instanceId}'`)
  }
  if (existing.memberId !== memberId) {
    return new Refusal(
      errorCodes.FENCED_INSTANCE_ID,
      `member '${existing.memberId}' has taken over the instance id '${instanceId}' from '${memberId}'`,
    )
  }
  return existing
}

function unknownMember(groupId: string, memberId: string): Refusal {
  return new Refusal(errorCodes.UNKNOWN_MEMBER_ID, `group '${groupId}' has no member '${memberId}'`)
}

function fence(member: Member, request: ConsumerGroupHeartbeatRequest): Refusal | undefined {
  const { memberEpoch, topicPartitions } = request
  const fenced = (why: string): Refusal =>
    new Refusal(errorCodes.FENCED_MEMBER_EPOCH, `${why}: give up all partitions and join again`)
  if (memberEpoch !== member.epoch) {
    const answerGotLost =
      memberEpoch < member.epoch &&
      memberEpoch === member.previousEpoch &&
      topicPartitions !== null &&
      isPartOf(topicPartitions, member.assigned)
    if (!answerGotLost) return fenced(`the member has epoch ${memberEpoch}, the group expects ${member.epoch}`)
  }
  if (member.state === 'unknown' && (topicPartitions === null || topicPartitions.length > 0)) {
    return fenced('a later version of the broker left this member in an unknown state')
  }
  return undefined
}
