/**
 * DescribeLogDirs: how many bytes each partition takes, and how much room is left. v4 total and usable bytes.
 */
import { statfs } from 'node:fs/promises'
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DescribeLogDirsRequest,
  type DescribeLogDirsTopic,
  describeLogDirsApi,
} from '../../protocol/generated/35-describe-log-dirs.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import type { Partition } from '../topics/topic.ts'
import { logDirectory } from './log-directory.ts'

export function describeLogDirs(broker: Broker): Route {
  return route(describeLogDirsApi, {
    handle: async ({ topics }) => ({
      errorCode: errorCodes.NONE,
      results: [
        {
          errorCode: errorCodes.NONE,
          logDir: logDirectory(broker),
          topics: sizes(wanted(broker, topics)),
          ...(await room(broker)),
        },
      ],
    }),
    refuse: (_request, errorCode) => ({ errorCode, results: [] }),
  })
}

/** Partitions that are not there are left out. */
function wanted(broker: Broker, topics: DescribeLogDirsRequest['topics']): Iterable<Partition> {
  if (topics === null) return broker.topics.partitions()
  return new Set(
    topics.flatMap(({ topic, partitions }) =>
      partitions.flatMap((index) => broker.topics.get(topic)?.partitions[index] ?? []),
    ),
  )
}

function sizes(partitions: Iterable<Partition>): Input<DescribeLogDirsTopic>[] {
  return [...Map.groupBy(partitions, ({ topic }) => topic.name)].map(([name, ofTopic]) => ({
    name,
    partitions: ofTopic.map(({ index, log }) => ({
      partitionIndex: index,
      partitionSize: BigInt(log.sizeBytes),
      offsetLag: 0n,
      isFutureKey: false,
    })),
  }))
}

/** -1: nobody knows, as in memory. */
async function room({ dataDir }: Broker): Promise<{ totalBytes: bigint; usableBytes: bigint }> {
  if (dataDir === undefined) return { totalBytes: -1n, usableBytes: -1n }
  const { bsize, blocks, bavail } = await statfs(dataDir, { bigint: true })
  return { totalBytes: bsize * blocks, usableBytes: bsize * bavail }
}
