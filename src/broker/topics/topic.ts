/**
 * A topic and its partitions.
 */
import type { Uuid } from '../../protocol/types.ts'
import type { TopicConfigValues, TopicSettings } from '../configs/topic-configs.ts'
import type { PartitionLog } from '../log/partition-log.ts'

export interface Partition {
  readonly topic: Topic
  readonly index: number
  readonly log: PartitionLog
  /** Raised with every start of the broker. */
  readonly leaderEpoch: number
}

export interface Topic {
  readonly name: string
  readonly id: Uuid
  readonly isInternal: boolean
  /** By index, without gaps. */
  readonly partitions: readonly Partition[]
  readonly configs: TopicConfigValues
  readonly settings: TopicSettings
}
