/**
 * Faults that wait for their moment, each with a count of how often it has struck and, if it has a limit, an end.
 */
export interface PlantedFault {
  /** How often it has struck. */
  readonly hits: number
  remove(): void
}

export interface Planted<F> {
  readonly fault: F
  hits: number
}

export class FaultBed<F extends { readonly times?: number }> implements Iterable<Planted<F>> {
  readonly #planted: Set<Planted<F>> = new Set()

  plant(fault: F): PlantedFault {
    const planted: Planted<F> = { fault, hits: 0 }
    this.#planted.add(planted)
    return {
      get hits() {
        return planted.hits
      },
      remove: () => {
        this.#planted.delete(planted)
      },
    }
  }

  /** It strikes now; after the last time it is gone. */
  strike(planted: Planted<F>): void {
    planted.hits++
    if (planted.fault.times !== undefined && planted.hits >= planted.fault.times) this.#planted.delete(planted)
  }

  clear(): void {
    this.#planted.clear()
  }

  get isEmpty(): boolean {
    return this.#planted.size === 0
  }

  [Symbol.iterator](): Iterator<Planted<F>> {
    return this.#planted.values()
  }
}
