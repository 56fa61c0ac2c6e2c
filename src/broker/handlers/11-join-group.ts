/**
 * JoinGroup: a member comes into a group of the classic protocol, or comes back for the next generation.
 * v1 rebalance time-out · v4 a new member is first told its id · v5 static members · v9 the leader may be told not to assign.
 */
import { joinGroupApi } from '../../protocol/generated/11-join-group.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function joinGroup(broker: Broker): Route {
  return route(joinGroupApi, {
    handle: (request, context) => broker.groups.joinGroup(request, groupContext(context)),
    refuse: (request, errorCode) => ({ errorCode, generationId: -1, memberId: request.memberId, protocolName: '' }),
  })
}
