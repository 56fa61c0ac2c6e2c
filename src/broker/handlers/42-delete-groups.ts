/**
 * DeleteGroups: empty groups and their offsets.
 */
import { deleteGroupsApi } from '../../protocol/generated/42-delete-groups.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function deleteGroups(broker: Broker): Route {
  return route(deleteGroupsApi, {
    handle: (request, context) => broker.groups.deleteGroups(request, groupContext(context)),
    refuse: (request, errorCode) => ({ results: request.groupsNames.map((groupId) => ({ groupId, errorCode })) }),
  })
}
