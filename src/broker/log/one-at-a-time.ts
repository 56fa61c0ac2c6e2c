/** Runs a job that must not overlap with itself. Whoever asks while it runs shares the next run, which begins after. */
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

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#job().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
