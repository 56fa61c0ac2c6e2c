/**
 * The vocabulary of the house. Everything that happens reaches the control plane as an Event, everything that it wants
 * done leaves it as a Command; both carry batches. Nothing else goes in or out.
 */
import type { Epoch, Offset, Position, TopicPartition } from './ids.ts'

/** Records read from one partition under one lease, column by column: no object per record. */
export interface FetchedBatch {
  readonly epoch: Epoch
  readonly count: number
  /** Rising. What is missing between two of them is a hole in the log: compaction, or a transaction marker. */
  readonly offsets: ArrayLike<number>
  /** The lane of each record: key bytes as a latin1 string; null = no key. An empty key is not a null key. */
  readonly keys: ArrayLike<string | null>
  /** Two numbers for each record, by `hashBytes`, from whoever has the bytes at hand. Then `keys` is made when it is asked for. */
  readonly hashes?: Int32Array | null
  /** Decompressed bytes. */
  readonly sizes: ArrayLike<number>
  /** Where the next batch starts; above the last record where the log ends in a hole. */
  readonly nextPosition: Position
  /** The log end as far as a reader may see it (last stable offset for read_committed). */
  readonly logEnd: Position
  readonly leaderEpoch: number
  /** Records that cannot be run because decoding or the key extractor threw: index → error. */
  readonly failures?: ReadonlyMap<number, unknown>
  /** A record as engines get it. */
  record?(index: number): unknown
  /** One key alone, for those who look: `keys` makes all of them. */
  keyAt?(index: number): string | null
  /** The same of a timestamp, without its record. */
  timestampAt?(index: number): number
}

/** One execution of one record. Epoch and run travel with the work, so that a late result is recognised. */
export interface WorkId {
  readonly topic: string
  readonly partition: number
  readonly offset: Offset
  readonly epoch: Epoch
  /** 1, 2, 3 … for the user. Not unique: a record that a batch gave back unattempted has the same number again. */
  readonly attempt: number
  /** Unique in a process. An engine that does not echo it gives up the guard against saying a result twice. */
  readonly run?: number
}

export interface Work extends WorkId {
  readonly batch: FetchedBatch
  readonly index: number
}

/** Something a handler sends. Opaque here but for its size, which counts in the limits. */
export interface Output {
  readonly size: number
}

/**
 * How one execution ended.
 * - `deferred`: the handler returned, the result comes later; the slot is free, the key stays held.
 * - `returned`: part of a batch, but not attempted (an earlier record of its key failed).
 */
export type Settlement = WorkId &
  (
    | { readonly status: 'done'; readonly sends?: readonly Output[] }
    | {
        readonly status: 'failed'
        readonly error: unknown
        readonly permanent: boolean
        readonly retryAfterMs?: number
      }
    | { readonly status: 'deferred' }
    | { readonly status: 'returned' }
  )

/** Where a lease starts, as read from the group's committed offsets (or from the start policy where there are none). */
export interface StartPosition extends TopicPartition {
  readonly epoch: Epoch
  readonly position: Position
  /** The commit metadata as stored, ours or foreign; null where nothing was committed. */
  readonly metadata: string | null
  /** True if `position` is what the group has committed; false if the start policy chose it. */
  readonly committed: boolean
  /** The log end now. A map that reaches beyond it describes records that were truncated away. */
  readonly logEnd: Position
  readonly leaderEpoch: number
}

export interface CommitEntry extends TopicPartition {
  readonly epoch: Epoch
  readonly position: Position
  readonly metadata: string
  readonly leaderEpoch: number
}

/**
 * - `ok`: stored.
 * - `refused`: certainly not stored, worth sending again (a rebalance, a coordinator that moves).
 * - `unknown`: no answer. It may have been stored, and may still be stored later.
 * - `too-large`: certainly not stored, the metadata is over the broker's limit.
 * - `fenced`: certainly not stored, the partition is no longer ours.
 */
export type CommitOutcome = 'ok' | 'refused' | 'unknown' | 'too-large' | 'fenced'

/**
 * - `committed`: outputs and offsets are in.
 * - `aborted`: certainly nothing is in; the producer can go on.
 * - `unknown`: it may be in or not. The producer must be renewed before anything is read or written.
 * - `too-large`: certainly nothing is in, the metadata is over the broker's limit.
 * - `rejected`: certainly nothing is in, because what these records sent is refused: for good if `permanent`, else for now.
 * - `fenced`: another producer took our transactional id.
 */
export type TransactionOutcome =
  | { readonly kind: 'committed' | 'aborted' | 'unknown' | 'too-large' | 'fenced'; readonly error?: unknown }
  | {
      readonly kind: 'rejected'
      readonly works: readonly WorkId[]
      readonly permanent: boolean
      readonly error: unknown
    }

export type AbortReason = 'revoked' | 'lost' | 'timeout' | 'skipped' | 'sought' | 'renewed'
/** `parked`: only shown, beside `backpressure`, where parked keys take up the room. */
export type PauseReason = 'backpressure' | 'map-full' | 'user' | 'parked'

/** Which records a pause, resume or skip is about. No partition: all of the topic. No key: all keys. */
export interface Selection {
  readonly topic: string
  readonly partition?: number
  readonly key?: string | null
}

export type Control =
  | { readonly kind: 'pause' | 'resume'; readonly selection: Selection }
  | { readonly kind: 'concurrency'; readonly limit: number }
  | { readonly kind: 'skip'; readonly topic: string; readonly partition: number; readonly offset: Offset }
  | { readonly kind: 'seek'; readonly topic: string; readonly partition: number; readonly position: Position }
  | { readonly kind: 'commit'; readonly ticket: number }
  | { readonly kind: 'close'; readonly drainMs: number }

