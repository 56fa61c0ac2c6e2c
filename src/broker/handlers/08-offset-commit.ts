/**
 * OffsetCommit: positions of a group, with metadata. v6 leader epochs · v7 static members · v9 members of the consumer protocol.
 */
import { offsetCommitApi } from '../../protocol/generated/08-offset-commit.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function offsetCommit(broker: Broker): Route {
  return route(offsetCommitApi, {
    handle: (request, context) => broker.groups.offsetCommit(request, groupContext(context)),
    refuse: (request, errorCode) => ({
      topics: request.topics.map(({ name, topicId, partitions }) => ({
        name,
        topicId,
        partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
      })),
    }),
  })
}
