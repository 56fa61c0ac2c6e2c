/**
 * An engine runs handlers. It knows nothing of offsets, order or retries: it is handed work that may run now, and says
 * how each piece ended. One small interface, so that an engine from outside the package plugs in.
 */
import type { AbortReason, WorkId } from '../kernel/events.ts'
import type { OutgoingRecord, RawRecord, RecordBatch } from './log-client.ts'

/** One record to run now. */
export interface Work extends WorkId {
  /** The record itself, as it came from the log. Made when it is asked for, each time anew. */
  readonly record: RawRecord
  /** Where it was read: `batch.record(index)` is the record. */
  readonly batch: RecordBatch
  readonly index: number
}

/**
 * How one piece of work ended. Echo topic, partition, offset and epoch as they came. Say it exactly once per piece: a
 * second saying is counted and ignored, but recognised for certain only if `run` is echoed too.
 * - `deferred`: the handler has returned, the result comes later; its place is free, its key stays held.
 * - `returned`: part of a batch, but not attempted (an earlier record of its key failed).
 */
export type Completion = Pick<WorkId, 'topic' | 'partition' | 'offset' | 'epoch'> &
  Partial<Pick<WorkId, 'attempt' | 'run'>> &
  (
    | { readonly status: 'done'; readonly sends?: readonly OutgoingRecord[] }
    | { readonly status: 'failed'; readonly error?: unknown }
    | { readonly status: 'deferred' }
    | { readonly status: 'returned' }
  )

export interface Engine {
  /**
   * Get ready: what takes time belongs here, not into the first records. Called once, after `completions` and before the
   * first submit. If it rejects, `consume()` does, and `shutdown` is called.
   */
  start?(): Promise<void>
  /** Run these now, each on its own. An exception here is a defect of the engine and stops the consumer. */
  submit(batch: readonly Work[]): void
  /** Where results go, in batches. Called once, before the first submit. */
  completions(listener: (completions: readonly Completion[]) => void): void
  /**
   * Whom to tell that the engine is broken for good. The consumer stops with that error; what was not completed runs again
   * at the next start. Called once, with `completions`.
   */
  failures?(listener: (error: unknown) => void): void
  /** Pieces that run now. */
  inFlight(): number
  /** Figures of its own, for metrics: `{ workers: 4, deaths: 0 }`. A few fixed names; asked for when somebody looks. */
  gauges?(): Readonly<Record<string, number>>
  /** How many may run at once; read when the consumer starts, and never exceeded, whatever `concurrency` says. */
  capacity(): number
  /** Refuse new work, wait for what runs, give up at the deadline (milliseconds since the epoch). */
  shutdown(deadlineMs: number): Promise<void>
  /** Batch calls: every inner array is one. Without it, the option `batch` is refused. */
  submitBatches?(batches: readonly (readonly Work[])[]): void
  /**
   * Tell these to stop; they still have to be completed. Without it, work that is revoked, skipped or too slow runs on
   * until it ends by itself.
   */
  abort?(works: readonly WorkId[], reason: AbortReason): void
}