export type Event =
  | { readonly kind: 'assigned'; readonly partitions: readonly TopicPartition[] }
  | { readonly kind: 'opened'; readonly starts: readonly StartPosition[] }
  | { readonly kind: 'polled'; readonly batches: readonly FetchedBatch[] }
  | { readonly kind: 'settled'; readonly settlements: readonly Settlement[] }
  | { readonly kind: 'exhausted'; readonly results: readonly ExhaustResult[] }
  | { readonly kind: 'published'; readonly results: readonly PublishResult[] }
  | { readonly kind: 'committed'; readonly id: number; readonly outcomes: readonly CommitOutcome[] }
  | { readonly kind: 'transacted'; readonly id: number; readonly outcome: TransactionOutcome }
  | { readonly kind: 'producerReady' }
  | { readonly kind: 'revoked'; readonly revocation: number; readonly partitions: readonly TopicPartition[] }
  | { readonly kind: 'lost'; readonly partitions: readonly TopicPartition[] }
  | { readonly kind: 'tick' }
  | { readonly kind: 'control'; readonly control: Control }

/** The record left by its last exit (dead letter acknowledged, line written …), or could not: then it is tried again. */
export interface ExhaustResult {
  readonly work: WorkId
  readonly ok: boolean
  readonly error?: unknown
  /** Exactly-once: the dead letter itself, to be sent in the transaction. */
  readonly sends?: readonly Output[]
}

export interface PublishResult {
  readonly work: WorkId
  readonly ok: boolean
  readonly error?: unknown
  readonly permanent?: boolean
}

export interface Exhausted {
  readonly work: Work
  readonly error: unknown
}

export interface Publication {
  readonly work: WorkId
  readonly sends: readonly Output[]
}

/** Things worth telling that ask for nothing. */
export type Notice =
  | { readonly kind: 'map-ignored'; readonly epoch: Epoch; readonly partition: TopicPartition; readonly reason: string }
  | {
      readonly kind: 'map-restored'
      readonly epoch: Epoch
      readonly partition: TopicPartition
      readonly entries: number
    }
  | { readonly kind: 'retry'; readonly work: WorkId; readonly atMs: number; readonly error: unknown }
  /** Given up without a dead letter: `onExhausted: 'skip'`, or by hand (then without an error). */
  | { readonly kind: 'skipped'; readonly work: WorkId; readonly error: unknown }
  | { readonly kind: 'exhaust-retry'; readonly work: WorkId; readonly atMs: number; readonly error: unknown }
  /** So many records of this key failed for good, one after the other: it waits for the user. */
  | {
      readonly kind: 'parked'
      readonly partition: TopicPartition
      /** null: all of the partition, or its records without a key. */
      readonly key: string | null
      readonly poisons: number
      readonly error: unknown
    }
  /** Most of what this partition may hold is records of parked keys: fetching waits until they are resumed. */
  | {
      readonly kind: 'parked-full'
      readonly partition: TopicPartition
      readonly keys: number
      readonly records: number
    }
  | { readonly kind: 'final-commit-failed'; readonly partition: TopicPartition; readonly outcome: CommitOutcome }
  | { readonly kind: 'dropped'; readonly partition: TopicPartition; readonly records: number }
  | { readonly kind: 'map-refused'; readonly alphabet: 'wide' | 'base64'; readonly maxChars: number }
  | { readonly kind: 'control-refused'; readonly control: Control; readonly reason: string }

export type Command =
  /** Read where these leases start. With `freshProducer`, fence the old producer first: the other order duplicates. */
  | { readonly kind: 'open'; readonly leases: readonly LeaseName[]; readonly freshProducer: boolean }
  /** Begin fetching here, or move there; batches carry the epoch. */
  | { readonly kind: 'fetch'; readonly from: readonly FetchFrom[] }
  | { readonly kind: 'stopFetch'; readonly leases: readonly LeaseName[] }
  | { readonly kind: 'pause'; readonly leases: readonly LeaseName[] }
  | { readonly kind: 'resume'; readonly leases: readonly LeaseName[] }
  | { readonly kind: 'run'; readonly works: readonly Work[] }
  | { readonly kind: 'runBatches'; readonly batches: readonly (readonly Work[])[] }
  | { readonly kind: 'abort'; readonly works: readonly WorkId[]; readonly reason: AbortReason }
  | { readonly kind: 'exhaust'; readonly records: readonly Exhausted[] }
  | { readonly kind: 'publish'; readonly publications: readonly Publication[] }
  | { readonly kind: 'commit'; readonly id: number; readonly entries: readonly CommitEntry[] }
  | {
      readonly kind: 'transact'
      readonly id: number
      readonly entries: readonly CommitEntry[]
      readonly publications: readonly Publication[]
    }
  | { readonly kind: 'resetProducer' }
  /** At-most-once lost track of a commit: only a new membership fences the request that may still land. */
  | { readonly kind: 'rejoin' }
  | { readonly kind: 'released'; readonly revocation: number }
  /** Not committed: a partition was lost before its commit was stored. */
  | { readonly kind: 'answered'; readonly ticket: number; readonly isCommitted: boolean }
  | { readonly kind: 'stop'; readonly error: unknown; readonly work?: WorkId }
  | { readonly kind: 'closed' }
  | { readonly kind: 'notice'; readonly notice: Notice }

export interface LeaseName extends TopicPartition {
  readonly epoch: Epoch
}

export interface FetchFrom extends LeaseName {
  readonly position: Position
}
