/**
 * What has been opened and must be taken apart again, last things first: in good order, or without a last write as after a
 * crash. Runs once; a second call waits for the first.
 */
export type Ending = 'graceful' | 'crash'

export class Teardown {
  readonly #steps: ((ending: Ending) => void | Promise<void>)[] = []
  #running: Promise<void> | undefined

  add(step: (ending: Ending) => void | Promise<void>): void {
    this.#steps.push(step)
  }

  run(ending: Ending): Promise<void> {
    this.#running ??= this.#run(ending)
    return this.#running
  }

  /** Every step gets its turn, whatever happened before it; the first error is the one to report. */
  async #run(ending: Ending): Promise<void> {
    const errors: unknown[] = []
    for (const step of this.#steps.reverse()) {
      try {
        await step(ending)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
