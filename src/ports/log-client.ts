/**
 * What the runtime needs of a log: membership, reading, committing, and (exactly-once) transactions.
 *
 * The client owns connections, retries of single requests and the group protocol. It owns no offsets: what is
 * committed, and when, is the control plane's decision alone.
 */
import type {
  CommitEntry,
  CommitOutcome,
  FetchedBatch,
  FetchFrom,
  LeaseName,
  Publication,
  PublishResult,
  StartPosition,
  TransactionOutcome,
} from '../kernel/events.ts'
import type { TopicPartition } from '../kernel/ids.ts'

export interface Header {
  readonly key: string
  readonly value: Buffer | null
}

/** A record as it came from the log. */
export interface RawRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly size: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly Header[]
}

/** A fetched batch that can give each of its records; called when a record is run, not before. */
export interface RecordBatch extends FetchedBatch {
  record(index: number): RawRecord
}

/** A record to be written. */
export interface OutgoingRecord {
  readonly topic: string
  readonly partition?: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly Header[]
  readonly timestamp?: number
  readonly size: number
}

/** Called by the client. `revoked` is awaited: the partitions are given up only after it resolves. */
export interface LogClientListener {
  /** Also with an empty list, when the group has nothing for us: then there is nothing to wait for. */
  assigned(partitions: readonly TopicPartition[]): void
  revoked(partitions: readonly TopicPartition[]): Promise<void>
  /** Ownership is gone already (session expired, fenced): nothing can be committed any more. */
  lost(partitions: readonly TopicPartition[]): void
  /** The client cannot go on; the consumer stops with this error. */
  failed(error: unknown): void
}

export interface LogClient {
  start(listener: LogClientListener): Promise<void>
  /**
   * Committed positions, read with RequireStable: a pending transaction of the previous owner is waited out.
   * Where nothing (valid) is committed, the start policy decides. May answer for some of them, and is then asked again for
   * the others; no answer at all means that none of them is ours any more.
   */
  readPositions(leases: readonly LeaseName[]): Promise<readonly StartPosition[]>
  fetch(from: readonly FetchFrom[]): void
  stopFetch(leases: readonly LeaseName[]): void
  pause(leases: readonly LeaseName[]): void
  resume(leases: readonly LeaseName[]): void
  /** Resolves when there is something to read in a partition that is fetched and not paused. */
  poll(): Promise<readonly RecordBatch[]>
  /** One outcome per entry, in order. Never rejects: what went wrong is the outcome. */
  commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]>
  /** Write records, in order per key, and say for each publication whether it is acknowledged. Never rejects. */
  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]>
  /**
   * See to it that this topic exists, with as many partitions as another one, if we may make topics. Resolves also if we may
   * not: writing to it will tell. Without it, whoever owns the log sees to its topics.
   */
  ensureTopic?(topic: string, like: string): Promise<void>
  /** Outputs and offsets in one transaction. Never rejects. */
  transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome>
  /** A new producer epoch: whatever the old one left open is finished or aborted when this resolves. */
  resetProducer(): Promise<void>
  /** Give up the membership and take a new one: requests of the old one are fenced. */
  rejoin(): void
  /** Log ends now, by `topic-partition`, for `consumer.idle()`. */
  logEnds(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>>
  /**
   * Offset of the first record of that time or later, or the log end, by `topic-partition`. For `consumer.seek()` by
   * time, which is refused without it.
   */
  offsetsForTimes?(partitions: readonly TopicPartition[], timestamp: number): Promise<ReadonlyMap<string, number>>
  /** Without `leave` a static member keeps its place in the group, and any other gives it up. */
  close(options: { readonly leave?: boolean }): Promise<void>
}
