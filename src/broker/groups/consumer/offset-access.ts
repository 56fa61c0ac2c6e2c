/**
 * Who may commit and fetch the offsets of a consumer group. Returns an error code; 0 lets it pass.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type { GroupState } from './group-state.ts'
import type { Member } from './member.ts'

export interface CommitDetails {
  readonly groupInstanceId: string | null
  /** TxnOffsetCommit. */
  readonly isTransactional: boolean
  /** Of the OffsetCommit or TxnOffsetCommit request. */
  readonly version: number
}

/** Older OffsetCommit requests cannot tell a stale epoch, so members of this protocol may not use them. */
const commitsFromVersion = 9

export function checkCommit(
  state: GroupState,
  memberId: string,
  memberEpoch: number,
  { groupInstanceId, isTransactional, version }: CommitDetails,
): number {
  // Tools and consumers without a group commit while nobody is there.
  if (memberEpoch < 0 && state.members.size === 0) return errorCodes.NONE
  // A transaction need not name the member on whose behalf it commits.
  if (isTransactional && memberEpoch === -1 && memberId === '' && groupInstanceId === null) return errorCodes.NONE
  const member = state.members.get(memberId)
  if (member === undefined) return errorCodes.UNKNOWN_MEMBER_ID
  if (!isTransactional && member.classic === null && version < commitsFromVersion) return errorCodes.UNSUPPORTED_VERSION
  if (memberEpoch === member.epoch) return errorCodes.NONE
  return isTransactional ? errorCodes.ILLEGAL_GENERATION : staleEpoch(member)
}

export function checkFetch(state: GroupState, memberId: string | null, memberEpoch: number): number {
  if (memberId === null && memberEpoch < 0) return errorCodes.NONE
  const member = state.members.get(memberId ?? '')
  if (member === undefined) return errorCodes.UNKNOWN_MEMBER_ID
  return memberEpoch === member.epoch ? errorCodes.NONE : staleEpoch(member)
}

/** What a member takes for its generation is the epoch that it has here. */
function staleEpoch({ classic }: Member): number {
  return classic === null ? errorCodes.STALE_MEMBER_EPOCH : errorCodes.ILLEGAL_GENERATION
}
