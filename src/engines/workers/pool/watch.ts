/**
 * The clock of a pool: handlers that run too long are told, workers that do not hear it are ended, and workers that say
 * nothing are relieved of what waits in them. It ticks only while there is something to watch.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { Crew } from './crew.ts'
import type { PoolWorker } from './pool-worker.ts'
import type { Task } from './task.ts'

const TICK_MS = 20
const TICK_MS_MAX = 500
/** A worker that was told and has not answered for so long is blocked. */
const BLOCKED_MS = 1_000

export interface WatchOptions {
  readonly clock: Clock
  readonly handlerTimeoutMs: number | null
}

export class Watch {
  readonly #crew: Crew
  readonly #clock: Clock
  readonly #timeoutMs: number | null
  readonly #relieve: () => void
  #cancel: (() => void) | null = null
  #isOver = false

  constructor(crew: Crew, { clock, handlerTimeoutMs }: WatchOptions, relieve: () => void) {
    this.#crew = crew
    this.#clock = clock
    this.#timeoutMs = handlerTimeoutMs
    this.#relieve = relieve
  }

  /** Something was sent. */
  wake(): void {
    if (this.#cancel !== null || this.#isOver) return
    this.#cancel = this.#clock.at(this.#clock.now() + TICK_MS, () => this.#tick())
  }

  stop(): void {
    this.#isOver = true
    this.#cancel?.()
    this.#cancel = null
  }

  #tick(): void {
    this.#cancel = null
    const nowMs = this.#clock.now()
    let nextMs: number | null = null
    let isRelieving = false
    for (const worker of this.#crew.everybody) {
      if (worker.underWay.size === 0) continue
      if (worker.isSilent) isRelieving = true
      if (worker.hasLine) nextMs = TICK_MS
      if (this.#timeoutMs === null) continue
      nextMs = Math.min(nextMs ?? TICK_MS_MAX, Math.max(TICK_MS, Math.min(TICK_MS_MAX, this.#timeoutMs / 10)))
      this.#judge(worker, nowMs, this.#timeoutMs)
    }
    if (isRelieving) this.#relieve()
    if (nextMs === null || this.#isOver || this.#cancel !== null) return
    this.#cancel = this.#clock.at(nowMs + nextMs, () => this.#tick())
  }

  #judge(worker: PoolWorker, nowMs: number, timeoutMs: number): void {
    worker.stamp(nowMs)
    const late: Task[] = []
    // In the order in which they began.
    for (const task of new Set(worker.underWay.values())) {
      if (task.startedMs === null || nowMs - task.startedMs < timeoutMs) break
      if (task.toldMs !== null) continue
      task.toldMs = nowMs
      late.push(task)
    }
    if (late.length > 0) worker.abort(late, 'timeout')
    if (!isBlocked(worker, nowMs)) return
    worker.blockedBy = worker.entered()
    worker.kill('blocked')
  }
}

/** The call it is inside of was told long ago, and since then the worker has not said a word. */
function isBlocked(worker: PoolWorker, nowMs: number): boolean {
  const toldMs = worker.front()?.toldMs ?? null
  return toldMs !== null && nowMs - toldMs >= BLOCKED_MS && worker.heardMs < toldMs && worker.phase !== 'stopping'
}
