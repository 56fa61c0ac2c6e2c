/**
 * ListOffsets: the offset at a time, or at one of the special places below.
 * v2 isolation level · v4 leader epochs · v7 the place of the largest timestamp · v8, v9 local and tiered places · v10 a time-out.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type ListOffsetsPartition,
  type ListOffsetsPartitionResponse,
  type ListOffsetsRequest,
  listOffsetsApi,
} from '../../protocol/generated/02-list-offsets.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { leaderEpochProblem } from '../fetch/read-partition.ts'
import { whenReadable } from '../fetch/readable.ts'
import { type Route, route } from '../server/route.ts'
import type { Partition } from '../topics/topic.ts'

const places = {
  latest: -1,
  earliest: -2,
  maxTimestamp: -3,
  earliestLocal: -4,
  latestTiered: -5,
  earliestPendingUpload: -6,
} as const

type Answer = Input<ListOffsetsPartitionResponse>

export function listOffsets(broker: Broker): Route {
  return route(listOffsetsApi, {
    handle: async (request, { version }) => ({
      topics: await Promise.all(
        request.topics.map(async ({ name, partitions }) => ({
          name,
          partitions: await Promise.all(partitions.map((p) => one(broker, request, version, name, p))),
        })),
      ),
    }),
    refuse: (request, errorCode) => ({
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map((p) => failure(p, errorCode)),
      })),
    }),
  })
}

function failure({ partitionIndex }: ListOffsetsPartition, errorCode: number): Answer {
  return { partitionIndex, errorCode, timestamp: -1n, offset: -1n, leaderEpoch: -1 }
}

async function one(
  broker: Broker,
  request: ListOffsetsRequest,
  version: number,
  topic: string,
  asked: ListOffsetsPartition,
): Promise<Answer> {
  const partition = broker.topics.get(topic)?.partitions[asked.partitionIndex]
  if (partition === undefined) return failure(asked, errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
  const epochProblem = leaderEpochProblem(asked.currentLeaderEpoch, partition.leaderEpoch)
  if (epochProblem !== errorCodes.NONE) return failure(asked, epochProblem)
  const timestamp = Number(asked.timestamp)
  if (timestamp < places.earliestPendingUpload || (timestamp === places.maxTimestamp && version < 7)) {
    return failure(asked, errorCodes.UNSUPPORTED_VERSION)
  }
  return find(partition, asked, timestamp, request.isolationLevel === 1)
}

async function find(
  partition: Partition,
  asked: ListOffsetsPartition,
  timestamp: number,
  readCommitted: boolean,
): Promise<Answer> {
  const { log } = partition
  await whenReadable(log)
  const end = readCommitted ? log.lastStableOffset : log.highWatermark
  const at = (offset: number, time: number, leaderEpoch: number): Answer => ({
    partitionIndex: asked.partitionIndex,
    errorCode: errorCodes.NONE,
    timestamp: BigInt(time),
    offset: BigInt(offset),
    leaderEpoch,
  })
  switch (timestamp) {
    case places.latest:
      return at(end, -1, partition.leaderEpoch)
    case places.earliest:
    case places.earliestLocal:
      return at(log.logStartOffset, -1, log.epochs.epochAt(log.logStartOffset))
    case places.latestTiered:
    case places.earliestPendingUpload:
      return at(-1, -1, -1)
    case places.maxTimestamp: {
      const found = await log.maxTimestampOffset()
      if (found === undefined || found.offset >= end) return at(-1, -1, -1)
      return at(found.offset, found.timestampMs, found.leaderEpoch)
    }
    default: {
      const found = await log.offsetForTimestamp(timestamp)
      // A record that is not yet readable is not yet there.
      if (found === undefined || found.offset >= end) return at(-1, -1, -1)
      return at(found.offset, found.timestampMs, found.leaderEpoch)
    }
  }
}
