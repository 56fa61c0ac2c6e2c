/**
 * Timers of slots (retries, handler time-outs), earliest first: a binary heap over typed arrays.
 *
 * Entries are never searched for and removed. A slot's stamp changes when its timer becomes void, and an entry whose
 * stamp is old is dropped when it surfaces, or all at once when more than half of the heap is stale.
 */
import type { Slots } from './slots.ts'

export class DueQueue {
  readonly #slots: Slots
  #due: Float64Array = new Float64Array(16)
  #slot: Int32Array = new Int32Array(16)
  #stamp: Int32Array = new Int32Array(16)
  #size = 0

  constructor(slots: Slots) {
    this.#slots = slots
  }

  get size(): number {
    return this.#size
  }

  push(slot: number, dueMs: number): void {
    if (this.#size === this.#due.length) this.#makeRoom()
    this.#rise(this.#size++, slot, dueMs, this.#slots.stamp[slot]!)
  }

  /** The earliest valid time, or Infinity. */
  nextDue(): number {
    this.#dropStale()
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#due[0]!
  }

  /** A slot whose time has come, or -1. Its stamp is left alone. */
  popDue(nowMs: number): number {
    this.#dropStale()
    if (this.#size === 0 || this.#due[0]! > nowMs) return -1
    const slot = this.#slot[0]!
    this.#removeTop()
    return slot
  }

  #dropStale(): void {
    while (this.#size > 0 && this.#slots.stamp[this.#slot[0]!] !== this.#stamp[0]) this.#removeTop()
  }

  /** Place an entry at `at`, moving later ones down: the way up of a binary heap. */
  #rise(at: number, slot: number, due: number, stamp: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#due[parent]! <= due) break
      this.#move(parent, at)
      at = parent
    }
    this.#due[at] = due
    this.#slot[at] = slot
    this.#stamp[at] = stamp
  }

  #removeTop(): void {
    const last = --this.#size
    if (last === 0) return
    const due = this.#due[last]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) break
      if (child + 1 < last && this.#due[child + 1]! < this.#due[child]!) child++
      if (this.#due[child]! >= due) break
      this.#move(child, at)
      at = child
    }
    this.#due[at] = due
    this.#slot[at] = this.#slot[last]!
    this.#stamp[at] = this.#stamp[last]!
  }

  #move(from: number, to: number): void {
    this.#due[to] = this.#due[from]!
    this.#slot[to] = this.#slot[from]!
    this.#stamp[to] = this.#stamp[from]!
  }

  #makeRoom(): void {
    const due = this.#due
    const slot = this.#slot
    const stamp = this.#stamp
    const size = this.#size
    let live = 0
    for (let at = 0; at < size; at++) if (this.#slots.stamp[slot[at]!] === stamp[at]) live++
    const length = live * 2 > size ? due.length * 2 : due.length
    this.#due = new Float64Array(length)
    this.#slot = new Int32Array(length)
    this.#stamp = new Int32Array(length)
    this.#size = 0
    for (let at = 0; at < size; at++) {
      if (this.#slots.stamp[slot[at]!] === stamp[at]) this.#rise(this.#size++, slot[at]!, due[at]!, stamp[at]!)
    }
  }
}
