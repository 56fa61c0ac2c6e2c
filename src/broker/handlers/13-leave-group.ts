/**
 * LeaveGroup: members go. v3 several at once, static ones by their instance id · v5 a reason.
 */
import { leaveGroupApi } from '../../protocol/generated/13-leave-group.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function leaveGroup(broker: Broker): Route {
  return route(leaveGroupApi, {
    handle: (request, context) => broker.groups.leaveGroup(request, groupContext(context)),
    refuse: (request, errorCode) => ({
      errorCode,
      members: request.members.map(({ memberId, groupInstanceId }) => ({ memberId, groupInstanceId, errorCode })),
    }),
  })
}
