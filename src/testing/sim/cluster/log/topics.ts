/** All partitions of the cluster, and the questions about them that need no waiting. */
import type { ErrorCode } from '../errors.ts'
import type { TopicPartitionName } from '../group-messages.ts'
import type {
  ListOffsetsRequest,
  ListOffsetsResponse,
  MetadataRequest,
  MetadataResponse,
  OffsetForLeaderEpochRequest,
  OffsetForLeaderEpochResponse,
} from '../log-messages.ts'
import type { ClusterOptions } from '../options.ts'
import { PartitionLog } from './partition-log.ts'

export class Topics {
  readonly #topics = new Map<string, readonly PartitionLog[]>()

  constructor(options: ClusterOptions['topics']) {
    for (const [topic, given] of Object.entries(options)) {
      const { partitions, logStartsAt = 0 } = typeof given === 'number' ? { partitions: given } : given
      this.#topics.set(
        topic,
        Array.from({ length: partitions }, () => new PartitionLog(logStartsAt)),
      )
    }
  }

  find({ topic, partition }: TopicPartitionName): PartitionLog | undefined {
    return this.#topics.get(topic)?.[partition]
  }

  /** For the simulator's own hands, which do not miss. */
  get(topic: string, partition: number): PartitionLog {
    const log = this.find({ topic, partition })
    if (log === undefined) throw new Error(`there is no partition ${topic}-${partition} in this simulated cluster`)
    return log
  }

  metadata(request: MetadataRequest): MetadataResponse {
    const topics = request.topics.map((topic) => {
      const logs = this.#topics.get(topic)
      const errorCode: ErrorCode = logs === undefined ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'NONE'
      const partitions = (logs ?? []).map((log, partition) => ({ partition, leaderEpoch: log.epochs.current }))
      return { topic, errorCode, partitions }
    })
    return { kind: 'Metadata', topics }
  }

  listOffsets(request: ListOffsetsRequest): ListOffsetsResponse {
    const partitions = request.partitions.map(({ topic, partition, currentLeaderEpoch, timestamp }) => {
      const log = this.find({ topic, partition })
      const errorCode = log?.epochs.check(currentLeaderEpoch) ?? 'UNKNOWN_TOPIC_OR_PARTITION'
      if (log === undefined || errorCode !== 'NONE') return { topic, partition, errorCode, offset: -1, leaderEpoch: -1 }
      const latest = timestamp === -1
      const offset = latest ? log.visibleEnd(request.isolationLevel) : log.start
      const leaderEpoch = latest ? log.epochs.current : log.epochs.epochOf(offset)
      return { topic, partition, errorCode, offset, leaderEpoch }
    })
    return { kind: 'ListOffsets', partitions }
  }

  offsetForLeaderEpoch(request: OffsetForLeaderEpochRequest): OffsetForLeaderEpochResponse {
    const partitions = request.partitions.map(({ topic, partition, currentLeaderEpoch, leaderEpoch }) => {
      const log = this.find({ topic, partition })
      const errorCode = log?.epochs.check(currentLeaderEpoch) ?? 'UNKNOWN_TOPIC_OR_PARTITION'
      if (log === undefined || errorCode !== 'NONE')
        return { topic, partition, errorCode, leaderEpoch: -1, endOffset: -1 }
      return { topic, partition, errorCode, ...log.epochs.endOf(leaderEpoch, log.end) }
    })
    return { kind: 'OffsetForLeaderEpoch', partitions }
  }
}
