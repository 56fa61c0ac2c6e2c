/**
 * Finds the lane of a key by its hash: open addressing over one typed array, so that a search touches one line of memory.
 *
 * A `Map` of strings cost more than all the rest of the control plane: the key of every record is a string of its own, whose
 * hash has to be computed and whose characters have to be compared, each somewhere else in memory.
 *
 * Whoever finds many keys that begin at one place makes searches long; they stay bounded, as the number of lanes is.
 */

/** Two numbers of the hash, and the lane + 1: zero ends a search. The fourth makes it a power of two. */
const WIDTH = 4
const LANE = 2
const FIRST_PLACES = 16

export class LaneTable {
  #cells: Int32Array = new Int32Array(FIRST_PLACES * WIDTH)
  #mask = FIRST_PLACES - 1
  size = 0

  /** The lane, or −1. */
  get(a: number, b: number): number {
    const cells = this.#cells
    const mask = this.#mask
    for (let place = a & mask; ; place = (place + 1) & mask) {
      const at = place * WIDTH
      const lane = cells[at + LANE]!
      if (lane === 0 || (cells[at] === a && cells[at + 1] === b)) return lane - 1
    }
  }

  /** A hash that is not there yet. */
  add(a: number, b: number, lane: number): void {
    if (++this.size * 2 > this.#mask) this.#rebuild((this.#mask + 1) * 2, all)
    this.#put(a, b, lane + 1)
  }

  /** Drops all others. */
  keep(isWanted: (lane: number) => boolean): void {
    let left = 0
    for (const lane of this) if (isWanted(lane)) left++
    this.size = left
    let places = FIRST_PLACES
    while (places <= left * 2 + 1) places *= 2
    this.#rebuild(places, isWanted)
  }

  clear(): void {
    this.size = 0
    this.#rebuild(FIRST_PLACES, none)
  }

  *[Symbol.iterator](): Generator<number> {
    const cells = this.#cells
    for (let at = LANE; at < cells.length; at += WIDTH) if (cells[at] !== 0) yield cells[at]! - 1
  }

  #put(a: number, b: number, lane: number): void {
    const cells = this.#cells
    let place = a & this.#mask
    while (cells[place * WIDTH + LANE] !== 0) place = (place + 1) & this.#mask
    const at = place * WIDTH
    cells[at] = a
    cells[at + 1] = b
    cells[at + LANE] = lane
  }

  #rebuild(places: number, isWanted: (lane: number) => boolean): void {
    const cells = this.#cells
    this.#cells = new Int32Array(places * WIDTH)
    this.#mask = places - 1
    for (let at = 0; at < cells.length; at += WIDTH) {
      const lane = cells[at + LANE]!
      if (lane !== 0 && isWanted(lane - 1)) this.#put(cells[at]!, cells[at + 1]!, lane)
    }
  }
}

const all = (): boolean => true
const none = (): boolean => false
