/**
 * DescribeGroups: state and members of classic groups. v3 authorized operations · v6 an unknown group is an error.
 */
import { describeGroupsApi } from '../../protocol/generated/15-describe-groups.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function describeGroups(broker: Broker): Route {
  return route(describeGroupsApi, {
    handle: (request, context) => broker.groups.describeGroups(request, groupContext(context)),
    refuse: (request, errorCode) => ({ groups: request.groups.map((groupId) => ({ groupId, errorCode })) }),
  })
}
