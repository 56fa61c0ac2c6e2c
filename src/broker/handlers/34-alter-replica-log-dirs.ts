/**
 * AlterReplicaLogDirs: moves partitions to another disk of this broker. It has one directory, where everything is already.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { alterReplicaLogDirsApi } from '../../protocol/generated/34-alter-replica-log-dirs.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { logDirectory } from './log-directory.ts'

export function alterReplicaLogDirs(broker: Broker): Route {
  return route(alterReplicaLogDirsApi, {
    handle: ({ dirs }) => ({
      results: dirs.flatMap(({ path, topics }) =>
        topics.map(({ name, partitions }) => ({
          topicName: name,
          partitions: partitions.map((partitionIndex) => ({
            partitionIndex,
            errorCode: errorFor(broker, path, name, partitionIndex),
          })),
        })),
      ),
    }),
    refuse: ({ dirs }, errorCode) => ({
      results: dirs.flatMap(({ topics }) =>
        topics.map(({ name, partitions }) => ({
          topicName: name,
          partitions: partitions.map((partitionIndex) => ({ partitionIndex, errorCode })),
        })),
      ),
    }),
  })
}

function errorFor(broker: Broker, path: string, topic: string, partition: number): number {
  if (path !== logDirectory(broker)) return errorCodes.LOG_DIR_NOT_FOUND
  const isKnown = broker.topics.get(topic)?.partitions[partition] !== undefined
  return isKnown ? errorCodes.NONE : errorCodes.UNKNOWN_TOPIC_OR_PARTITION
}
