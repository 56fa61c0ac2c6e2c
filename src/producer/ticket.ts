/**
 * One call of send() on its way: one promise for all of its records. It settles when every record has: a caller that is
 * told of a failure knows that nothing of it is still under way.
 */
import { FanlaneError } from '../errors.ts'

export interface Delivered {
  readonly partition: number
  /** −1: it is in, but nobody was told where (acks 0, or the answer told only that it was there already). */
  readonly offset: number
}

/** Some of several records could not be written. */
export class DeliveryError extends FanlaneError {
  /** In the order of the records: where each one is, or why it is not. */
  readonly results: readonly (Delivered | FanlaneError)[]

  constructor(first: FanlaneError, results: readonly (Delivered | FanlaneError)[]) {
    const failed = results.filter((result) => result instanceof FanlaneError).length
    super(first.code, `${failed} of ${results.length} records were not written. ${first.message}`, {
      retriable: first.retriable,
      cause: first,
    })
    this.name = 'DeliveryError'
    this.results = results
  }
}

export class Ticket {
  readonly promise: Promise<readonly Delivered[]>
  readonly deadlineMs: number
  readonly #results: (Delivered | FanlaneError)[]
  readonly #resolve: (results: readonly Delivered[]) => void
  readonly #reject: (error: FanlaneError) => void
  #left: number
  #failure: FanlaneError | null = null

  constructor(records: number, deadlineMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Delivered[]>()
    this.promise = promise
    this.#resolve = resolve
    this.#reject = reject
    this.deadlineMs = deadlineMs
    this.#left = records
    this.#results = new Array(records)
    if (records === 0) resolve([])
  }

  delivered(slot: number, partition: number, offset: number): boolean {
    this.#results[slot] = { partition, offset }
    return this.#settle()
  }

  failed(slot: number, error: FanlaneError): boolean {
    this.#results[slot] = error
    this.#failure ??= error
    return this.#settle()
  }

  /** True: that was the last one. */
  #settle(): boolean {
    if (--this.#left > 0) return false
    const failure = this.#failure
    if (failure === null) this.#resolve(this.#results as Delivered[])
    else this.#reject(this.#results.length === 1 ? failure : new DeliveryError(failure, this.#results))
    return true
  }
}
