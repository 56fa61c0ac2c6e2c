/** Who waits until the log has got to a position. Waiters of the same position share one promise. */
interface Waiter {
  readonly position: number
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class Waiters {
  /** By rising position. */
  #waiting: Waiter[] = []

  wait(position: number): Promise<void> {
    let index = this.#waiting.length
    while (index > 0 && (this.#waiting[index - 1] as Waiter).position > position) index--
    const same = this.#waiting[index - 1]
    if (same?.position === position) return same.promise
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.splice(index, 0, { position, promise, resolve, reject })
    return promise
  }

  reached(position: number): void {
    let count = 0
    while (count < this.#waiting.length && (this.#waiting[count] as Waiter).position <= position) count++
    if (count > 0) for (const waiter of this.#waiting.splice(0, count)) waiter.resolve()
  }

  fail(error: Error): void {
    for (const { promise, reject } of this.#waiting.splice(0)) {
      reject(error)
      // Whoever asked may be gone (a closed connection): that is no error of its own.
      promise.catch(() => error)
    }
  }
}
