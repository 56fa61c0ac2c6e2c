/** Something that should keep moving, in several places at once: how long it stood still, and whether all of it moves again. */

const now = (): number => performance.now()

export class Pulse {
  readonly #places: number
  #counts: number[] = []
  #last: number = now()
  #longestMs = 0
  total = 0

  constructor(places: number) {
    this.#places = places
    this.begin()
  }

  /** From here on. */
  begin(): void {
    this.#counts = Array.from({ length: this.#places }, () => 0)
    this.#longestMs = 0
    this.#last = now()
  }

  beat(place: number): void {
    const at = now()
    this.#longestMs = Math.max(this.#longestMs, at - this.#last)
    this.#last = at
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.total++
  }

  get longestMs(): number {
    return Math.round(Math.max(this.#longestMs, now() - this.#last))
  }

  get state(): string {
    return `${this.#counts.join(' ')}, still for ${Math.round(now() - this.#last)} ms`
  }

  /** Since `begin`, in the place that has moved least. */
  get least(): number {
    return Math.min(...this.#counts)
  }
}
