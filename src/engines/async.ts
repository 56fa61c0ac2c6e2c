/**
 * The async engine: handlers run on the event loop of this process. Right for work that waits (I/O); work that burns
 * CPU blocks the loop and wants threads or processes.
 *
 * A handler that returns no promise is over when it returns: it runs inline, with no promise, no timer and no
 * registration of its own.
 */
import type { AbortReason, WorkId } from '../kernel/events.ts'
import type { Completion, Engine, Work } from '../ports/engine.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'
import { BatchCall } from './batch-call.ts'
import { Call, type CallOwner } from './call.ts'
import type { BatchHandler, ConsumedRecord, Handler } from './handler.ts'

export interface AsyncEngineOptions {
  readonly handle: Handler<unknown, unknown> | null
  readonly handleBatch: BatchHandler<unknown, unknown> | null
  /** Raw record to what the handler sees. May return a promise (asynchronous validation). */
  readonly decode: (record: RawRecord) => ConsumedRecord<unknown, unknown> | Promise<ConsumedRecord<unknown, unknown>>
  /** The lane of a record, for batches; null = none. */
  readonly laneOf: (work: Work) => string | null
  readonly logger: Logger
  readonly capacity: () => number
}

export class AsyncEngine implements Engine, CallOwner {
  readonly logger: Logger
  readonly #options: AsyncEngineOptions
  #listener: (completions: readonly Completion[]) => void = () => {
    throw new Error('completions() was not called before the first submit')
  }
  #ended: Completion[] = []
  #flushPlanned = false
  /**
   * Calls that an abort can still reach, by run: those that wait for a promise, and deferred ones until they end. By run,
   * because a thousand handlers that time out together are a thousand aborts: a search for each would be quadratic.
   */
  readonly #reachable: Map<number, Call | BatchCall> = new Map()
  /** Calls that wait for a promise. A deferred one is reachable but does not run. */
  #running = 0
  #idle: (() => void)[] = []

  constructor(options: AsyncEngineOptions) {
    this.#options = options
    this.logger = options.logger
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#listener = listener
  }

  submit(batch: readonly Work[]): void {
    for (const work of batch) this.#call(work)
    this.#flush()
  }

  submitBatches(batches: readonly (readonly Work[])[]): void {
    for (const works of batches) this.#callBatch(works)
    this.#flush()
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    for (const work of works) this.#reachable.get(runOf(work))?.abort(reason)
  }

  inFlight(): number {
    return this.#running
  }

  capacity(): number {
    return this.#options.capacity()
  }

  /** The control plane has waited for what it wanted to; what still runs is told to stop and not waited for. */
  async shutdown(_deadlineMs: number): Promise<void> {
    for (const call of new Set(this.#reachable.values())) call.abort('revoked')
    if (this.#running === 0) return
    await Promise.race([new Promise<void>((resolve) => this.#idle.push(resolve)), settledSoon()])
  }

  // Calls say how they go. -----------------------------------------------------------------------------------------

  deferred(call: Call, completion: Completion): void {
    this.#reachable.set(call.run, call)
    this.#end(completion)
  }

  over(call: Call, completion: Completion): void {
    // An inline handler was never registered.
    if (this.#reachable.size > 0) this.#reachable.delete(call.run)
    this.#end(completion)
  }

  #call(work: Work): void {
    const call = new Call(work, this)
    try {
      const record = this.#options.decode(work.batch.record(work.index))
      const result = isPromise(record)
        ? record.then((decoded) => {
            // Told to stop while it was being decoded: a handler that has not begun does not begin (I11).
            call.throwIfAborted()
            return this.#handle(decoded, call)
          })
        : this.#handle(record, call)
      if (!isPromise(result)) return call.returned()
      this.#reachable.set(call.run, call)
      this.#running++
      result.then(
        () => this.#leave(() => call.returned()),
        (error) => this.#leave(() => call.threw(error)),
      )
    } catch (error) {
      call.threw(error)
    }
  }

  #handle(record: ConsumedRecord<unknown, unknown>, call: Call): unknown {
    return this.#options.handle?.(record, call)
  }

  #callBatch(works: readonly Work[]): void {
    const { logger, laneOf, decode } = this.#options
    const call = new BatchCall(works, laneOf, logger, (completion) => this.#end(completion))
    for (const work of works) this.#reachable.set(runOf(work), call)
    this.#running++
    const leave = (end: () => void): void => {
      for (const work of works) this.#reachable.delete(runOf(work))
      this.#leave(end)
    }
    this.#runBatch(call, decode).then(
      () => leave(() => call.returned()),
      (error) => leave(() => call.threw(error)),
    )
  }

  async #runBatch(call: BatchCall, decode: AsyncEngineOptions['decode']): Promise<void> {
    const records = await call.decode(decode)
    call.signal.throwIfAborted()
    if (records.length > 0) await this.#options.handleBatch?.(records, call)
  }

  #leave(end: () => void): void {
    this.#running--
    end()
    if (this.#running > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const resolve of idle) resolve()
  }

  /** Results are handed over together: all that ended in one turn of the microtask queue. */
  #end(completion: Completion): void {
    this.#ended.push(completion)
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    Promise.resolve()
      .then(() => {
        this.#flushPlanned = false
        this.#flush()
      })
      .catch((error) => this.logger.error({ error }, 'results of handlers were not taken'))
  }

  #flush(): void {
    if (this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    this.#listener(ended)
  }
}

/** The control plane numbers every execution; the field is optional only in what engines echo. */
function runOf({ run }: WorkId): number {
  return run as number
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** A few turns of the microtask queue: enough for handlers that end when their signal is aborted. */
async function settledSoon(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await null
}
