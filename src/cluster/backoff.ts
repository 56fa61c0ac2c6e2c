/** Pauses that grow, with jitter so that clients which failed together do not come back together. */
import type { Clock } from '../ports/clock.ts'

export interface BackoffOptions {
  /** The first pause; it doubles up to the last. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
}

export const defaultBackoff: BackoffOptions = { backoffMs: 50, backoffMaxMs: 2_000 }

export class Backoff {
  readonly #clock: Clock
  readonly #options: BackoffOptions
  #nextMs: number

  constructor(clock: Clock, options: BackoffOptions = defaultBackoff) {
    this.#clock = clock
    this.#options = options
    this.#nextMs = options.backoffMs
  }

  /** How long to wait now. The next pause is longer. */
  next(): number {
    const ms = this.#nextMs * (0.5 + this.#clock.random() / 2)
    this.#nextMs = Math.min(this.#options.backoffMaxMs, this.#nextMs * 2)
    return ms
  }

  pause(): Promise<void> {
    return sleep(this.#clock, this.next())
  }

  reset(): void {
    this.#nextMs = this.#options.backoffMs
  }
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.at(clock.now() + ms, resolve)
  })
}
