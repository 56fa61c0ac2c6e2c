/** Records that may have killed a worker, until they have shown that they did not. Kept by name: they come back as new work. */
import type { Work } from '../../../ports/engine.ts'
import { UNSUSPECTED } from './task.ts'

/** More than can be in flight in any sane setting; beyond it the oldest are forgotten, and are ordinary records again. */
const SUSPECTS_MAX = 10_000

type Named = Pick<Work, 'topic' | 'partition' | 'offset'>

export class Suspects {
  readonly #companyMax: Map<string, number> = new Map()

  add(work: Named, companyMax: number): void {
    this.#companyMax.delete(nameOf(work))
    this.#companyMax.set(nameOf(work), companyMax)
    if (this.#companyMax.size <= SUSPECTS_MAX) return
    for (const oldest of this.#companyMax.keys()) {
      this.#companyMax.delete(oldest)
      return
    }
  }

  /** Its worker lives. */
  clear(work: Named): void {
    if (this.#companyMax.size > 0) this.#companyMax.delete(nameOf(work))
  }

  /** How many may run beside these, themselves included. */
  companyMax(works: readonly Named[]): number {
    let least = UNSUSPECTED
    if (this.#companyMax.size === 0) return least
    for (const work of works) least = Math.min(least, this.#companyMax.get(nameOf(work)) ?? UNSUSPECTED)
    return least
  }
}

function nameOf({ topic, partition, offset }: Named): string {
  return `${topic}-${partition}@${offset}`
}
