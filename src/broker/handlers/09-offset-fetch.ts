/**
 * OffsetFetch: committed positions. v2 null topics = all · v5 leader epochs · v7 only stable ones · v8 several groups · v9 members
 * of the consumer protocol.
 */
import { offsetFetchApi } from '../../protocol/generated/09-offset-fetch.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function offsetFetch(broker: Broker): Route {
  return route(offsetFetchApi, {
    handle: (request, context) => broker.groups.offsetFetch(request, groupContext(context)),
    refuse: (request, errorCode, { version }) => {
      if (version >= 8) return { groups: request.groups.map(({ groupId }) => ({ groupId, errorCode })) }
      if (version >= 2) return { errorCode }
      // The oldest version has no error for the whole answer: every partition carries it.
      const none = { committedOffset: -1n, metadata: '', errorCode }
      return {
        topics: (request.topics ?? []).map(({ name, partitionIndexes }) => ({
          name,
          partitions: partitionIndexes.map((partitionIndex) => ({ partitionIndex, ...none })),
        })),
      }
    },
  })
}
