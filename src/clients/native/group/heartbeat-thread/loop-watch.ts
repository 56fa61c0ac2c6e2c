/**
 * Watches, from the thread, whether the event loop of the main side turns. It is asked again and again; how long ago it last
 * answered is how long it has stood still, at most.
 */
import type { Clock } from '../../../../ports/clock.ts'

export interface WatchedLoop {
  /** Asks it to store this number. */
  ask(number: number): void
  /** The last number that it stored. */
  answered(): number
}

export interface LoopWatchOptions {
  /** For how long it may stand still. */
  readonly maxMs: number
  readonly overdue: () => void
}

const lookMaxMs = 1_000
const looksPerInterval = 8

export class LoopWatch {
  readonly #clock: Clock
  readonly #loop: WatchedLoop
  readonly #watches: Set<LoopWatchOptions> = new Set()
  #asked = 0
  #turnedMs = 0
  /** When we meant to look again. */
  #dueMs = 0
  #cancel: (() => void) | null = null

  constructor(clock: Clock, loop: WatchedLoop) {
    this.#clock = clock
    this.#loop = loop
  }

  /** Calls `overdue` once for every time that it stands still for too long. Returns what ends the watch. */
  watch(options: LoopWatchOptions): () => void {
    // Whoever asks for a watch has just turned.
    this.#turnedMs = this.#clock.now()
    this.#dueMs = this.#turnedMs
    this.#watches.add(options)
    this.#cancel?.()
    this.#look()
    return () => {
      this.#watches.delete(options)
      if (this.#watches.size > 0) return
      this.#cancel?.()
      this.#cancel = null
    }
  }

  #look(): void {
    const nowMs = this.#clock.now()
    if (this.#loop.answered() === this.#asked) {
      this.#turnedMs = nowMs
      this.#loop.ask(++this.#asked)
    } else {
      // A process that was stopped as a whole, or a machine that slept: nobody knows what the loop would have done.
      this.#turnedMs += Math.max(0, nowMs - this.#dueMs)
    }
    let everyMs = lookMaxMs
    for (const watch of [...this.#watches]) {
      everyMs = Math.min(everyMs, watch.maxMs / looksPerInterval)
      if (nowMs - this.#turnedMs < watch.maxMs) continue
      this.#watches.delete(watch)
      watch.overdue()
    }
    this.#dueMs = nowMs + everyMs
    this.#cancel = this.#watches.size === 0 ? null : this.#clock.at(this.#dueMs, () => this.#look())
  }
}
