/**
 * A partition as a strip of cells, for people: what is committed, finished, running, waiting, queued, not read yet.
 *
 * A cell stands for one offset or for several. Then it shows the state that needs a look most, so that one record that holds
 * everything back is never hidden by the thousand finished ones around it.
 */
import type { Lease } from './lease.ts'
import {
  EXHAUSTING,
  FINISHED,
  HANDLED,
  JOINED,
  NONE,
  QUEUED,
  READY,
  RELEASED,
  type Slots,
  STAGED,
  WAITING,
} from './slots.ts'

export interface Strip {
  readonly from: number
  readonly to: number
  readonly perCell: number
  /** One letter for each cell, of `CELLS`. */
  readonly cells: string
}

/** Committed, finished, not read yet, queued, waiting, running: what comes later shows in a cell of several. */
const CELLS = 'cfuqwr'
type Cell = 'c' | 'f' | 'u' | 'q' | 'w' | 'r'
const LETTERS = [...CELLS].map((letter) => letter.charCodeAt(0))

/** Offsets that are shown at least: one cell alone tells nobody anything. */
const SPAN_MIN = 48
/** Of what is shown, how much is committed on the left and not read yet on the right. */
const CONTEXT = 1 / 12

export interface StripBounds {
  readonly committed: number
  /** Below, everything is finished, running, waiting or queued. */
  readonly readTo: number
  readonly logStart: number
  readonly logEnd: number
  readonly cellsMax: number
}

export class StripPainter {
  readonly #from: number
  readonly #to: number
  readonly #perCell: number
  readonly #cells: Uint8Array

  constructor({ committed, readTo, logStart, logEnd, cellsMax }: StripBounds) {
    const core = Math.max(0, readTo - committed)
    const context = Math.max(Math.ceil(core * CONTEXT), 1)
    const to = Math.max(readTo, Math.min(logEnd, readTo + context))
    const from = Math.max(Math.min(logStart, committed), Math.min(committed - context, to - SPAN_MIN))
    this.#perCell = Math.max(1, Math.ceil((to - from) / cellsMax))
    // Cells begin at multiples of their width, so that they stand still while time goes by.
    this.#from = Math.floor(from / this.#perCell) * this.#perCell
    this.#to = to
    this.#cells = new Uint8Array(Math.max(0, Math.ceil((to - this.#from) / this.#perCell)))
    this.paint(committed, readTo, 'f')
    this.paint(readTo, to, 'u')
  }

  /** The offsets from `start` up to and without `end`. */
  paint(start: number, end: number, cell: Cell): void {
    const cells = this.#cells
    const rank = CELLS.indexOf(cell)
    const first = Math.max(0, Math.floor((start - this.#from) / this.#perCell))
    const last = Math.min(cells.length - 1, Math.floor((end - 1 - this.#from) / this.#perCell))
    for (let at = first; at <= last; at++) if (cells[at]! < rank) cells[at] = rank
  }

  /** Over whatever is there. */
  repaint(start: number, end: number, cell: Cell): void {
    const rank = CELLS.indexOf(cell)
    const first = Math.max(0, Math.ceil((start - this.#from) / this.#perCell))
    const last = Math.min(this.#cells.length, Math.floor((end - this.#from) / this.#perCell))
    if (first < last) this.#cells.fill(rank, first, last)
  }

  strip(): Strip {
    const letters: number[] = []
    for (const rank of this.#cells) letters.push(LETTERS[rank]!)
    return {
      from: this.#from,
      to: this.#to,
      perCell: this.#perCell,
      cells: letters.length === 0 ? '' : String.fromCharCode(...letters),
    }
  }
}

export function stripOf(slots: Slots, lease: Lease, cellsMax: number): Strip {
  const { tracker, commit, logEnd } = lease
  const readTo = Math.max(tracker.admittedEnd, tracker.restoredEnd)
  const painter = new StripPainter({
    committed: Math.min(commit.acked ?? tracker.position, readTo),
    readTo,
    logStart: 0,
    logEnd: Math.max(logEnd, readTo),
    cellsMax,
  })
  // Between what is read and the end of an earlier lease's map, only what that map says is finished.
  painter.repaint(tracker.admittedEnd, tracker.restoredEnd, 'u')
  tracker.restoredAhead((start, end) => painter.repaint(start, end, 'f'))
  for (let slot = tracker.head; slot !== NONE; slot = slots.newer[slot]!) {
    const offset = slots.offset[slot]!
    const cell = cellOf(slots, slot)
    if (cell !== null) painter.paint(offset, offset + 1, cell)
  }
  return painter.strip()
}

function cellOf(slots: Slots, slot: number): Cell | null {
  switch (slots.state[slot]) {
    case STAGED:
    case QUEUED:
    case READY:
    case RELEASED:
      return 'q'
    case WAITING:
      return 'w'
    case EXHAUSTING:
      return Number.isFinite(slots.due[slot]!) ? 'w' : 'r'
    // Done by its handler; the next transaction, or an earlier record, is what it waits for.
    case HANDLED:
    case FINISHED:
    case JOINED:
      return null
    default:
      return 'r'
  }
}
