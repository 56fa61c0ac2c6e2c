/**
 * Membership and committed offsets: what a consumer says to its group coordinator (classic protocol).
 * Names are Kafka's; topics are flattened to one entry per partition. Subscription and assignment are opaque values.
 */
import type { ErrorCode } from './errors.ts'

export interface TopicPartitionName {
  readonly topic: string
  readonly partition: number
}

export interface PartitionResult extends TopicPartitionName {
  readonly errorCode: ErrorCode
}

export interface JoinGroupRequest {
  readonly kind: 'JoinGroup'
  /** The broker it is sent to: the one that FindCoordinator named. Another one answers NOT_COORDINATOR. */
  readonly node: number
  /** From the request header; only makes the member id readable. */
  readonly clientId: string
  readonly groupId: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  /** Empty on the first try: the answer is then MEMBER_ID_REQUIRED and brings the id to use. */
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly protocolType: string
  readonly protocols: readonly { readonly name: string; readonly metadata: unknown }[]
}

export interface JoinGroupResponse {
  readonly kind: 'JoinGroup'
  readonly errorCode: ErrorCode
  readonly generationId: number
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly leader: string
  /** A static member that comes back as leader of an unchanged group: it must not assign anew. */
  readonly skipAssignment: boolean
  readonly memberId: string
  /** Filled for the leader only. */
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly metadata: unknown
  }[]
}

export interface SyncGroupRequest {
  readonly kind: 'SyncGroup'
  readonly node: number
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly protocolType: string | null
  readonly protocolName: string | null
  /** From the leader; empty from the others. */
  readonly assignments: readonly { readonly memberId: string; readonly assignment: unknown }[]
}

export interface SyncGroupResponse {
  readonly kind: 'SyncGroup'
  readonly errorCode: ErrorCode
  readonly protocolType: string | null
  readonly protocolName: string | null
  /** What the leader gave to this member; null if it gave nothing, and with every error. */
  readonly assignment: unknown
}

export interface HeartbeatRequest {
  readonly kind: 'Heartbeat'
  readonly node: number
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
}

export interface HeartbeatResponse {
  readonly kind: 'Heartbeat'
  readonly errorCode: ErrorCode
}

export interface LeaveGroupRequest {
  readonly kind: 'LeaveGroup'
  readonly node: number
  readonly groupId: string
  readonly members: readonly { readonly memberId: string; readonly groupInstanceId: string | null }[]
}

export interface LeaveGroupResponse {
  readonly kind: 'LeaveGroup'
  readonly errorCode: ErrorCode
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly errorCode: ErrorCode
  }[]
}

export interface OffsetCommitPartition extends TopicPartitionName {
  readonly committedOffset: number
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

export interface OffsetCommitRequest {
  readonly kind: 'OffsetCommit'
  readonly node: number
  readonly groupId: string
  /** −1 with an empty member id: a commit from outside the group. */
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly partitions: readonly OffsetCommitPartition[]
}

/** Group errors too are reported on every partition: Kafka has no other place for them here. */
export interface OffsetCommitResponse {
  readonly kind: 'OffsetCommit'
  readonly partitions: readonly PartitionResult[]
}

export interface OffsetFetchRequest {
  readonly kind: 'OffsetFetch'
  readonly node: number
  readonly groupId: string
  /** Refuse to answer for a partition whose offset a pending transaction may still change. */
  readonly requireStable: boolean
  /** null: all partitions that have an offset. */
  readonly partitions: readonly TopicPartitionName[] | null
}

export interface OffsetFetchResponse {
  readonly kind: 'OffsetFetch'
  readonly errorCode: ErrorCode
  readonly partitions: readonly (PartitionResult & {
    /** −1: nothing committed. */
    readonly committedOffset: number
    readonly committedLeaderEpoch: number
    readonly metadata: string | null
  })[]
}

export interface FindCoordinatorRequest {
  readonly kind: 'FindCoordinator'
  readonly keyType: 'group' | 'transaction'
  readonly key: string
}

export interface FindCoordinatorResponse {
  readonly kind: 'FindCoordinator'
  readonly errorCode: ErrorCode
  readonly nodeId: number
}
