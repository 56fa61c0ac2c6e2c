/** Answers to JoinGroup and SyncGroup, which many roads lead to. */
import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '../errors.ts'
import type { JoinGroupResponse, SyncGroupResponse } from '../group-messages.ts'
import type { Group, Member, Protocols } from './group.ts'

export function joined(group: Group, member: Member, skipAssignment = false): JoinGroupResponse {
  return {
    kind: 'JoinGroup',
    errorCode: 'NONE',
    generationId: group.generationId,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leader ?? '',
    skipAssignment,
    memberId: member.id,
    members: group.leader === member.id ? group.describeMembers() : [],
  }
}

export function notJoined(errorCode: ErrorCode, memberId: string): JoinGroupResponse {
  return {
    kind: 'JoinGroup',
    errorCode,
    generationId: -1,
    protocolType: null,
    protocolName: null,
    leader: '',
    skipAssignment: false,
    memberId,
    members: [],
  }
}

export function synced(group: Group, member: Member): SyncGroupResponse {
  const { protocolType, protocolName } = group
  return { kind: 'SyncGroup', errorCode: 'NONE', protocolType, protocolName, assignment: member.assignment }
}

export function notSynced(errorCode: ErrorCode): SyncGroupResponse {
  return { kind: 'SyncGroup', errorCode, protocolType: null, protocolName: null, assignment: null }
}

/** Answers and forgets, so that nobody is answered twice. */
export function answerJoin(member: Member, response: JoinGroupResponse): void {
  const { answerJoin: answer } = member
  member.answerJoin = null
  answer?.(response)
}

export function answerSync(member: Member, response: SyncGroupResponse): void {
  const { answerSync: answer } = member
  member.answerSync = null
  answer?.(response)
}

export function sameProtocols(one: Protocols, other: Protocols): boolean {
  return isDeepStrictEqual(one, other)
}
