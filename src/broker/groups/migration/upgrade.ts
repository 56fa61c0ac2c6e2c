/**
 * A classic group as the beginning of a consumer group. Its members stay, with the partitions that they own, and go on
 * speaking the classic protocol: its generation becomes the epoch of the group, of its target and of each of them.
 *
 * Nothing is changed here. Whoever joins with the consumer protocol raises the epoch, and by that the members hear that they
 * have to join again.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import { readEmbeddedAssignment, readEmbeddedSubscription, withTopicIds } from '../classic/embedded-protocol.ts'
import type { ClassicGroup } from '../classic/group.ts'
import { type ClassicMember, metadataFor } from '../classic/member.ts'
import { consumerProtocolType } from '../classic/subscribed-topics.ts'
import type { Founders } from '../consumer/founders.ts'
import type { Member } from '../consumer/member.ts'
import type { ConsumerGroupOptions } from '../consumer/options.ts'
import { fromWire, noPartitions, type Partitions } from '../consumer/partitions.ts'
import { Refusal } from '../consumer/refusals.ts'
import type { TopicsView } from '../ports.ts'
import { waysOf } from './policy.ts'

/** Why this group stays as it is, whatever its members have said. */
export function refuseUpgrade(group: ClassicGroup, options: ConsumerGroupOptions): Refusal | undefined {
  const refusal = (why: string): Refusal =>
    new Refusal(errorCodes.GROUP_ID_NOT_FOUND, `group ${group.id} stays with the classic protocol: ${why}`)
  if (!waysOf[options.migrationPolicy].upgrade) {
    return refusal(`group.consumer.migration.policy is ${options.migrationPolicy}`)
  }
  if (group.protocolType !== consumerProtocolType) return refusal('its members are no consumers')
  if (group.members.size > options.maxSize) {
    return refusal(`it has ${group.members.size} members, with the consumer protocol it may have ${options.maxSize}`)
  }
  return undefined
}

/** The members as the consumer group will know them, or why that cannot be. */
export function foundersOf(group: ClassicGroup, topics: TopicsView): Founders | Refusal {
  const members: Member[] = []
  for (const classic of group.members.values()) {
    const member = founderOf(group, classic, topics)
    if (member instanceof Refusal) return member
    members.push(member)
  }
  if (ownTheSame(members)) {
    return new Refusal(
      errorCodes.UNKNOWN_SERVER_ERROR,
      `group ${group.id} stays with the classic protocol: some partition is assigned to two members`,
    )
  }
  return { epoch: group.generationId, members }
}

function founderOf(group: ClassicGroup, classic: ClassicMember, topics: TopicsView): Member | Refusal {
  const { protocolName, generationId: epoch } = group
  // In the middle of a rebalance: the first one of the group, or one that changes what its members speak.
  if (!classic.protocols.some(({ name }) => name === protocolName)) {
    return new Refusal(
      errorCodes.UNKNOWN_SERVER_ERROR,
      `group ${group.id} has not agreed on a protocol yet: try again later`,
    )
  }
  const subscription = readEmbeddedSubscription(metadataFor(classic, protocolName))
  const assigned = assignedTo(classic, topics)
  if (subscription === null || assigned === null) {
    return new Refusal(
      errorCodes.GROUP_ID_NOT_FOUND,
      `group ${group.id} stays with the classic protocol: what member ${classic.id} said cannot be read`,
    )
  }
  if (assigned instanceof Refusal) return assigned
  return {
    memberId: classic.id,
    instanceId: classic.groupInstanceId,
    rackId: subscription.rackId,
    clientId: classic.clientId,
    clientHost: classic.clientHost,
    topicNames: new Set(subscription.topics),
    topicRegex: '',
    rebalanceTimeoutMs: classic.rebalanceTimeoutMs,
    serverAssignor: null,
    classic: { sessionTimeoutMs: classic.sessionTimeoutMs, protocols: classic.protocols },
    epoch,
    previousEpoch: epoch,
    state: 'stable',
    assigned,
    pendingRevocation: noPartitions,
  }
}

/** Of the last assignment that was made. Who has never been given one owns nothing. */
function assignedTo({ id, assignment }: ClassicMember, topics: TopicsView): Partitions | Refusal | null {
  if (assignment.length === 0) return noPartitions
  const read = readEmbeddedAssignment(assignment)
  if (read === null) return null
  if (read.hasUserData) {
    return new Refusal(
      errorCodes.GROUP_ID_NOT_FOUND,
      `an assignor of its own gave member ${id} more than partitions, which would be lost: change to one of Kafka's first`,
    )
  }
  return fromWire(withTopicIds(read.partitions, topics))
}

function ownTheSame(members: readonly Member[]): boolean {
  const owned = new Set<string>()
  let count = 0
  for (const { assigned } of members) {
    for (const [topicId, partitions] of assigned) {
      count += partitions.size
      for (const partition of partitions) owned.add(`${partition}/${topicId}`)
    }
  }
  return owned.size < count
}
