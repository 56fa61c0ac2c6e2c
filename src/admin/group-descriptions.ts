/**
 * Groups with their members. There are two protocols: in the classic one members assign among themselves, in the `consumer`
 * one (KIP-848) the coordinator does. Which one a group speaks is found out by asking for the newer one first.
 */
import { errorCodes } from '../protocol/errors.ts'
import { type DescribedGroup, describeGroupsApi } from '../protocol/generated/15-describe-groups.ts'
import {
  type Assignment,
  type DescribedGroup as ConsumerGroup,
  consumerGroupDescribeApi,
} from '../protocol/generated/69-consumer-group-describe.ts'
import { names as checkedNames, orNull } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { type Errand, run } from './errand.ts'
import type { GroupState } from './groups.ts'
import { assignmentOf, sorted, subscribedTopicsOf, type TopicPartitions } from './member-data.ts'
import { toCoordinators } from './routes.ts'

export interface MemberDescription {
  readonly id: string
  /** Static membership; null: none. */
  readonly instanceId: string | null
  readonly clientId: string
  readonly host: string
  readonly rack: string | null
  /** Consumer protocol only. */
  readonly epoch: number | null
  /** What it wants to read; null: not told (during a rebalance), or it is no consumer. */
  readonly topics: readonly string[] | null
  readonly topicPattern: string | null
  /** null: bytes that are no consumer's. */
  readonly assignment: readonly TopicPartitions[] | null
  /** Consumer protocol: what it will have when everybody has let go. */
  readonly target: readonly TopicPartitions[] | null
}

export interface GroupDescription {
  readonly id: string
  readonly type: 'classic' | 'consumer'
  readonly state: GroupState
  /** `consumer`, or `connect` for workers of Kafka Connect; empty: only offsets are left. */
  readonly protocolType: string
  /** How partitions are given out; null: nobody is there, or the group rebalances. */
  readonly assignor: string | null
  /** Consumer protocol only. */
  readonly epoch: number | null
  readonly assignmentEpoch: number | null
  readonly coordinator: number
  readonly members: readonly MemberDescription[]
}

type Describing = Errand<string, GroupDescription>

export function describeGroups(
  context: AdminContext,
  ids: readonly string[],
  options: CallOptions,
): Promise<readonly GroupDescription[]> {
  return run<string, GroupDescription>(context, {
    request: describeGroupsApi.name,
    items: checkedNames(ids, 'ids'),
    nameOf: (id) => id,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinators(errand, 'group', open, String, async (node, theirs) => {
        const classic = await describeConsumers(errand, node, theirs)
        if (classic.length > 0) await describeClassic(errand, node, classic)
      }),
  })
}

/** Gives those that are of the older protocol, or of none. */
async function describeConsumers(errand: Describing, node: number, ids: readonly string[]): Promise<readonly string[]> {
  const answer = await errand.askIfServed(ids, node, consumerGroupDescribeApi, { groupIds: ids })
  if (answer === 'unserved') return ids
  const others: string[] = []
  for (const group of answer?.body.groups ?? []) {
    const { groupId, errorCode, errorMessage } = group
    if (!ids.includes(groupId)) continue
    if (errorCode === errorCodes.NONE) errand.done(groupId, consumerGroup(node, group))
    // Known to the API, but switched off in this cluster.
    else if (errorCode === errorCodes.GROUP_ID_NOT_FOUND || errorCode === errorCodes.UNSUPPORTED_VERSION) {
      others.push(groupId)
    } else errand.refused(groupId, errorCode, node, consumerGroupDescribeApi, errorMessage)
  }
  return others
}

async function describeClassic(errand: Describing, node: number, ids: readonly string[]): Promise<void> {
  const answer = await errand.ask(ids, node, describeGroupsApi, { groups: ids })
  for (const group of answer?.body.groups ?? []) {
    const { groupId, errorCode, errorMessage, groupState } = group
    if (!ids.includes(groupId)) continue
    // Brokers that are older than this error say that the group is dead.
    const code = errorCode === errorCodes.NONE && groupState === 'Dead' ? errorCodes.GROUP_ID_NOT_FOUND : errorCode
    if (code !== errorCodes.NONE) errand.refused(groupId, code, node, describeGroupsApi, errorMessage)
    else errand.done(groupId, classicGroup(node, group))
  }
}

function classicGroup(coordinator: number, group: DescribedGroup): GroupDescription {
  const isConsumers = group.protocolType === 'consumer'
  return {
    id: group.groupId,
    type: 'classic',
    state: group.groupState as GroupState,
    protocolType: group.protocolType,
    assignor: group.protocolData === '' ? null : group.protocolData,
    epoch: null,
    assignmentEpoch: null,
    coordinator,
    members: group.members.map((member) => ({
      id: member.memberId,
      instanceId: member.groupInstanceId,
      clientId: member.clientId,
      host: hostOf(member.clientHost),
      rack: null,
      epoch: null,
      topics: isConsumers ? subscribedTopicsOf(member.memberMetadata) : null,
      topicPattern: null,
      assignment: isConsumers ? assignmentOf(member.memberAssignment) : null,
      target: null,
    })),
  }
}

function consumerGroup(coordinator: number, group: ConsumerGroup): GroupDescription {
  return {
    id: group.groupId,
    type: 'consumer',
    state: group.groupState as GroupState,
    protocolType: 'consumer',
    assignor: group.assignorName === '' ? null : group.assignorName,
    epoch: group.groupEpoch,
    assignmentEpoch: group.assignmentEpoch,
    coordinator,
    members: group.members.map((member) => ({
      id: member.memberId,
      instanceId: member.instanceId,
      clientId: member.clientId,
      host: hostOf(member.clientHost),
      rack: member.rackId,
      epoch: orNull(member.memberEpoch),
      topics: [...member.subscribedTopicNames].sort(),
      topicPattern: member.subscribedTopicRegex === '' ? null : member.subscribedTopicRegex,
      assignment: partitionsOf(member.assignment),
      target: partitionsOf(member.targetAssignment),
    })),
  }
}

function partitionsOf({ topicPartitions }: Assignment): readonly TopicPartitions[] {
  return sorted(topicPartitions.map(({ topicName, partitions }) => ({ topic: topicName, partitions })))
}

/** Java prints an address with a slash in front. */
function hostOf(host: string): string {
  return host.startsWith('/') ? host.slice(1) : host
}
