/** Durations counted in buckets: one addition for each, whatever their number. */

/** Upper bounds in seconds, as the messaging conventions of OpenTelemetry advise for `messaging.process.duration`. */
export const DURATION_BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

export interface HistogramValue {
  readonly bounds: readonly number[]
  /** One more than bounds: the last counts what is above all of them. Not cumulative. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

export class Histogram {
  readonly #bounds: Float64Array
  readonly #counts: Float64Array
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[] = DURATION_BOUNDS) {
    this.#bounds = Float64Array.from(bounds)
    this.#counts = new Float64Array(bounds.length + 1)
  }

  record(seconds: number, times: number = 1): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + times
    this.#sum += seconds * times
    this.#count += times
  }

  value(): HistogramValue {
    return { bounds: [...this.#bounds], counts: [...this.#counts], sum: this.#sum, count: this.#count }
  }
}
