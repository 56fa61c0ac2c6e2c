/**
 * A consumer group as ConsumerGroupDescribe shows it.
 */
import type {
  DescribedGroup,
  Member as DescribedMember,
} from '../../../protocol/generated/69-consumer-group-describe.ts'
import type { Input } from '../../../protocol/types.ts'
import type { TopicsView } from '../ports.ts'
import type { GroupState } from './group-state.ts'
import type { Member } from './member.ts'
import { type Partitions, toWire } from './partitions.ts'

/** How a member speaks to the coordinator. */
const memberTypes = { classic: 0, consumer: 1 }

export function describeGroup(
  groupId: string,
  groupState: string,
  state: GroupState,
  assignorName: string,
  topics: TopicsView,
): Input<DescribedGroup> {
  return {
    groupId,
    groupState,
    groupEpoch: state.epoch,
    assignmentEpoch: state.assignmentEpoch,
    assignorName,
    members: [...state.members.values()].map((member) => describeMember(member, state, topics)),
  }
}

function describeMember(member: Member, state: GroupState, topics: TopicsView): Input<DescribedMember> {
  const { memberId, instanceId, rackId, clientId, clientHost } = member
  return {
    memberId,
    instanceId,
    rackId,
    memberEpoch: member.epoch,
    clientId,
    clientHost,
    subscribedTopicNames: [...member.topicNames],
    subscribedTopicRegex: member.topicRegex,
    assignment: { topicPartitions: withNames(member.assigned, topics) },
    targetAssignment: { topicPartitions: withNames(state.target(memberId), topics) },
    memberType: member.classic === null ? memberTypes.consumer : memberTypes.classic,
  }
}

/** Topics that were deleted have no name any more and are left out. */
function withNames(
  set: Partitions,
  topics: TopicsView,
): { topicId: string; topicName: string; partitions: readonly number[] }[] {
  return toWire(set).flatMap(({ topicId, partitions }) => {
    const topicName = topics.topicName(topicId)
    return topicName === undefined ? [] : [{ topicId, topicName, partitions }]
  })
}
