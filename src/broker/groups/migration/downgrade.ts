/**
 * The classic group that a consumer group goes on as when only members of the classic protocol are left. The epoch of the
 * group becomes the generation, the target becomes the assignment. Nothing is changed here.
 */
import { withTopicNames, writeEmbeddedAssignment } from '../classic/embedded-protocol.ts'
import { ClassicGroup } from '../classic/group.ts'
import { type ClassicMember, metadataFor, noAssignment } from '../classic/member.ts'
import { consumerProtocolType } from '../classic/subscribed-topics.ts'
import type { GroupState } from '../consumer/group-state.ts'
import type { Member } from '../consumer/member.ts'
import { type Partitions, toWire } from '../consumer/partitions.ts'
import type { TopicsView } from '../ports.ts'

export interface Staying {
  readonly member: Member
  readonly target: Partitions
}

/** Who stays, without those who go; null if not all of them speak the classic protocol, or if nobody is left. */
export function stayingWithout(state: GroupState, leaving: ReadonlySet<Member>): readonly Staying[] | null {
  const staying: Staying[] = []
  for (const member of state.members.values()) {
    if (leaving.has(member)) continue
    if (member.classic === null) return null
    staying.push({ member, target: state.target(member.memberId) })
  }
  return staying.length === 0 ? null : staying
}

export function classicGroupOf(
  groupId: string,
  generationId: number,
  staying: readonly Staying[],
  { topics, nowMs }: { readonly topics: TopicsView; readonly nowMs: number },
): ClassicGroup {
  const head = { generationId, protocolType: null, protocolName: null, leader: null, stateSinceMs: nowMs }
  const group = new ClassicGroup(groupId, head, 'Stable')
  const added = staying.map(({ member, target }) => ({ member: toClassic(member), target }))
  for (const { member } of added) group.add(member, consumerProtocolType)
  group.protocolName = group.selectProtocol()
  group.refreshSubscribedTopics()
  for (const { member, target } of added) {
    const subscription = metadataFor(member, group.protocolName)
    member.assignment = writeEmbeddedAssignment(subscription, withTopicNames(toWire(target), topics))
  }
  return group
}

function toClassic(member: Member): ClassicMember {
  const { memberId, instanceId, clientId, clientHost, rebalanceTimeoutMs, classic } = member
  return {
    id: memberId,
    groupInstanceId: instanceId,
    clientId,
    clientHost,
    sessionTimeoutMs: classic?.sessionTimeoutMs ?? 0,
    rebalanceTimeoutMs,
    protocols: classic?.protocols ?? [],
    assignment: noAssignment,
    isNew: false,
    awaitingJoin: null,
    awaitingSync: null,
    cancelSession: null,
  }
}
