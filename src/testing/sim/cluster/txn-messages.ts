/**
 * What a transactional producer says to its transaction coordinator, and (TxnOffsetCommit) to the group coordinator.
 * The explicit flow: partitions and groups are added before they are written to (InitProducerId v5, AddPartitionsToTxn v3,
 * AddOffsetsToTxn v4, TxnOffsetCommit v4, EndTxn v4, Produce v11).
 */
import type { ErrorCode } from './errors.ts'
import type { OffsetCommitPartition, PartitionResult, TopicPartitionName } from './group-messages.ts'

export interface InitProducerIdRequest {
  readonly kind: 'InitProducerId'
  readonly node: number
  /** null: only an idempotent producer; any broker answers. */
  readonly transactionalId: string | null
  readonly transactionTimeoutMs: number
  /** −1/−1: a new instance, which fences the old one. Otherwise the own id and epoch: raise it after an error. */
  readonly producerId: number
  readonly producerEpoch: number
}

export interface InitProducerIdResponse {
  readonly kind: 'InitProducerId'
  readonly errorCode: ErrorCode
  readonly producerId: number
  readonly producerEpoch: number
}

export interface AddPartitionsToTxnRequest {
  readonly kind: 'AddPartitionsToTxn'
  readonly node: number
  readonly transactionalId: string
  readonly producerId: number
  readonly producerEpoch: number
  readonly partitions: readonly TopicPartitionName[]
}

/** Errors of the transaction are reported on every partition. */
export interface AddPartitionsToTxnResponse {
  readonly kind: 'AddPartitionsToTxn'
  readonly partitions: readonly PartitionResult[]
}

export interface AddOffsetsToTxnRequest {
  readonly kind: 'AddOffsetsToTxn'
  readonly node: number
  readonly transactionalId: string
  readonly producerId: number
  readonly producerEpoch: number
  readonly groupId: string
}

export interface AddOffsetsToTxnResponse {
  readonly kind: 'AddOffsetsToTxn'
  readonly errorCode: ErrorCode
}

/** Sent to the group coordinator, not to the transaction coordinator. */
export interface TxnOffsetCommitRequest {
  readonly kind: 'TxnOffsetCommit'
  readonly node: number
  readonly transactionalId: string
  readonly groupId: string
  readonly producerId: number
  readonly producerEpoch: number
  /** −1 with an empty member id: no fencing by the group. */
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly partitions: readonly OffsetCommitPartition[]
}

export interface TxnOffsetCommitResponse {
  readonly kind: 'TxnOffsetCommit'
  readonly partitions: readonly PartitionResult[]
}

export interface EndTxnRequest {
  readonly kind: 'EndTxn'
  readonly node: number
  readonly transactionalId: string
  readonly producerId: number
  readonly producerEpoch: number
  /** true: commit, false: abort. */
  readonly committed: boolean
}

export interface EndTxnResponse {
  readonly kind: 'EndTxn'
  readonly errorCode: ErrorCode
}
