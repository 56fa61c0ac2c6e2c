/** How long things took in the last seconds, for people who look now. Metrics have counts of their own, since the start. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { FineHistogram } from './fine-histogram.ts'

/** Each look at the loop wakes the process up: at 10 ms that alone took half a per cent of a core. */
const LOOP_GRAIN_MS = 50
/** Several pages may ask: what was measured is kept for so long. */
const LOOP_KEPT_MS = 2_000

export class RecentTimes {
  readonly #handlers: FineHistogram = new FineHistogram()
  readonly #commits: FineHistogram = new FineHistogram()
  readonly #loop: ReturnType<typeof monitorEventLoopDelay> = monitorEventLoopDelay({ resolution: LOOP_GRAIN_MS })
  #loopMs: number | null = null
  #loopReadMs: number = Number.NEGATIVE_INFINITY

  constructor() {
    this.#loop.enable()
  }

  handled(ms: number): void {
    this.#handlers.record(ms)
  }

  committed(ms: number): void {
    this.#commits.record(ms)
  }

  handlers(nowMs: number): readonly number[] {
    return this.#handlers.recent(nowMs)
  }

  commits(nowMs: number): readonly number[] {
    return this.#commits.recent(nowMs)
  }

  /** The 99th percentile of its delay, between two readings. */
  eventLoopMs(nowMs: number): number | null {
    if (nowMs - this.#loopReadMs < LOOP_KEPT_MS) return this.#loopMs
    this.#loopMs = this.#loop.count === 0 ? null : Math.max(0, this.#loop.percentile(99) / 1e6 - LOOP_GRAIN_MS)
    this.#loopReadMs = nowMs
    this.#loop.reset()
    return this.#loopMs
  }

  close(): void {
    this.#loop.disable()
  }
}
