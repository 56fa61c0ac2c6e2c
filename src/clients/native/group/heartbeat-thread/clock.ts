/** The clock inside the thread, which no simulator ever runs. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../../../ports/clock.ts'

/** Node's timers take 31 bits. */
const longestMs = 2 ** 31 - 1

export class ThreadClock implements Clock {
  now(): number {
    return performance.timeOrigin + performance.now()
  }

  random(): number {
    return Math.random()
  }

  at(timeMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, Math.min(longestMs, Math.max(0, Math.ceil(timeMs - this.now()))))
    return () => clearTimeout(timer)
  }

  soon(callback: () => void): void {
    setImmediate(callback)
  }
}
