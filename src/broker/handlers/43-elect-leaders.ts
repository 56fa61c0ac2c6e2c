/**
 * ElectLeaders: every partition has its preferred and only leader, so no election is ever needed.
 * v1 the kind of election: 0 preferred, 1 unclean.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type ElectLeadersRequest,
  type ElectLeadersResponse,
  electLeadersApi,
  type PartitionResult,
} from '../../protocol/generated/43-elect-leaders.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { isTooLate } from './controller-time.ts'

const electionTypes: ReadonlySet<number> = new Set([0, 1])

export function electLeaders(broker: Broker): Route {
  return route(electLeadersApi, {
    handle: (request) => {
      const { electionType, topicPartitions } = request
      if (!electionTypes.has(electionType)) {
        return refuseAll(request, errorCodes.INVALID_REQUEST, `Unknown election type ${electionType}`)
      }
      if (isTooLate(request)) return refuseAll(request, errorCodes.REQUEST_TIMED_OUT)
      // Asked for all, Kafka tells only of those that it elected.
      const replicaElectionResults =
        topicPartitions === null
          ? [...broker.topics.names()].map((topic) => ({ topic, partitionResult: [] }))
          : topicPartitions.map(({ topic, partitions }) => ({
              topic,
              partitionResult: partitions.map((partition) => elect(broker, topic, partition)),
            }))
      return { errorCode: errorCodes.NONE, replicaElectionResults }
    },
    refuse: (request, errorCode) => refuseAll(request, errorCode),
  })
}

function refuseAll(
  { topicPartitions }: ElectLeadersRequest,
  errorCode: number,
  errorMessage: string | null = null,
): Input<ElectLeadersResponse> {
  const replicaElectionResults = (topicPartitions ?? []).map(({ topic, partitions }) => ({
    topic,
    partitionResult: partitions.map((partitionId) => ({ partitionId, errorCode, errorMessage })),
  }))
  return { errorCode, replicaElectionResults }
}

function elect(broker: Broker, topic: string, partitionId: number): Input<PartitionResult> {
  const unknown = (errorMessage: string): Input<PartitionResult> => ({
    partitionId,
    errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
    errorMessage,
  })
  const found = broker.topics.get(topic)
  if (found === undefined) return unknown(`No such topic as ${topic}`)
  if (found.partitions[partitionId] === undefined) return unknown(`No such partition as ${topic}-${partitionId}`)
  const errorMessage = 'Leader election not needed for topic partition.'
  return { partitionId, errorCode: errorCodes.ELECTION_NOT_NEEDED, errorMessage }
}
