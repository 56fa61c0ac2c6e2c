/** Deadlines without a clock: the owner asks for the next one, and says when it has come. */

export interface Timer {
  readonly atMs: number
  readonly run: (nowMs: number) => void
}

export class Timers {
  /** In the order of setting; few enough (members, transactions, waiting reads) that looking through them is cheap. */
  readonly #timers = new Set<Timer>()
  #earliest: Timer | null = null

  set(atMs: number, run: (nowMs: number) => void): Timer {
    const timer = { atMs, run }
    this.#timers.add(timer)
    if (this.#earliest !== null && atMs < this.#earliest.atMs) this.#earliest = timer
    return timer
  }

  cancel(timer: Timer | null): void {
    if (timer === null) return
    this.#timers.delete(timer)
    if (timer === this.#earliest) this.#earliest = null
  }

  next(): number {
    return this.#find()?.atMs ?? Number.POSITIVE_INFINITY
  }

  /** One after the other, because one may set or cancel others. Ties run in the order of setting. */
  run(nowMs: number): void {
    for (;;) {
      const timer = this.#find()
      if (timer === null || timer.atMs > nowMs) return
      this.cancel(timer)
      timer.run(nowMs)
    }
  }

  #find(): Timer | null {
    if (this.#earliest === null) {
      for (const timer of this.#timers) {
        if (this.#earliest === null || timer.atMs < this.#earliest.atMs) this.#earliest = timer
      }
    }
    return this.#earliest
  }
}
