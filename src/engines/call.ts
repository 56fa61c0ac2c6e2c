/** One handler call for one record: its context, and how it ends. It ends once, whatever the handler does. */
import { FanlaneError } from '../errors.ts'
import type { AbortReason, WorkId } from '../kernel/events.ts'
import type { Completion } from '../ports/engine.ts'
import type { OutgoingRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'
import { abortError } from './abort.ts'
import type { Deferred, HandlerContext, SendRecord } from './handler.ts'
import { identityOf } from './identity.ts'
import { toOutgoing } from './outgoing.ts'

/** Whoever made the call and hears how it goes: the engine. */
export interface CallOwner {
  readonly logger: Logger
  /** The handler is gone, its record is not over: an abort must still find it. */
  deferred(call: Call, completion: Completion): void
  over(call: Call, completion: Completion): void
}

/**
 * - running: the handler has not returned
 * - deferring: not returned, but it asked for `defer`
 * - deferred: returned, the end comes from outside
 * - ended: a result was given; anything later is ignored
 */
type Phase =
  | { readonly kind: 'running' }
  | { readonly kind: 'deferring'; readonly result: { readonly error: unknown } | 'done' | null }
  | { readonly kind: 'deferred' }
  | { readonly kind: 'ended' }

const RUNNING: Phase = { kind: 'running' }
const DEFERRED: Phase = { kind: 'deferred' }
const ENDED: Phase = { kind: 'ended' }

export class Call implements HandlerContext {
  readonly #work: WorkId
  readonly #owner: CallOwner
  #phase: Phase = RUNNING
  #abort: AbortController | null = null
  #sends: OutgoingRecord[] | null = null

  constructor(work: WorkId, owner: CallOwner) {
    this.#work = work
    this.#owner = owner
  }

  /** The name of this execution. The control plane numbers every one; only what engines echo may lack it. */
  get run(): number {
    return this.#work.run as number
  }

  /** Made when asked for: most handlers never look at it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  get attempt(): number {
    return this.#work.attempt
  }

  get log(): Logger {
    const { topic, partition, offset, attempt } = this.#work
    const { logger } = this.#owner
    return logger.child?.({ topic, partition, offset, attempt }) ?? logger
  }

  async send(record: SendRecord | readonly SendRecord[]): Promise<void> {
    if (this.#phase.kind === 'ended') {
      const { topic, partition, offset } = this.#work
      throw new FanlaneError(
        'SEND_AFTER_END',
        `ctx.send was called after ${topic}-${partition}@${offset} had ended: await it inside the handler.`,
      )
    }
    const records = Array.isArray(record) ? (record as readonly SendRecord[]) : [record as SendRecord]
    const outgoing = records.map(toOutgoing)
    this.#sends ??= []
    this.#sends.push(...outgoing)
  }

  defer(): Deferred {
    if (this.#phase.kind === 'running') this.#phase = { kind: 'deferring', result: null }
    return {
      done: () => this.#resolve('done'),
      fail: (error) => this.#resolve({ error }),
    }
  }

  abort(reason: AbortReason): void {
    this.#abort ??= new AbortController()
    this.#abort.abort(abortError(reason))
  }

  throwIfAborted(): void {
    this.#abort?.signal.throwIfAborted()
  }

  returned(): void {
    if (this.#phase.kind === 'running') return this.#done()
    if (this.#phase.kind !== 'deferring') return
    const { result } = this.#phase
    if (result === 'done') return this.#done()
    if (result !== null) return this.threw(result.error)
    this.#phase = DEFERRED
    this.#owner.deferred(this, { ...identityOf(this.#work), status: 'deferred' })
  }

  threw(error: unknown): void {
    if (this.#phase.kind === 'ended') return
    this.#phase = ENDED
    this.#owner.over(this, { ...identityOf(this.#work), status: 'failed', error })
  }

  #resolve(result: { readonly error: unknown } | 'done'): void {
    if (this.#phase.kind === 'deferring') {
      if (this.#phase.result === null) this.#phase = { kind: 'deferring', result }
    } else if (this.#phase.kind === 'deferred') {
      if (result === 'done') this.#done()
      else this.threw(result.error)
    }
  }

  #done(): void {
    this.#phase = ENDED
    if (this.#sends === null) {
      // What nearly every record comes to: one literal, no object on the way to it.
      const { topic, partition, offset, epoch, attempt, run } = this.#work
      this.#owner.over(this, { topic, partition, offset, epoch, attempt, run: run as number, status: 'done' })
    } else this.#owner.over(this, { ...identityOf(this.#work), status: 'done', sends: this.#sends })
  }
}
