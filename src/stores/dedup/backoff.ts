/** How long to leave somebody alone who failed. Grows with every failure in a row, is capped, and starts anew after a success. */
import type { Clock } from '../../ports/clock.ts'

const FIRST_MS = 100
const LONGEST_MS = 5_000

export class Backoff {
  readonly #clock: Pick<Clock, 'random'>
  #failures = 0

  constructor(clock: Pick<Clock, 'random'>) {
    this.#clock = clock
  }

  /** Half of it is chance: those who failed together come back one by one. */
  failed(): number {
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures++, 10))
    return ms / 2 + (ms / 2) * this.#clock.random()
  }

  worked(): void {
    this.#failures = 0
  }
}
