/** Results by key, bounded; whoever asks while one is being made waits for that one. What failed is not kept. */
export class SharedWork<Key, Result> {
  readonly #max: number
  readonly #done: Map<Key, Result> = new Map()
  readonly #pending: Map<Key, Promise<Result>> = new Map()

  constructor(max: number) {
    this.#max = max
  }

  /** At once, if it is there. */
  peek(key: Key): Result | undefined {
    const found = this.#done.get(key)
    // The least recently used is the first of the map.
    if (found !== undefined && this.#done.size === this.#max) this.#keep(key, found)
    return found
  }

  get(key: Key, make: () => Promise<Result>): Promise<Result> {
    const found = this.peek(key)
    if (found !== undefined) return Promise.resolve(found)
    const under = this.#pending.get(key)
    if (under !== undefined) return under
    const made = make()
      .then((result) => {
        this.#keep(key, result)
        return result
      })
      .finally(() => this.#pending.delete(key))
    this.#pending.set(key, made)
    return made
  }

  #keep(key: Key, result: Result): void {
    this.#done.delete(key)
    this.#done.set(key, result)
    if (this.#done.size <= this.#max) return
    const [oldest] = this.#done.keys()
    this.#done.delete(oldest as Key)
  }
}
