/**
 * The async engine: handlers run on the event loop of this process. Right for work that waits (I/O); work that burns
 * CPU blocks the loop and wants threads or processes.
 *
 * A handler that returns no promise is over when it returns: it runs inline, with no promise, no timer and no
 * registration of its own.
 */
import type { AbortReason, WorkId } from '../kernel/events.ts'
import type { Completion, Engine, EngineWork } from '../ports/engine.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'
import { BatchCall } from './batch-call.ts'
import { Call } from './call.ts'
import type { BatchHandler, ConsumedRecord, Handler } from './handler.ts'

export interface AsyncEngineOptions {
  readonly handle: Handler<unknown, unknown> | null
  readonly handleBatch: BatchHandler<unknown, unknown> | null
  /** Raw record to what the handler sees. May return a promise (asynchronous validation). */
  readonly decode: (record: RawRecord) => ConsumedRecord<unknown, unknown> | Promise<ConsumedRecord<unknown, unknown>>
  /** The lane of a record, for batches; null = none. */
  readonly laneOf: (work: EngineWork) => string | null
  readonly logger: Logger
  readonly capacity: () => number
}

export class AsyncEngine implements Engine {
  readonly #options: AsyncEngineOptions
  #listener: (completions: readonly Completion[]) => void = () => {
    throw new Error('onCompletions was not called before the first submit')
  }
  #ended: Completion[] = []
  #flushPlanned = false
  /** Calls that wait for a promise: the ones that an abort can still reach. */
  readonly #waiting: Set<Call | BatchCall> = new Set()
  #idle: (() => void)[] = []

  constructor(options: AsyncEngineOptions) {
    this.#options = options
  }

  onCompletions(listener: (completions: readonly Completion[]) => void): void {
    this.#listener = listener
  }

  submit(works: readonly EngineWork[]): void {
    for (const work of works) this.#call(work)
    this.#flush()
  }

  submitBatches(batches: readonly (readonly EngineWork[])[]): void {
    for (const works of batches) this.#callBatch(works)
    this.#flush()
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    for (const { epoch, offset } of works) {
      for (const call of this.#waiting) if (call.runs(epoch, offset)) call.abort(reason)
    }
  }

  inFlight(): number {
    return this.#waiting.size
  }

  capacity(): number {
    return this.#options.capacity()
  }

  /** The control plane has waited for what it wanted to; what still runs is told to stop and not waited for. */
  async shutdown(_deadlineMs: number): Promise<void> {
    for (const call of this.#waiting) call.abort('revoked')
    if (this.#waiting.size > 0) await Promise.race([new Promise<void>((resolve) => this.#idle.push(resolve)), settledSoon()])
  }

  #call(work: EngineWork): void {
    const call = new Call(work, this.#options.logger, (completion) => this.#end(completion))
    try {
      const record = this.#options.decode(work.batch.record(work.index))
      const result = isPromise(record) ? record.then((decoded) => this.#handle(decoded, call)) : this.#handle(record, call)
      if (!isPromise(result)) return call.returned()
      this.#waiting.add(call)
      result.then(
        () => this.#leave(call, () => call.returned()),
        (error) => this.#leave(call, () => call.threw(error)),
      )
    } catch (error) {
      call.threw(error)
    }
  }

  #handle(record: ConsumedRecord<unknown, unknown>, call: Call): unknown {
    return this.#options.handle?.(record, call)
  }

  #callBatch(works: readonly EngineWork[]): void {
    const { logger, laneOf, decode } = this.#options
    const call = new BatchCall(works, laneOf, logger, (completion) => this.#end(completion))
    this.#waiting.add(call)
    this.#runBatch(call, decode).then(
      () => this.#leave(call, () => call.returned()),
      (error) => this.#leave(call, () => call.threw(error)),
    )
  }

  async #runBatch(call: BatchCall, decode: AsyncEngineOptions['decode']): Promise<void> {
    const records = await call.decode(decode)
    if (records.length > 0) await this.#options.handleBatch?.(records, call)
  }

  #leave(call: Call | BatchCall, end: () => void): void {
    this.#waiting.delete(call)
    end()
    if (this.#waiting.size > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const resolve of idle) resolve()
  }

  /** Results are handed over together: all that ended in one turn of the microtask queue. */
  #end(completion: Completion): void {
    this.#ended.push(completion)
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    Promise.resolve().then(() => {
      this.#flushPlanned = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    this.#listener(ended)
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** A few turns of the microtask queue: enough for handlers that end when their signal is aborted. */
async function settledSoon(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await null
}
