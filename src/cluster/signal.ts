/** Wakes whoever waits for a change. A change that nobody waits for is not remembered: look first, then wait. */
export class Signal {
  #waiting: PromiseWithResolvers<void> | null = null

  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  fire(): void {
    this.#waiting?.resolve()
    this.#waiting = null
  }
}
