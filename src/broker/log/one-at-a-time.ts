/** Jobs that must not overlap. */

/** Each waits for those before it. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(job)
    // Whoever comes next waits for the end, however it ends.
    this.#last = turn.catch((error: unknown) => error)
    return turn
  }
}

/** The same job again and again. Whoever asks while it runs shares the next run, which begins after. */
export class OneAtATime {
  readonly #job: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(job: () => Promise<void>) {
    this.#job = job
  }

  /** Ends when a run has ended that began after this call. */
  run(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  /** No run is under way or about to begin; how they ended is for those to know who asked for them. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await Promise.allSettled([this.#next ?? this.#running])
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#job().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
