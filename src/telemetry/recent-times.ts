/** How long things took in the last seconds, for people who look now. Metrics have counts of their own, since the start. */
import { FineHistogram } from './fine-histogram.ts'
import { LoopDelay } from './loop-delay.ts'

/** Several pages may ask: what was measured is kept for so long. */
const LOOP_KEPT_MS = 2_000

export class RecentTimes {
  readonly #handlers: FineHistogram = new FineHistogram()
  readonly #commits: FineHistogram = new FineHistogram()
  readonly #loop: LoopDelay = new LoopDelay()
  #loopMs: number | null = null
  #loopReadMs: number = Number.NEGATIVE_INFINITY

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
    this.#loopMs = this.#loop.take()?.p99Ms ?? null
    this.#loopReadMs = nowMs
    return this.#loopMs
  }

  close(): void {
    this.#loop.close()
  }
}
