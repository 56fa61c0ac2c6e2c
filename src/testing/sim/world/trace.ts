/** What happened, as a hash (the same seed must give the same one) and, if wanted, the last lines of it. */
import type { Clock } from '../../../ports/clock.ts'

export class Trace {
  readonly #clock: Clock
  readonly #keep: number
  readonly #lines: string[] = []
  #hash = 0x811c9dc5

  constructor(clock: Clock, keep: number) {
    this.#clock = clock
    this.#keep = keep
  }

  add(line: string): void {
    const full = `${this.#clock.now().toFixed(2)} ${line}`
    let hash = this.#hash
    for (let at = 0; at < full.length; at++) hash = Math.imul(hash ^ full.charCodeAt(at), 0x01000193)
    this.#hash = hash
    if (this.#keep === 0) return
    this.#lines.push(full)
    if (this.#lines.length > this.#keep * 2) this.#lines.splice(0, this.#lines.length - this.#keep)
  }

  hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  lines(): readonly string[] {
    return this.#lines.slice(-this.#keep)
  }
}
