/**
 * Heartbeat: a member of a classic group is alive, and learns whether a rebalance is under way. v3 static members.
 */
import { heartbeatApi } from '../../protocol/generated/12-heartbeat.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function heartbeat(broker: Broker): Route {
  return route(heartbeatApi, {
    handle: (request, context) => broker.groups.heartbeat(request, groupContext(context)),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}
