/**
 * OffsetDelete: committed offsets of topics that a group no longer reads.
 */
import { offsetDeleteApi } from '../../protocol/generated/47-offset-delete.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function offsetDelete(broker: Broker): Route {
  return route(offsetDeleteApi, {
    handle: (request, context) => broker.groups.offsetDelete(request, groupContext(context)),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}
