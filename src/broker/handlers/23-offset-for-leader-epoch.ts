/**
 * OffsetForLeaderEpoch: where a leader epoch ended. A client that has read beyond that knows that a tail was cut.
 * v2 the epoch that the client believes to be current · v3 who asks.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type EpochEndOffset,
  type OffsetForLeaderPartition,
  offsetForLeaderEpochApi,
} from '../../protocol/generated/23-offset-for-leader-epoch.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { leaderEpochProblem } from '../fetch/read-partition.ts'
import { type Route, route } from '../server/route.ts'

export function offsetForLeaderEpoch(broker: Broker): Route {
  return route(offsetForLeaderEpochApi, {
    handle: ({ topics }) => ({
      topics: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((asked) => find(broker, topic, asked)),
      })),
    }),
    refuse: ({ topics }, errorCode) => ({
      topics: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((asked) => failure(asked, errorCode)),
      })),
    }),
  })
}

function failure({ partition }: OffsetForLeaderPartition, errorCode: number): Input<EpochEndOffset> {
  return { errorCode, partition, leaderEpoch: -1, endOffset: -1n }
}

function find(broker: Broker, topic: string, asked: OffsetForLeaderPartition): Input<EpochEndOffset> {
  const partition = broker.topics.get(topic)?.partitions[asked.partition]
  if (partition === undefined) return failure(asked, errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
  const problem = leaderEpochProblem(asked.currentLeaderEpoch, partition.leaderEpoch)
  if (problem !== errorCodes.NONE) return failure(asked, problem)
  const { epoch, endOffset } = partition.log.endOffsetFor(asked.leaderEpoch)
  return { errorCode: errorCodes.NONE, partition: asked.partition, leaderEpoch: epoch, endOffset: BigInt(endOffset) }
}
