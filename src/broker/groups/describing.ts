/** DescribeGroups, ConsumerGroupDescribe and ListGroups: groups as tools see them. */
import { errorCodes } from '../../protocol/errors.ts'
import type {
  DescribedGroup,
  DescribedGroupMember,
  DescribeGroupsRequest,
} from '../../protocol/generated/15-describe-groups.ts'
import type { ListedGroup, ListGroupsRequest } from '../../protocol/generated/16-list-groups.ts'
import type {
  ConsumerGroupDescribeRequest,
  DescribedGroup as DescribedConsumerGroup,
} from '../../protocol/generated/69-consumer-group-describe.ts'
import type { Input } from '../../protocol/types.ts'
import type { ClassicGroup } from './classic/group.ts'
import { type ClassicMember, metadataFor } from './classic/member.ts'
import { consumerProtocolType } from './classic/subscribed-topics.ts'
import type { Group, GroupRegistry } from './registry.ts'

/** Before it, a group that does not exist is told as one that is dead. */
const groupNotFoundFrom = 6
const operationsUnknown = -2_147_483_648
/** There are no ACLs: read, delete, describe, describe configs, alter configs. */
const allOperations = (1 << 3) | (1 << 6) | (1 << 8) | (1 << 10) | (1 << 11)

export function describeGroups(
  groups: GroupRegistry,
  request: DescribeGroupsRequest,
  version: number,
  refusal: number,
): Input<DescribedGroup>[] {
  const operations = version >= 3 && request.includeAuthorizedOperations ? allOperations : operationsUnknown
  return request.groups.map((groupId) => {
    if (refusal !== errorCodes.NONE) return { groupId, errorCode: refusal, authorizedOperations: operationsUnknown }
    const group = groups.get(groupId)
    if (group?.kind === 'classic') return { ...describeClassic(group.classic), authorizedOperations: operations }
    const dead = { groupId, groupState: 'Dead', protocolType: '', protocolData: '', members: [] }
    if (version < groupNotFoundFrom) return { ...dead, errorCode: errorCodes.NONE, authorizedOperations: operations }
    return { ...dead, ...notFound(groupId, group, 'classic'), authorizedOperations: operationsUnknown }
  })
}

export function describeConsumerGroups(
  groups: GroupRegistry,
  request: ConsumerGroupDescribeRequest,
  refusal: number,
): Input<DescribedConsumerGroup>[] {
  const operations = request.includeAuthorizedOperations ? allOperations : operationsUnknown
  return request.groupIds.map((groupId) => {
    const unknown = { groupId, authorizedOperations: operationsUnknown }
    if (groupId === '') return { ...unknown, errorCode: errorCodes.INVALID_GROUP_ID }
    if (refusal !== errorCodes.NONE) return { ...unknown, errorCode: refusal }
    const group = groups.get(groupId)
    if (group?.kind === 'consumer') return { ...group.consumer.describe(), authorizedOperations: operations }
    return { ...unknown, ...notFound(groupId, group, 'consumer') }
  })
}

/** Filters do not look at upper and lower case; one that names nothing known finds nothing. */
export function listGroups(groups: GroupRegistry, request: ListGroupsRequest): Input<ListedGroup>[] {
  const states = new Set(request.statesFilter.map(normalized))
  const types = new Set(request.typesFilter.map(normalized))
  return groups
    .all()
    .map(([groupId, group]) => listed(groupId, group))
    .filter(({ groupState }) => states.size === 0 || states.has(normalized(groupState)))
    .filter(({ groupType }) => types.size === 0 || types.has(groupType))
}

function listed(groupId: string, group: Group): { groupState: string; groupType: string } & Input<ListedGroup> {
  if (group.kind === 'consumer') {
    const groupState = group.consumer.state
    return { groupId, protocolType: consumerProtocolType, groupState, groupType: 'consumer' }
  }
  const { protocolType, state } = group.classic
  return { groupId, protocolType: protocolType ?? '', groupState: state, groupType: 'classic' }
}

/** What members said about themselves is shown only when it led to the assignment that is shown beside it. */
function describeClassic(group: ClassicGroup): Input<DescribedGroup> {
  const isStable = group.state === 'Stable'
  return {
    errorCode: errorCodes.NONE,
    groupId: group.id,
    groupState: group.state,
    protocolType: group.protocolType ?? '',
    protocolData: isStable ? (group.protocolName ?? '') : '',
    members: [...group.members.values()].map((member) => {
      const described = describeMember(member)
      return isStable ? { ...described, memberMetadata: metadataFor(member, group.protocolName) } : described
    }),
  }
}

function describeMember(member: ClassicMember): Input<DescribedGroupMember> {
  const { groupInstanceId, clientId, clientHost, assignment } = member
  return { memberId: member.id, groupInstanceId, clientId, clientHost, memberAssignment: assignment }
}

function notFound(
  groupId: string,
  group: Group | undefined,
  wanted: Group['kind'],
): { errorCode: number; errorMessage: string } {
  const why = group === undefined ? 'not found' : `is not a ${wanted} group`
  return { errorCode: errorCodes.GROUP_ID_NOT_FOUND, errorMessage: `Group ${groupId} ${why}.` }
}

function normalized(name: string): string {
  return name.toLowerCase().trim()
}
