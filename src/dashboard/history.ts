/** The last minutes of the map, for the time slider: as JSON already, so that keeping them costs the collector nothing. */
import type { HistoryFrame } from './frames.ts'

export const HISTORY_MS: number = 5 * 60_000
export const HISTORY_EVERY_MS = 2_000
export const HISTORY_PARTITIONS_MAX = 64
/** Of all frames together; older ones go. */
const HISTORY_MAX_BYTES = 16 * 2 ** 20

export class HistoryRing {
  readonly #frames: { readonly at: number; readonly json: Buffer }[] = []
  #bytes = 0

  push(frame: HistoryFrame): void {
    const json = Buffer.from(JSON.stringify(frame))
    this.#frames.push({ at: frame.at, json })
    this.#bytes += json.length
    while (this.#bytes > HISTORY_MAX_BYTES || (this.#frames[0]?.at ?? frame.at) < frame.at - HISTORY_MS) {
      this.#bytes -= this.#frames.shift()?.json.length ?? 0
    }
  }

  /** A `History`, as JSON. */
  json(): string {
    return `{"frames":[${this.#frames.map(({ json }) => json.toString()).join(',')}]}`
  }
}
