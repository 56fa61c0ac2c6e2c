/** Time that stands still until a test moves it, while sockets are real. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../src/ports/clock.ts'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

export class ManualClock implements Clock {
  #nowMs = 1_000_000
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#nowMs
  }

  random(): number {
    return 0.5
  }

  at(timeMs: number, callback: () => void): () => void {
    const timer = { atMs: timeMs, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  soon(callback: () => void): void {
    setImmediate(callback)
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Everything that is due on the way happens in its order, with turns for sockets in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms
    for (;;) {
      const next = [...this.#timers].filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.callback()
      await this.settle()
    }
    this.#nowMs = end
    await this.settle()
  }

  /** Time passes and nothing runs, as in a machine that sleeps. */
  sleep(ms: number): void {
    this.#nowMs += ms
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 5; i++) await turn()
  }
}
