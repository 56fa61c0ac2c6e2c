/** In a batch call: lanes with a record that does not run now. What follows it there must not run before it. */
import type { Work } from '../../ports/engine.ts'

export class Blocked {
  readonly #laneOf: ((work: Work) => string | null) | null
  readonly #lanes: Set<string> = new Set()

  constructor(laneOf: ((work: Work) => string | null) | null) {
    this.#laneOf = laneOf
  }

  add(work: Work): void {
    const lane = this.#laneOf?.(work) ?? null
    if (lane !== null) this.#lanes.add(lane)
  }

  has(work: Work): boolean {
    if (this.#laneOf === null || this.#lanes.size === 0) return false
    const lane = this.#laneOf(work)
    return lane !== null && this.#lanes.has(lane)
  }
}
