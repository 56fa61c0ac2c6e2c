/**
 * The broker's time. Everything that waits asks this clock, so that a test can own it (`ManualClock`).
 *
 * A late timer is not trusted at once. If the event loop was blocked for ten seconds, every session timer is due at the
 * moment it is free again, while the heartbeats that were sent meanwhile still wait in the sockets. So a timer's work runs
 * only after one more full turn of the loop: pending reads first, then expiry.
 */
export interface BrokerClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back once, `delayMs` from now; the returned function cancels it. */
  timer(delayMs: number, callback: () => void): () => void
}

export class SystemClock implements BrokerClock {
  now(): number {
    return Date.now()
  }

  timer(delayMs: number, callback: () => void): () => void {
    let cancelled = false
    const run = (): void => {
      if (!cancelled) callback()
    }
    // Timers run before the poll phase; an immediate runs after it, and a second one after one whole further poll.
    const handle = setTimeout(() => setImmediate(() => setImmediate(run)), Math.min(delayMs, 2 ** 31 - 1))
    return () => {
      cancelled = true
      clearTimeout(handle)
    }
  }
}

interface ManualTimer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** Time stands still until a test moves it. It begins now: records with a time far from the broker's are refused. */
export class ManualClock implements BrokerClock {
  #now: number
  #order = 0
  readonly #timers: Set<ManualTimer> = new Set()

  constructor(startMs: number = Date.now()) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  timer(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, callback }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  /** Moves time on, running what falls due in the order of its time. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (let next = this.#nextBefore(end); next !== undefined; next = this.#nextBefore(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
    }
    this.#now = end
  }

  #nextBefore(end: number): ManualTimer | undefined {
    let first: ManualTimer | undefined
    for (const timer of this.#timers) {
      if (timer.at > end) continue
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer
    }
    return first
  }
}
