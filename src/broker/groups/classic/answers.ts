/** Answers to JoinGroup and SyncGroup, which many roads lead to. Versions are told apart only when they leave. */
import { errorCodes } from '../../../protocol/errors.ts'
import type { JoinGroupResponse } from '../../../protocol/generated/11-join-group.ts'
import type { SyncGroupResponse } from '../../../protocol/generated/14-sync-group.ts'
import type { Input } from '../../../protocol/types.ts'
import type { ClassicGroup } from './group.ts'
import { type ClassicMember, noAssignment } from './member.ts'

export function joined(group: ClassicGroup, member: ClassicMember): Input<JoinGroupResponse> {
  return {
    errorCode: errorCodes.NONE,
    generationId: group.generationId,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leader ?? '',
    skipAssignment: false,
    memberId: member.id,
    members: group.leader === member.id ? group.membersForLeader() : [],
  }
}

export function notJoined(errorCode: number, memberId: string): Input<JoinGroupResponse> {
  return { errorCode, generationId: -1, protocolType: null, protocolName: null, leader: '', memberId, members: [] }
}

/** Before version 7 there is no null for "no protocol". */
export function joinAnswerFor(version: number, response: Input<JoinGroupResponse>): Input<JoinGroupResponse> {
  return version < 7 && response.protocolName === null ? { ...response, protocolName: '' } : response
}

export function synced(group: ClassicGroup, member: ClassicMember): Input<SyncGroupResponse> {
  const { protocolType, protocolName } = group
  return { errorCode: errorCodes.NONE, protocolType, protocolName, assignment: member.assignment }
}

export function notSynced(errorCode: number): Input<SyncGroupResponse> {
  return { errorCode, protocolType: null, protocolName: null, assignment: noAssignment }
}

export function answerSync(member: ClassicMember, response: Input<SyncGroupResponse>): void {
  const answer = member.awaitingSync
  member.awaitingSync = null
  answer?.(response)
}
