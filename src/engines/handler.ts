/** What handlers are given, and what they may do. */
import type { Header } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'

export interface ConsumedRecord<Key = Buffer, Value = Buffer> {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly size: number
  readonly key: Key | null
  /** null: a tombstone. */
  readonly value: Value | null
  readonly headers: readonly Header[]
}

/** What `ctx.send` takes. Strings are written as UTF-8. */
export interface SendRecord {
  readonly topic: string
  readonly partition?: number
  readonly key?: Buffer | string | null
  readonly value?: Buffer | string | null
  readonly headers?: Readonly<Record<string, Buffer | string | null>> | readonly Header[]
  readonly timestamp?: number
}

/** The end of a record, given outside its handler. Only the first call counts. */
export interface Deferred {
  done(): void
  fail(error: unknown): void
}

export interface HandlerContext {
  /** Aborted when the partition is taken away, at the close time-out, at `handlerTimeoutMs`, and when the record is skipped. */
  readonly signal: AbortSignal
  /** 1, 2, 3 … Counted in memory: a restart or a new owner begins at 1 again. */
  readonly attempt: number
  readonly log: Logger
  /** Resolves when the output is kept; it is published only if this record finishes. */
  send(record: SendRecord | readonly SendRecord[]): Promise<void>
  /** This record finishes when `done` or `fail` is called, not when the handler returns. Holds its key, but no slot. */
  defer(): Deferred
}

export interface BatchContext {
  readonly signal: AbortSignal
  readonly attempt: number
  readonly log: Logger
  /** Fail one record; later records of its key go back unattempted. The others are done. */
  fail(record: ConsumedRecord<unknown, unknown>, error: unknown): void
  /** Belongs to the last record of the batch unless another one is named, and is published if that one finishes. */
  send(record: SendRecord | readonly SendRecord[], from?: ConsumedRecord<unknown, unknown>): Promise<void>
}

export type Handler<Key = Buffer, Value = Buffer> = (
  record: ConsumedRecord<Key, Value>,
  context: HandlerContext,
) => unknown

export type BatchHandler<Key = Buffer, Value = Buffer> = (
  records: readonly ConsumedRecord<Key, Value>[],
  context: BatchContext,
) => unknown

/** Raw bytes to what the handler sees. Null never gets here. */
export interface Codec<Type> {
  decode(bytes: Buffer): Type | Promise<Type>
}
