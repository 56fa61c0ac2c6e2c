/** The real clock: the only place in the house with raw timers. */
import { performance } from 'node:perf_hooks'
import type { Clock } from './ports/clock.ts'

/** Node's timers take 31 bits; a longer wait is cut into pieces by whoever asks again. */
const LONGEST_MS = 2 ** 31 - 1

/** Wall-clock time that never goes back: `performance` counts on from where the process started. */
export class SystemClock implements Clock {
  now(): number {
    return performance.timeOrigin + performance.now()
  }

  random(): number {
    return Math.random()
  }

  at(timeMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, Math.min(LONGEST_MS, Math.max(0, Math.ceil(timeMs - this.now()))))
    return () => clearTimeout(timer)
  }

  soon(callback: () => void): void {
    setImmediate(callback)
  }
}
