/**
 * (epoch, offset) → slot, by open addressing.
 *
 * Completions name their record by lease epoch and offset. A `Map` keyed by either would box doubles or build strings
 * for every record; this table is one Int32Array that is compared against the slot columns. Deletion shifts back, so
 * there are no tombstones and the cost does not creep up over billions of records.
 */
import { NONE, type Slots } from './slots.ts'

const GOLDEN = 0x9e3779b1
const MIX = 0x85ebca6b

export class SlotIndex {
  readonly #slots: Slots
  /** Slot + 1; 0 = empty. At most half full. */
  #table: Int32Array
  #shift: number
  #mask: number
  #used = 0

  constructor(slots: Slots) {
    this.#slots = slots
    const bits = bitsFor(slots.capacity)
    this.#table = new Int32Array(1 << bits)
    this.#shift = 32 - bits
    this.#mask = (1 << bits) - 1
  }

  add(slot: number): void {
    if (this.#used * 2 >= this.#table.length) this.#rebuild()
    const slots = this.#slots
    let at = this.#home(slots.epoch[slot]!, slots.offset[slot]!)
    while (this.#table[at] !== 0) at = (at + 1) & this.#mask
    this.#table[at] = slot + 1
    this.#used++
  }

  find(epoch: number, offset: number): number {
    const { offset: offsets, epoch: epochs } = this.#slots
    let at = this.#home(epoch, offset)
    for (;;) {
      const slot = this.#table[at]! - 1
      if (slot < 0) return NONE
      if (offsets[slot] === offset && epochs[slot] === epoch) return slot
      at = (at + 1) & this.#mask
    }
  }

  remove(slot: number): void {
    const table = this.#table
    const mask = this.#mask
    const { epoch, offset } = this.#slots
    let hole = this.#home(epoch[slot]!, offset[slot]!)
    while (table[hole] !== slot + 1) hole = (hole + 1) & mask
    // Move later entries of the same cluster back into the hole, unless that would put them before their home.
    for (let at = (hole + 1) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const other = table[at]! - 1
      const home = this.#home(epoch[other]!, offset[other]!)
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        table[hole] = other + 1
        hole = at
      }
    }
    table[hole] = 0
    this.#used--
  }

  get size(): number {
    return this.#used
  }

  #home(epoch: number, offset: number): number {
    return Math.imul((offset | 0) ^ Math.imul(epoch | 0, MIX), GOLDEN) >>> this.#shift
  }

  #rebuild(): void {
    const old = this.#table
    const bits = bitsFor(old.length)
    this.#table = new Int32Array(1 << bits)
    this.#shift = 32 - bits
    this.#mask = (1 << bits) - 1
    this.#used = 0
    for (const entry of old) if (entry !== 0) this.add(entry - 1)
  }
}

/** Room for twice as many, as a power of two. */
function bitsFor(entries: number): number {
  return Math.max(4, 33 - Math.clz32(Math.max(1, entries - 1)))
}
