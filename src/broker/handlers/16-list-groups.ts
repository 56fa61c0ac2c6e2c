/**
 * ListGroups: all groups. v4 filter by state · v5 by type.
 */
import { listGroupsApi } from '../../protocol/generated/16-list-groups.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function listGroups(broker: Broker): Route {
  return route(listGroupsApi, {
    handle: (request, context) => broker.groups.listGroups(request, groupContext(context)),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}
