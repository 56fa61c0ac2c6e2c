/**
 * What a consumer has seen, record by record, so that a lost or doubled one is a failure and not a good time. The same few
 * nanoseconds for every contender in Node.
 */
export class Ledger {
  readonly #seen: readonly Uint8Array[]
  readonly #ends: readonly number[]
  readonly #committed: number[]
  readonly #all: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #allCommitted: PromiseWithResolvers<void> = Promise.withResolvers()
  #left: number
  firstMs: number | null = null
  lastMs: number | null = null
  committedMs: number | null = null

  constructor(ends: readonly number[]) {
    this.#ends = ends
    this.#seen = ends.map((end) => new Uint8Array(end))
    this.#committed = ends.map(() => 0)
    this.#left = ends.reduce((sum, end) => sum + end, 0)
    // Whoever waits for one of them hears of it; the other may have no listener.
    for (const { promise } of [this.#all, this.#allCommitted]) promise.catch(() => undefined)
  }

  see(partition: number, offset: number): void {
    const seen = this.#seen[partition]
    if (seen === undefined || !(offset < seen.length)) return this.fail(`${partition}:${offset} does not exist`)
    if (seen[offset] === 1) return this.fail(`${partition}:${offset} came twice`)
    seen[offset] = 1
    this.firstMs ??= performance.now()
    if (--this.#left > 0) return
    this.lastMs = performance.now()
    this.#all.resolve()
  }

  commit(partition: number, position: number): void {
    const before = this.#committed[partition]
    if (before === undefined || position < before) return this.fail(`commit of ${partition}: ${before} → ${position}`)
    this.#committed[partition] = position
    if (this.committedMs !== null || this.#committed.some((each, index) => each < (this.#ends[index] ?? 0))) return
    this.committedMs = performance.now()
    this.#allCommitted.resolve()
  }

  fail(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason))
    this.#all.reject(error)
    this.#allCommitted.reject(error)
  }

  get left(): number {
    return this.#left
  }

  all(): Promise<void> {
    return this.#all.promise
  }

  allCommitted(): Promise<void> {
    return this.#allCommitted.promise
  }
}
