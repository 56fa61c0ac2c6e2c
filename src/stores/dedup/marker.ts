/**
 * Marks ids as done, together: while one call is under way, those that follow wait for the next. A store that fails is
 * asked again until it works, even if nobody waits any more: whoever gets the record next must find that it is done.
 */
import type { Clock } from '../../ports/clock.ts'
import { Backoff } from './backoff.ts'
import type { StoreCalls } from './store-calls.ts'

export interface Mark {
  readonly id: string
  /** Called once. False: it is not marked, and nobody will. */
  readonly ended: (isMarked: boolean) => void
}

export interface MarkerParts {
  readonly calls: StoreCalls
  readonly clock: Clock
  readonly report: (error: unknown) => void
  /** After each batch of marks. */
  readonly settled: () => void
}

export class Marker {
  readonly #parts: MarkerParts
  readonly #backoff: Backoff
  #queue: Mark[] = []
  #running: Promise<void> | null = null
  #wake: () => void = () => undefined
  #isClosed = false

  constructor(parts: MarkerParts) {
    this.#parts = parts
    this.#backoff = new Backoff(parts.clock)
  }

  add(mark: Mark): void {
    this.#queue.push(mark)
    this.#running ??= this.#run()
  }

  /** Resolves when what is there is marked; from now on a failure is not tried again. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    // What ends in the same turn comes along.
    await null
    while (this.#queue.length > 0) {
      const marks = this.#queue
      this.#queue = []
      if (await this.#mark(marks)) for (const { ended } of marks) ended(true)
      else this.#again(marks)
      this.#parts.settled()
    }
    this.#running = null
  }

  async #mark(marks: readonly Mark[]): Promise<boolean> {
    try {
      await this.#parts.calls.done([...new Set(marks.map(({ id }) => id))])
      this.#backoff.worked()
      return true
    } catch (error) {
      this.#parts.report(error)
      if (!this.#isClosed) await this.#pause(this.#backoff.failed())
      return false
    }
  }

  /** Before all others. There are never many: while nothing can be marked, nothing can be claimed, and nothing new runs. */
  #again(marks: readonly Mark[]): void {
    if (!this.#isClosed) this.#queue = [...marks, ...this.#queue]
    else for (const { ended } of marks) ended(false)
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#parts
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}
