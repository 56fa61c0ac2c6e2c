/**
 * ListPartitionReassignments: one broker has nowhere to move a partition, so none is ever under way.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { listPartitionReassignmentsApi } from '../../protocol/generated/46-list-partition-reassignments.ts'
import { type Route, route } from '../server/route.ts'

export function listPartitionReassignments(): Route {
  return route(listPartitionReassignmentsApi, {
    handle: () => ({ errorCode: errorCodes.NONE, errorMessage: null, topics: [] }),
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, topics: [] }),
  })
}
