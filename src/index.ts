/** fanlane: the parallel consumer for Apache Kafka. Public names only. */

export { AdminError, settled } from './admin/failures.ts'
export type { Admin } from './admin/index.ts'
export type { ClientOptions } from './clients/native/client-options.ts'
export type { Assignor, AssignorName, MemberSubscription } from './clients/native/group/assignors/index.ts'
export { defineConfig, type FanlaneConfig } from './config/define-config.ts'
export { consume } from './consume.ts'
export { json, type StandardSchema, text } from './consumer/codecs.ts'
export type { CloseOptions, Consumer, PauseSelection, SeekTarget, SkipTarget } from './consumer/consumer.ts'
export type { DedupOptions } from './consumer/dedup.ts'
export type { WorkerEngineOptions } from './consumer/engine-options.ts'
export type { ConsumerEvent, ConsumerEvents, ConsumerListener, ParkedKey, RecordFailure } from './consumer/events.ts'
export type { ConsumeOptions } from './consumer/options.ts'
export { type AdminOptions, createAdmin } from './create-admin.ts'
export { createProducer } from './create-producer.ts'
export type {
  BatchContext,
  BatchHandler,
  Codec,
  ConsumedRecord,
  Deferred,
  Handler,
  HandlerContext,
  SendRecord,
} from './engines/handler.ts'
export { FanlaneError, OptionError, PermanentError, RetryableError } from './errors.ts'
export type { BlockingSnapshot, KernelSnapshot, ParkedSnapshot, PartitionSnapshot } from './kernel/snapshot.ts'
export {
  type Bytes,
  type Delivered,
  DeliveryError,
  type Partitioner,
  type PartitionerRecord,
  type Producer,
  type ProducerHeaders,
  type ProducerOptions,
  type ProducerRecord,
  type ProducerTransaction,
  type TransactionOffsets,
} from './producer/index.ts'
