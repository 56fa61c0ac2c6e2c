/** Which groups there are, and taking groups or members of them away. */
import { OptionError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { leaveGroupApi } from '../protocol/generated/13-leave-group.ts'
import { listGroupsApi } from '../protocol/generated/16-list-groups.ts'
import { deleteGroupsApi } from '../protocol/generated/42-delete-groups.ts'
import { names as checkedNames, listed } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { everyBroker, toCoordinatorOf, toCoordinators } from './routes.ts'

export type GroupType = 'classic' | 'consumer' | 'share' | 'streams'

export type GroupState =
  | 'Empty'
  | 'Stable'
  | 'PreparingRebalance'
  | 'CompletingRebalance'
  | 'Assigning'
  | 'Reconciling'
  | 'NotReady'
  | 'Dead'

export interface GroupListing {
  readonly id: string
  /** null: the broker is too old to say. */
  readonly type: GroupType | null
  readonly state: GroupState | null
  /** `consumer`; `connect` for workers of Kafka Connect; empty if only offsets are left. */
  readonly protocolType: string
  readonly coordinator: number
}

export interface ListGroupsOptions extends CallOptions {
  readonly states?: readonly GroupState[]
  readonly types?: readonly GroupType[]
}

export interface RemovedGroup {
  readonly id: string
  /** False: an earlier try met silence, and now there is no such group. */
  readonly confirmed: boolean
}

/** A static member by its instance id, any member by its member id. */
export type MemberToRemove =
  | { readonly instanceId: string; readonly memberId?: string }
  | { readonly memberId: string; readonly instanceId?: undefined }

export interface RemoveMembersOptions extends CallOptions {
  /** What the broker's log says about it. */
  readonly reason?: string
}

export interface RemovedMember {
  readonly instanceId: string | null
  readonly memberId: string | null
  /** False: an earlier try met silence, and now there is no such member. */
  readonly confirmed: boolean
}

/** Every broker tells of the groups that it coordinates. Sorted by id. */
export async function listGroups(
  context: AdminContext,
  { states = [], types = [], ...options }: ListGroupsOptions,
): Promise<readonly GroupListing[]> {
  const deadline = deadlineOf(context, options)
  const request = { statesFilter: states, typesFilter: types }
  const groups = await everyBroker<GroupListing>(context, deadline, listGroupsApi.name, async (broker, errand) => {
    const answer = await errand.ask([broker], broker.nodeId, listGroupsApi, request)
    if (answer === null) return
    const { errorCode, groups: found } = answer.body
    if (errorCode !== errorCodes.NONE) return errand.refused(broker, errorCode, broker.nodeId, listGroupsApi)
    errand.done(
      broker,
      found.map(({ groupId, protocolType, groupState, groupType }) => ({
        id: groupId,
        type: groupType === '' ? null : (groupType.toLowerCase() as GroupType),
        state: groupState === '' ? null : (groupState as GroupState),
        protocolType,
        coordinator: broker.nodeId,
      })),
    )
  })
  // A group that moves while we ask is told of by both of its coordinators.
  const byId = new Map(groups.map((group) => [group.id, group]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** With their offsets. Only groups without members can be deleted. */
export function deleteGroups(
  context: AdminContext,
  ids: readonly string[],
  options: CallOptions,
): Promise<readonly RemovedGroup[]> {
  return run<string, RemovedGroup>(context, {
    request: deleteGroupsApi.name,
    items: checkedNames(ids, 'ids'),
    nameOf: (id) => id,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinators(errand, 'group', open, String, async (node, theirs) => {
        const answer = await errand.ask(theirs, node, deleteGroupsApi, { groupsNames: theirs }, { applies: true })
        for (const { groupId: id, errorCode } of answer?.body.results ?? []) {
          if (!theirs.includes(id)) continue
          const isGone = errorCode === errorCodes.GROUP_ID_NOT_FOUND && errand.isUnsure(id)
          if (errorCode === errorCodes.NONE || isGone) errand.done(id, { id, confirmed: !isGone })
          else errand.refused(id, errorCode, node, deleteGroupsApi)
        }
      }),
  })
}

/** Their partitions go to others. A member that is alive notices and joins again: this is for those that are not. */
export function removeMembers(
  context: AdminContext,
  group: string,
  members: readonly MemberToRemove[],
  options: RemoveMembersOptions,
): Promise<readonly RemovedMember[]> {
  const { reason = 'removed by an admin' } = options
  return run<MemberToRemove, RemovedMember>(context, {
    request: leaveGroupApi.name,
    items: listed(members, 'members', memberName),
    nameOf: (member) => `${memberName(member)} in ${group}`,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinatorOf(errand, group, open, async (node, theirs) => {
        const leaving = theirs.map(({ memberId = '', instanceId = null }) => ({
          memberId,
          groupInstanceId: instanceId,
          reason,
        }))
        const request = { groupId: group, members: leaving }
        const answer = await errand.ask(theirs, node, leaveGroupApi, request, { applies: true })
        if (answer === null) return
        const codes = new Map(
          answer.body.members.map((each) => [each.groupInstanceId ?? each.memberId, each.errorCode]),
        )
        for (const member of theirs) {
          const code = answer.body.errorCode || (codes.get(memberName(member)) ?? errorCodes.UNKNOWN_SERVER_ERROR)
          const isGone = code === errorCodes.UNKNOWN_MEMBER_ID && errand.isUnsure(member)
          if (code === errorCodes.NONE || isGone) {
            const { memberId = null, instanceId = null } = member
            errand.done(member, { memberId, instanceId, confirmed: !isGone })
          } else errand.refused(member, code, node, leaveGroupApi)
        }
      }),
  })
}

function memberName({ instanceId, memberId }: MemberToRemove): string {
  const name = instanceId ?? memberId
  if (typeof name === 'string' && name !== '') return name
  throw new OptionError('OPTION_INVALID', 'members', 'Every one of members must have an instanceId or a memberId.')
}
