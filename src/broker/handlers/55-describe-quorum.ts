/**
 * DescribeQuorum: the cluster's metadata is kept by a quorum of one, which is its own leader and never behind.
 * v1 times of the last fetch · v2 directories and addresses.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DescribeQuorumResponsePartitionData,
  describeQuorumApi,
} from '../../protocol/generated/55-describe-quorum.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

const metadataTopic = '__cluster_metadata'

export function describeQuorum(broker: Broker): Route {
  return route(describeQuorumApi, {
    handle: ({ topics }) => {
      const described = topics.map(({ topicName, partitions }) => ({
        topicName,
        partitions: partitions.map(({ partitionIndex }) =>
          topicName === metadataTopic && partitionIndex === 0 ? quorum(broker) : unknown(partitionIndex),
        ),
      }))
      const isKnown = described.some(({ partitions }) => partitions.some((p) => p.errorCode === errorCodes.NONE))
      const nodes = [{ nodeId, listeners: [{ name: 'CONTROLLER', ...broker.advertised }] }]
      return { errorCode: errorCodes.NONE, topics: described, nodes: isKnown ? nodes : [] }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, topics: [] }),
  })
}

function unknown(partitionIndex: number): Input<DescribeQuorumResponsePartitionData> {
  const errorMessage = 'This server does not host this topic-partition.'
  return { partitionIndex, errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION, errorMessage }
}

function quorum({ metadata, clock }: Broker): Input<DescribeQuorumResponsePartitionData> {
  const end = BigInt(metadata.endOffset)
  const now = BigInt(clock.now())
  return {
    partitionIndex: 0,
    errorCode: errorCodes.NONE,
    leaderId: nodeId,
    leaderEpoch: metadata.get('cluster')?.starts ?? 1,
    highWatermark: end,
    currentVoters: [{ replicaId: nodeId, logEndOffset: end, lastFetchTimestamp: now, lastCaughtUpTimestamp: now }],
    observers: [],
  }
}
