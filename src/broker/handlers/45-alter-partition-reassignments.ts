/**
 * AlterPartitionReassignments: moves replicas to other brokers. There is one broker: what lies there already is granted,
 * everything else is refused. v1 the replication factor may be kept fixed.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type AlterPartitionReassignmentsRequest,
  type AlterPartitionReassignmentsResponse,
  alterPartitionReassignmentsApi,
  type ReassignablePartition,
  type ReassignablePartitionResponse,
} from '../../protocol/generated/45-alter-partition-reassignments.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { granted, type Outcome } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { replicasRefusal } from './assignments.ts'
import { isTooLate } from './controller-time.ts'

export function alterPartitionReassignments(broker: Broker): Route {
  return route(alterPartitionReassignmentsApi, {
    handle: (request) => {
      if (isTooLate(request)) return refuseAll(request, errorCodes.REQUEST_TIMED_OUT)
      return answer(request, granted, (topic, partition) => reassign(broker, topic, partition))
    },
    refuse: refuseAll,
  })
}

function refuseAll(
  request: AlterPartitionReassignmentsRequest,
  errorCode: number,
): Input<AlterPartitionReassignmentsResponse> {
  const outcome = { errorCode, errorMessage: null }
  return answer(request, outcome, () => outcome)
}

function answer(
  { allowReplicationFactorChange, topics }: AlterPartitionReassignmentsRequest,
  outcome: Outcome,
  decide: (topic: string, partition: ReassignablePartition) => Outcome,
): Input<AlterPartitionReassignmentsResponse> {
  return {
    allowReplicationFactorChange,
    ...outcome,
    responses: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(
        (partition): Input<ReassignablePartitionResponse> => ({
          partitionIndex: partition.partitionIndex,
          ...decide(name, partition),
        }),
      ),
    })),
  }
}

function reassign(broker: Broker, name: string, { partitionIndex, replicas }: ReassignablePartition): Outcome {
  const unknown = (errorMessage: string): Outcome => ({
    errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
    errorMessage,
  })
  const topic = broker.topics.get(name)
  if (topic === undefined) return unknown(`Unable to find a topic named ${name}.`)
  if (topic.partitions[partitionIndex] === undefined)
    return unknown(`Unable to find partition ${name}:${partitionIndex}.`)
  // Without replicas a reassignment under way is cancelled; there never is one.
  if (replicas === null) return { errorCode: errorCodes.NO_REASSIGNMENT_IN_PROGRESS, errorMessage: null }
  const refusal = replicasRefusal(replicas)
  return refusal === undefined ? granted : { errorCode: refusal.errorCode, errorMessage: refusal.message }
}
