/**
 * SyncGroup: the leader hands in the assignment, everybody gets their own. v3 static members · v5 protocol checks.
 */
import { syncGroupApi } from '../../protocol/generated/14-sync-group.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function syncGroup(broker: Broker): Route {
  return route(syncGroupApi, {
    handle: (request, context) => broker.groups.syncGroup(request, groupContext(context)),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}
