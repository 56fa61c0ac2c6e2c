/** An engine that says some results twice, the second time a little later: as a faulty engine would. */

import type { AbortReason, WorkId } from '../../../kernel/events.ts'
import type { Completion, Engine, Work } from '../../../ports/engine.ts'
import type { ProcessClock } from '../process-clock.ts'

export class DoubleEngine implements Engine {
  readonly #engine: Engine
  readonly #clock: ProcessClock
  readonly #share: () => number

  constructor(engine: Engine, clock: ProcessClock, share: () => number) {
    this.#engine = engine
    this.#clock = clock
    this.#share = share
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#engine.completions((completions) => {
      listener(completions)
      for (const completion of completions) {
        if (this.#clock.random() >= this.#share()) continue
        this.#clock.at(this.#clock.now() + this.#clock.random() * 60, () => listener([completion]))
      }
    })
  }

  submit(batch: readonly Work[]): void {
    this.#engine.submit(batch)
  }

  submitBatches(batches: readonly (readonly Work[])[]): void {
    this.#engine.submitBatches?.(batches)
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    this.#engine.abort?.(works, reason)
  }

  inFlight(): number {
    return this.#engine.inFlight()
  }

  capacity(): number {
    return this.#engine.capacity()
  }

  shutdown(deadlineMs: number): Promise<void> {
    return this.#engine.shutdown(deadlineMs)
  }
}
