/**
 * ConsumerGroupHeartbeat (KIP-848): joining, staying, being assigned and leaving in one request. v1 ids made by clients, regular
 * expressions.
 */
import { consumerGroupHeartbeatApi } from '../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function consumerGroupHeartbeat(broker: Broker): Route {
  return route(consumerGroupHeartbeatApi, {
    handle: (request, context) => broker.groups.consumerGroupHeartbeat(request, groupContext(context)),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}
