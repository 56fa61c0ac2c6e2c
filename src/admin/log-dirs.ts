/** Where brokers keep their logs, and how large they are. */

import type { FanlaneError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { type DescribeLogDirsResult, describeLogDirsApi } from '../protocol/generated/35-describe-log-dirs.ts'
import { refusal } from './advice.ts'
import { exact, exactOrNull } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { everyBroker } from './routes.ts'

export interface ReplicaSize {
  readonly topic: string
  readonly partition: number
  readonly bytes: number
  /** How far it is behind its leader; of a replica that is moving here, behind the one that it replaces. */
  readonly offsetLag: number
  /** It is moving here from another directory. */
  readonly isFuture: boolean
}

export interface LogDir {
  readonly broker: number
  readonly path: string
  /** The disk is offline, or we may not look; else null. */
  readonly error: FanlaneError | null
  /** Of the whole disk; null: not told. */
  readonly totalBytes: number | null
  readonly usableBytes: number | null
  readonly replicas: readonly ReplicaSize[]
}

/** Of all brokers. */
export function describeLogDirs(context: AdminContext, options: CallOptions): Promise<readonly LogDir[]> {
  const deadline = deadlineOf(context, options)
  return everyBroker<LogDir>(context, deadline, describeLogDirsApi.name, async (broker, errand) => {
    const answer = await errand.ask([broker], broker.nodeId, describeLogDirsApi, { topics: null })
    if (answer === null) return
    const { errorCode, results } = answer.body
    if (errorCode !== errorCodes.NONE) return errand.refused(broker, errorCode, broker.nodeId, describeLogDirsApi)
    errand.done(
      broker,
      results.map((result) => logDir(broker.nodeId, result)),
    )
  })
}

function logDir(broker: number, { errorCode, logDir: path, ...told }: DescribeLogDirsResult): LogDir {
  const name = `${path} of broker ${broker}`
  return {
    broker,
    path,
    error: errorCode === errorCodes.NONE ? null : refusal(errorCode, describeLogDirsApi.name, name, null),
    totalBytes: exactOrNull(told.totalBytes),
    usableBytes: exactOrNull(told.usableBytes),
    replicas: told.topics.flatMap(({ name: topic, partitions }) =>
      partitions.map(({ partitionIndex, partitionSize, offsetLag, isFutureKey }) => ({
        topic,
        partition: partitionIndex,
        bytes: exact(partitionSize),
        offsetLag: exact(offsetLag),
        isFuture: isFutureKey,
      })),
    ),
  }
}
