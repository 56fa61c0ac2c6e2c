/**
 * ConsumerGroupDescribe: groups of the consumer protocol, with members and assignments. v1 member types.
 */
import { consumerGroupDescribeApi } from '../../protocol/generated/69-consumer-group-describe.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function consumerGroupDescribe(broker: Broker): Route {
  return route(consumerGroupDescribeApi, {
    handle: (request, context) => broker.groups.consumerGroupDescribe(request, groupContext(context)),
    refuse: (request, errorCode) => ({ groups: request.groupIds.map((groupId) => ({ groupId, errorCode })) }),
  })
}
