/**
 * What is finished in one lease of one partition, and therefore what may be committed.
 *
 * Invariants
 * - `position` never goes back (P2), and every record below it is finished (I2).
 * - Only unfinished records are held, in offset order, in a list threaded through the slots. Everything else between
 *   the position and `admittedEnd` is finished or is a hole in the log. So ten million completions ahead of one
 *   straggler cost one list entry, and a hole can never stall the position: nobody waits for it.
 * - Position, finished runs and end are read in one synchronous call (`snapshot`). The JVM library reads them at
 *   different moments from two threads and loses records.
 */
import { asPosition, type Offset, type Position, positionAfter, positionAt } from './ids.ts'
import { JOINED, NONE, type Slots } from './slots.ts'

export interface TrackerSnapshot {
  readonly position: Position
  /** Alternating run lengths from the position on: unfinished, finished, unfinished, finished … Empty: no map. */
  readonly runs: readonly number[]
}

export class Tracker {
  readonly #slots: Slots
  /** The lowest unfinished record: what holds the position back. */
  head: number = NONE
  #tail: number = NONE
  /** How many records are unfinished. */
  unfinished = 0
  /** Everything below was admitted, was finished in an earlier lease, or is a hole. */
  admittedEnd: Position
  /** Finished ranges of an earlier lease that reading has not reached yet: start, end, start, end … */
  readonly #restored: readonly number[]
  #restoredNext = 0
  #nextOrdinal = 0

  constructor(slots: Slots, position: Position, restoredRuns: readonly number[]) {
    this.#slots = slots
    this.admittedEnd = position
    this.#restored = toRanges(position, restoredRuns)
    this.#passRestored()
  }

  get position(): Position {
    return this.head === NONE ? this.admittedEnd : positionAt(this.#slots.offsetOf(this.head))
  }

  /** Finished records after the position: what a restart without the map would run again. */
  get gap(): number {
    const between = this.head === NONE ? 0 : this.#nextOrdinal - this.#slots.ordinal[this.head]! - this.unfinished
    return between + this.#restoredOffsets()
  }

  /** Where the map of the earlier lease ends; below `admittedEnd` once reading has passed it. */
  get restoredEnd(): number {
    return this.#restored.length === 0 ? 0 : this.#restored[this.#restored.length - 1]!
  }

  /**
   * Reading has arrived at this record; what lies before it is a hole. False: it is finished already, or was seen
   * before, and must not run.
   */
  reach(offset: Offset): boolean {
    if (this.#restoredNext < this.#restored.length && offset > this.admittedEnd) this.advanceTo(positionAt(offset))
    return offset >= this.admittedEnd
  }

  /** Take a new record, with the highest offset so far. */
  admit(slot: number, offset: Offset): void {
    const slots = this.#slots
    slots.ordinal[slot] = this.#nextOrdinal++
    slots.older[slot] = this.#tail
    slots.newer[slot] = NONE
    if (this.#tail === NONE) this.head = slot
    else slots.newer[this.#tail] = slot
    this.#tail = slot
    this.unfinished++
    this.admittedEnd = positionAfter(offset)
    if (this.#restoredNext < this.#restored.length) this.#passRestored()
  }

  /** Nothing to run below this position: the rest of the batch is a hole. */
  advanceTo(position: Position): boolean {
    if (position <= this.admittedEnd) return false
    this.admittedEnd = position
    if (this.#restoredNext < this.#restored.length) this.#passRestored()
    return true
  }

  /** The record is finished. */
  settle(slot: number): void {
    const { older, newer } = this.#slots
    const before = older[slot]!
    const after = newer[slot]!
    if (before === NONE) this.head = after
    else newer[before] = after
    if (after === NONE) this.#tail = before
    else older[after] = before
    this.unfinished--
  }

  /** Unfinished records in offset order. */
  *unfinishedSlots(): Generator<number> {
    for (let slot = this.head; slot !== NONE; slot = this.#slots.newer[slot]!) yield slot
  }

  /** The slot of an unfinished record, or NONE. A walk: for what is rare. */
  find(offset: Offset): number {
    for (const slot of this.unfinishedSlots()) if (this.#slots.offset[slot] === offset) return slot
    return NONE
  }

  /** What a commit says: taken in one go, with no chance for anything to change in between. */
  snapshot(): TrackerSnapshot {
    const { offset, newer, state } = this.#slots
    const runs: number[] = []
    let position = NONE
    let cursor = 0
    let open = 0
    for (let slot = this.head; slot !== NONE; slot = newer[slot]!) {
      // In the transaction that carries this very snapshot: finished, if and only if the snapshot is stored.
      if (state[slot] === JOINED) continue
      const at = offset[slot]!
      if (position === NONE) {
        position = at
        cursor = at
      }
      if (at !== cursor) {
        runs.push(open, at - cursor)
        open = 0
      }
      open++
      cursor = at + 1
    }
    if (position === NONE) {
      position = this.admittedEnd
      cursor = position
    } else if (this.admittedEnd > cursor) {
      runs.push(open, this.admittedEnd - cursor)
      open = 0
      cursor = this.admittedEnd
    }
    // Finished in an earlier lease and not reached yet: forgetting these would run them again.
    for (let at = this.#restoredNext; at < this.#restored.length; at += 2) {
      const start = this.#restored[at]!
      const end = this.#restored[at + 1]!
      runs.push(open + start - cursor, end - start)
      open = 0
      cursor = end
    }
    return { position: asPosition(position), runs }
  }

  /** Ranges that an earlier lease finished and reading has not reached yet. */
  restoredAhead(range: (start: number, end: number) => void): void {
    for (let at = this.#restoredNext; at < this.#restored.length; at += 2) {
      range(this.#restored[at]!, this.#restored[at + 1]!)
    }
  }

  #restoredOffsets(): number {
    let offsets = 0
    for (let at = this.#restoredNext; at < this.#restored.length; at += 2) {
      offsets += this.#restored[at + 1]! - this.#restored[at]!
    }
    return offsets
  }

  /** Step over finished ranges that begin where reading has arrived. */
  #passRestored(): void {
    while (this.#restoredNext < this.#restored.length && this.#restored[this.#restoredNext]! <= this.admittedEnd) {
      const start = Math.max(this.admittedEnd, this.#restored[this.#restoredNext]!)
      const end = this.#restored[this.#restoredNext + 1]!
      this.#restoredNext += 2
      if (end <= start) continue
      this.#nextOrdinal += end - start
      this.admittedEnd = asPosition(end)
    }
  }
}

function toRanges(position: number, runs: readonly number[]): readonly number[] {
  const ranges: number[] = []
  let cursor = position
  for (let at = 0; at + 1 < runs.length; at += 2) {
    const start = cursor + runs[at]!
    const end = start + runs[at + 1]!
    ranges.push(start, end)
    cursor = end
  }
  return ranges
}
