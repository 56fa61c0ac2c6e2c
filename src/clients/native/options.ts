/** What a native client is built from: the reader's and the member's part of it. */
import type { BackoffOptions } from '../../cluster/backoff.ts'
import type { CoreOptions } from '../../producer/core.ts'
import type { Assignor } from './group/assignors/assignor.ts'

export type StartFrom = 'earliest' | 'latest' | 'fail' | { readonly timestamp: number }

/** Which topics are wanted: those with these names, and all that are matched. */
export interface TopicChoice {
  readonly names: readonly string[]
  /** null: no patterns. Called for every topic of the cluster that Kafka does not keep for itself. */
  readonly matches: ((topic: string) => boolean) | null
}

/** A partition that the user has named, and where to begin. */
export interface FixedPartition {
  readonly topic: string
  readonly partition: number
  readonly offset?: number
}

export interface GroupOptions {
  /** null: nothing is committed. Only with fixed partitions. */
  readonly group: string | null
  readonly topics: TopicChoice
  /** These and no others, and no membership; null: what the group assigns. */
  readonly partitions: readonly FixedPartition[] | null
  /** In the order of preference. With one that is eager among them, all partitions are given up before each join. */
  readonly assignors: readonly Assignor[]
  /** `consumer`: the broker assigns (KIP-848). */
  readonly protocol: 'classic' | 'consumer'
  /** Consumer protocol; null: what the broker prefers. */
  readonly serverAssignor: string | null
  readonly sessionTimeoutMs: number
  /** How long the group waits for us when it rebalances: draining and the last commit have to fit in. */
  readonly rebalanceTimeoutMs: number
  readonly heartbeatMs: number
  /** How long the event loop may stand still before the heartbeats stop speaking for us. */
  readonly maxPollIntervalMs: number
  /** Static membership. */
  readonly instanceId: string | null
  readonly rackId: string | null
  /** How often topics are looked at again, for new partitions and new matches. */
  readonly metadataMaxAgeMs: number
}

export interface ReadOptions {
  readonly isolation: 'read_committed' | 'read_uncommitted'
  readonly startFrom: StartFrom
  /** How long the broker may hold a fetch that finds less than `fetchMinBytes`. */
  readonly fetchMaxWaitMs: number
  readonly fetchMinBytes: number
  readonly fetchMaxBytes: number
  readonly partitionMaxBytes: number
  readonly rackId: string | null
}

/** Of a client that is a member of a group. */
export interface MemberOptions extends NativeOptions {
  readonly group: string
}

export interface TransactionOptions {
  readonly transactionalId: string
  /** A generated id is nobody else's: when it is fenced, it was by ourselves or by a time-out. */
  readonly isGenerated: boolean
  readonly timeoutMs: number
}

export interface NativeOptions extends GroupOptions, ReadOptions {
  readonly produce: CoreOptions
  /** null: `transact` is not needed. */
  readonly transaction: TransactionOptions | null
  readonly requestTimeoutMs: number
  readonly backoff: BackoffOptions
}
