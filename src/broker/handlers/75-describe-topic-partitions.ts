/**
 * DescribeTopicPartitions: topics in the order of their names, page by page. A page ends in the middle of a topic if it must;
 * the cursor says where the next one begins.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsResponse,
  type DescribeTopicPartitionsResponseTopic,
  describeTopicPartitionsApi,
} from '../../protocol/generated/75-describe-topic-partitions.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { topicNameProblem } from '../topics/names.ts'
import type { Partition } from '../topics/topic.ts'
import { authorizedOperations } from './authorized-operations.ts'

type Answer = Input<DescribeTopicPartitionsResponse>

export function describeTopicPartitions(broker: Broker): Route {
  return route(describeTopicPartitionsApi, {
    handle: (request) => {
      const { cursor } = request
      const isAll = request.topics.length === 0
      const names = isAll ? [...broker.topics.names()] : [...new Set(request.topics.map(({ name }) => name))]
      const rest = names.filter((name) => cursor === null || name >= cursor.topicName).sort()
      const isLost = cursor !== null && !isAll && rest[0] !== cursor.topicName
      if (isLost || (cursor !== null && cursor.partitionIndex < 0))
        return refuseAll(request, errorCodes.INVALID_REQUEST)
      return page(broker, rest, request)
    },
    refuse: refuseAll,
  })
}

function refuseAll({ topics }: DescribeTopicPartitionsRequest, errorCode: number): Answer {
  return { topics: topics.map(({ name }) => ({ errorCode, name, partitions: [] })), nextCursor: null }
}

function page(broker: Broker, names: readonly string[], request: DescribeTopicPartitionsRequest): Answer {
  const { responsePartitionLimit, cursor } = request
  const most = Math.min(responsePartitionLimit, broker.config.number('max.request.partition.size.limit'))
  let room = Math.max(1, most)
  const topics: Input<DescribeTopicPartitionsResponseTopic>[] = []
  for (const name of names) {
    if (room === 0) return { topics, nextCursor: { topicName: name, partitionIndex: 0 } }
    const from = name === cursor?.topicName ? cursor.partitionIndex : 0
    const all = broker.topics.get(name)?.partitions ?? []
    const shown = all.slice(from, from + room)
    topics.push(topicAnswer(broker, name, shown))
    room -= shown.length
    const next = from + shown.length
    if (next < all.length) return { topics, nextCursor: { topicName: name, partitionIndex: next } }
  }
  return { topics, nextCursor: null }
}

function topicAnswer(
  broker: Broker,
  name: string,
  partitions: readonly Partition[],
): Input<DescribeTopicPartitionsResponseTopic> {
  const topicAuthorizedOperations = authorizedOperations.topic
  const topic = broker.topics.get(name)
  if (topic === undefined) {
    const isLegal = topicNameProblem(name) === undefined
    const errorCode = isLegal ? errorCodes.UNKNOWN_TOPIC_OR_PARTITION : errorCodes.INVALID_TOPIC_EXCEPTION
    return { errorCode, name, partitions: [], topicAuthorizedOperations }
  }
  return {
    errorCode: errorCodes.NONE,
    name,
    topicId: topic.id,
    isInternal: topic.isInternal,
    partitions: partitions.map(({ index, leaderEpoch }) => ({
      errorCode: errorCodes.NONE,
      partitionIndex: index,
      leaderId: nodeId,
      leaderEpoch,
      replicaNodes: [nodeId],
      isrNodes: [nodeId],
      eligibleLeaderReplicas: [],
      lastKnownElr: [],
      offlineReplicas: [],
    })),
    topicAuthorizedOperations,
  }
}
