/** Types for those who plug something in: an engine, a log client, a logger, a way out for failed records. */
export type {
  AbortReason,
  CommitEntry,
  CommitOutcome,
  FetchFrom,
  LeaseName,
  Output,
  Publication,
  PublishResult,
  StartPosition,
  TransactionOutcome,
  WorkId,
} from '../kernel/events.ts'
export type { Epoch, Offset, Position, TopicPartition } from '../kernel/ids.ts'
export type { Clock } from './clock.ts'
export type { DedupAnswer, DedupClaim, DedupStore } from './dedup.ts'
export type { Completion, Engine, Work } from './engine.ts'
export type { ExhaustedRecord, RecordExit } from './exit.ts'
export type { Header, LogClient, LogClientListener, OutgoingRecord, RawRecord, RecordBatch } from './log-client.ts'
export type { Logger } from './logger.ts'
export type { Observation, Observer } from './observer.ts'
