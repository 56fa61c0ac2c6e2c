/** A group as the state log holds it, and back: what a restarted coordinator knows of it. */
import type { GroupMetadataValue } from '../../../protocol/generated/group-metadata-value.ts'
import type { StateRecord } from '../ports.ts'
import { groupRecord } from '../records.ts'
import { ClassicGroup } from './group.ts'
import { type ClassicMember, metadataFor } from './member.ts'

/** Of each member only the protocol that was chosen is kept. */
export function storedRecord(group: ClassicGroup): StateRecord {
  return groupRecord(group.id, {
    protocolType: group.protocolType ?? '',
    generation: group.generationId,
    protocol: group.protocolName,
    leader: group.leader,
    currentStateTimestamp: BigInt(group.stateSinceMs ?? -1),
    members: [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      rebalanceTimeout: member.rebalanceTimeoutMs,
      sessionTimeout: member.sessionTimeoutMs,
      subscription: metadataFor(member, group.protocolName),
      assignment: member.assignment,
    })),
  })
}

/** Nobody waits for anything yet, and no session runs. */
export function restoredGroup(id: string, value: GroupMetadataValue): ClassicGroup {
  const stateSince = Number(value.currentStateTimestamp)
  const head = {
    generationId: value.generation,
    protocolType: value.protocolType === '' ? null : value.protocolType,
    protocolName: value.protocol,
    leader: value.leader,
    stateSinceMs: stateSince < 0 ? null : stateSince,
  }
  const group = new ClassicGroup(id, head, value.members.length === 0 ? 'Empty' : 'Stable')
  for (const stored of value.members) {
    const member: ClassicMember = {
      id: stored.memberId,
      groupInstanceId: stored.groupInstanceId,
      clientId: stored.clientId,
      clientHost: stored.clientHost,
      sessionTimeoutMs: stored.sessionTimeout,
      // The first version did not store it.
      rebalanceTimeoutMs: stored.rebalanceTimeout === -1 ? stored.sessionTimeout : stored.rebalanceTimeout,
      protocols: [{ name: value.protocol ?? '', metadata: Buffer.from(stored.subscription) }],
      assignment: Buffer.from(stored.assignment),
      isNew: false,
      awaitingJoin: null,
      awaitingSync: null,
      cancelSession: null,
    }
    group.add(member, value.protocolType)
  }
  group.refreshSubscribedTopics()
  return group
}
