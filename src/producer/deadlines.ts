/**
 * When batches become too old. Batches come in the order of their deadlines, but for the pieces of split ones, which are
 * few and looked at one by one. One timer, for the oldest.
 */
import type { Clock } from '../ports/clock.ts'
import type { Batch } from './batch.ts'
import type { Lane } from './lane.ts'

export class Deadlines {
  readonly #clock: Clock
  readonly #expired: (batch: Batch, lane: Lane) => void
  readonly #byAge: Map<Batch, Lane> = new Map()
  readonly #pieces: Map<Batch, Lane> = new Map()
  #cancel: (() => void) | null = null

  constructor(clock: Clock, expired: (batch: Batch, lane: Lane) => void) {
    this.#clock = clock
    this.#expired = expired
  }

  get size(): number {
    return this.#byAge.size + this.#pieces.size
  }

  add(batch: Batch, lane: Lane): void {
    this.#byAge.set(batch, lane)
    this.#arm(batch.deadlineMs)
  }

  addPiece(batch: Batch, lane: Lane): void {
    this.#pieces.set(batch, lane)
  }

  delete(batch: Batch): void {
    if (!this.#byAge.delete(batch)) this.#pieces.delete(batch)
  }

  /** All that are left, for whoever has to end them. */
  entries(): [Batch, Lane][] {
    return [...this.#byAge, ...this.#pieces]
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #arm(atMs: number): void {
    if (this.#cancel !== null || atMs === Number.POSITIVE_INFINITY) return
    this.#cancel = this.#clock.at(atMs, () => {
      this.#cancel = null
      this.#strike()
    })
  }

  #strike(): void {
    const nowMs = this.#clock.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const [batch, lane] of [...this.#pieces]) {
      if (batch.deadlineMs <= nowMs) this.#expired(batch, lane)
      else nextMs = Math.min(nextMs, batch.deadlineMs)
    }
    for (const [batch, lane] of this.#byAge) {
      if (batch.deadlineMs > nowMs) {
        nextMs = Math.min(nextMs, batch.deadlineMs)
        break
      }
      this.#expired(batch, lane)
    }
    this.#arm(nextMs)
  }
}
