/**
 * An engine runs handlers. It knows nothing of offsets, order or retries: it is handed work that may run now, and says
 * how each piece ended. One small interface, so that an engine from outside the package plugs in.
 */
import type { AbortReason, Output, WorkId } from '../kernel/events.ts'
import type { RecordBatch } from './log-client.ts'

/** One record to run now. `batch.record(index)` gives it. Records that came in one array form one batch call. */
export interface EngineWork extends WorkId {
  readonly batch: RecordBatch
  readonly index: number
}

/**
 * How one piece of work ended. Echo the identity as it came: topic, partition, offset, epoch, attempt and run.
 * Say it exactly once per piece; a second saying is counted and ignored.
 */
export type Completion = WorkId &
  (
    | { readonly status: 'done'; readonly sends?: readonly Output[] }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'deferred' }
    | { readonly status: 'returned' }
  )

export interface Engine {
  /** Where results go, in batches. Set once, before the first submit. */
  onCompletions(listener: (completions: readonly Completion[]) => void): void
  submit(works: readonly EngineWork[]): void
  /** Batch handlers: every inner array is one call. */
  submitBatches(batches: readonly (readonly EngineWork[])[]): void
  /** Abort the signals of these; the work still has to be completed by its handler. */
  abort(works: readonly WorkId[], reason: AbortReason): void
  inFlight(): number
  capacity(): number
  /** Refuse new work, wait for what runs, give up at the deadline. */
  shutdown(deadlineMs: number): Promise<void>
}
