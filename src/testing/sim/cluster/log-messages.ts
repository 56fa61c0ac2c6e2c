/** Writing and reading partitions. Batches are handed out as they are stored: read them, never change them. */
import type { ErrorCode } from './errors.ts'
import type { PartitionResult, TopicPartitionName } from './group-messages.ts'

export interface ProducedRecord {
  readonly key: string | null
  readonly value: unknown
  readonly headers?: readonly { readonly key: string; readonly value: string | null }[]
  readonly timestamp?: number
  /** Encoded bytes, as the sender counts them; what MESSAGE_TOO_LARGE and the fetch limits go by. */
  readonly size: number
}

export interface LogRecord extends ProducedRecord {
  readonly offset: number
  readonly timestamp: number
}

/**
 * One batch of the log. `lastOffset` stays when compaction takes records out, so a reader continues at `lastOffset + 1`
 * and not after the last record that it saw. A control batch (a transaction's end) has an offset but nothing to deliver.
 */
export type LogBatch = {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly leaderEpoch: number
  /** −1: not idempotent. */
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly isTransactional: boolean
  readonly size: number
} & (
  | { readonly kind: 'data'; readonly records: readonly LogRecord[] }
  | { readonly kind: 'control'; readonly type: 'COMMIT' | 'ABORT' }
)

export interface ProducePartition extends TopicPartitionName {
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly isTransactional: boolean
  readonly records: readonly ProducedRecord[]
}

/** acks=all. One batch per partition. */
export interface ProduceRequest {
  readonly kind: 'Produce'
  readonly transactionalId: string | null
  readonly partitions: readonly ProducePartition[]
}

export interface ProduceResponse {
  readonly kind: 'Produce'
  readonly partitions: readonly (PartitionResult & {
    /** −1 with an error. A duplicate is answered with the offset of the original. */
    readonly baseOffset: number
  })[]
}

export type IsolationLevel = 'read_uncommitted' | 'read_committed'

export interface FetchRequest {
  readonly kind: 'Fetch'
  /** With nothing to read, the answer waits this long for new records; 0 answers at once. */
  readonly maxWaitMs: number
  readonly maxBytes: number
  readonly isolationLevel: IsolationLevel
  readonly partitions: readonly (TopicPartitionName & {
    /** −1: do not check. */
    readonly currentLeaderEpoch: number
    readonly fetchOffset: number
    readonly partitionMaxBytes: number
  })[]
}

export interface FetchResponse {
  readonly kind: 'Fetch'
  readonly partitions: readonly (PartitionResult & {
    readonly highWatermark: number
    /** Up to here a read_committed reader sees. −1 with an error. */
    readonly lastStableOffset: number
    readonly logStartOffset: number
    /**
     * For read_committed: whose records, from which offset on until their ABORT marker, must be skipped. May name
     * transactions that begin after the last batch of this answer.
     */
    readonly abortedTransactions: readonly { readonly producerId: number; readonly firstOffset: number }[] | null
    /** Whole batches: the first one may begin below `fetchOffset`, and its earlier records must be skipped. */
    readonly batches: readonly LogBatch[]
  })[]
}

export interface ListOffsetsRequest {
  readonly kind: 'ListOffsets'
  readonly isolationLevel: IsolationLevel
  readonly partitions: readonly (TopicPartitionName & {
    readonly currentLeaderEpoch: number
    /** −1 latest (the last stable offset for read_committed), −2 earliest. */
    readonly timestamp: -1 | -2
  })[]
}

export interface ListOffsetsResponse {
  readonly kind: 'ListOffsets'
  readonly partitions: readonly (PartitionResult & { readonly offset: number; readonly leaderEpoch: number })[]
}

export interface OffsetForLeaderEpochRequest {
  readonly kind: 'OffsetForLeaderEpoch'
  readonly partitions: readonly (TopicPartitionName & {
    readonly currentLeaderEpoch: number
    readonly leaderEpoch: number
  })[]
}

export interface OffsetForLeaderEpochResponse {
  readonly kind: 'OffsetForLeaderEpoch'
  readonly partitions: readonly (PartitionResult & {
    /** The largest epoch not above the one asked for, and where it ends; −1/−1: unknown. */
    readonly leaderEpoch: number
    readonly endOffset: number
  })[]
}

export interface MetadataRequest {
  readonly kind: 'Metadata'
  readonly topics: readonly string[]
}

export interface MetadataResponse {
  readonly kind: 'Metadata'
  readonly topics: readonly {
    readonly topic: string
    readonly errorCode: ErrorCode
    readonly partitions: readonly { readonly partition: number; readonly leaderEpoch: number }[]
  }[]
}
