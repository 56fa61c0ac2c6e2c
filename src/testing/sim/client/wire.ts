/** Asking the cluster. No answer is an answer too: null, never an exception. */
import { FanlaneError } from '../../../errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import { newConnection, RequestTimeout } from '../wire/transport.ts'
import type { SimClientOptions } from './options.ts'

export class Wire {
  readonly options: SimClientOptions
  readonly clock: Clock
  #open = true

  constructor(options: SimClientOptions) {
    this.options = options
    this.clock = options.clock
  }

  /** False: the client is closed. Whoever tries again and again asks this first. */
  get isOpen(): boolean {
    return this.#open
  }

  close(): void {
    this.#open = false
  }

  async ask<K extends RequestKind>(
    kind: K,
    fields: Omit<RequestOf<K>, 'kind'>,
    timeoutMs: number = this.options.requestTimeoutMs,
  ): Promise<ResponseOf<K> | null> {
    try {
      return await this.options.transport.call<K>({ kind, ...fields } as RequestOf<K>, timeoutMs, newConnection())
    } catch (error) {
      // Anything else is a mistake in the simulation and has to be seen.
      if (error instanceof RequestTimeout) return null
      throw error
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.at(this.clock.now() + ms, resolve)
    })
  }

  backoff(): Backoff {
    return new Backoff(this)
  }
}

/** Pauses that grow, with jitter so that clients which failed together do not come back together. */
export class Backoff {
  readonly #wire: Wire
  #nextMs: number

  constructor(wire: Wire) {
    this.#wire = wire
    this.#nextMs = wire.options.backoffMs
  }

  pause(): Promise<void> {
    const ms = this.#nextMs * (0.5 + this.#wire.clock.random() / 2)
    this.#nextMs = Math.min(this.#wire.options.backoffMaxMs, this.#nextMs * 2)
    return this.#wire.sleep(ms)
  }

  reset(): void {
    this.#nextMs = this.#wire.options.backoffMs
  }
}

const MOVED: ReadonlySet<string> = new Set(['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE'])

/** Certainly not applied: the coordinator is elsewhere, or not ready. Find it again and ask again. */
export function isCoordinatorElsewhere(code: ErrorCode): boolean {
  return MOVED.has(code) || code === 'COORDINATOR_LOAD_IN_PROGRESS'
}

export function answeredWith(code: ErrorCode, request: RequestKind): FanlaneError {
  return new FanlaneError(code, `${request} was answered with ${code}.`)
}
