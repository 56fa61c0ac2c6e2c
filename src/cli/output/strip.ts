/**
 * An offset map as a picture: from the committed position to the end of what it knows, and a little of what comes after.
 * Every cell stands for the same number of offsets.
 */

export interface StripInput {
  readonly position: number
  readonly logEnd: number
  /** Alternating from the position on: unfinished, finished, unfinished … */
  readonly runs: readonly number[]
}

export interface Strip {
  readonly cells: string
  readonly from: number
  readonly to: number
  readonly perCell: number
}

export const signs = { finished: '█', most: '▓', some: '▒', none: '░', beyond: '·' } as const

/** How much of what the map does not know is shown behind it, as a share of it. */
const TAIL = 0.15

export function strip({ position, logEnd, runs }: StripInput, columns: number): Strip {
  const span = runs.reduce((sum, each) => sum + each, 0)
  const rest = Math.max(0, logEnd - position - span)
  const shown = span === 0 ? rest : span + Math.min(rest, Math.ceil(span * TAIL))
  if (shown === 0) return { cells: signs.finished.repeat(columns), from: position, to: position, perCell: 1 }
  const perCell = Math.max(1, Math.ceil(shown / Math.max(1, columns)))
  const count = Math.ceil(shown / perCell)
  let cells = ''
  for (let cell = 0; cell < count; cell++) {
    const from = cell * perCell
    const to = Math.min(shown, from + perCell)
    cells += from >= span ? signs.beyond : signOf(finishedWithin(runs, from, to) / (to - from))
  }
  return { cells, from: position, to: position + shown, perCell }
}

function signOf(share: number): string {
  if (share === 1) return signs.finished
  if (share >= 0.5) return signs.most
  return share > 0 ? signs.some : signs.none
}

/** Finished offsets between two places, counted from the position. */
function finishedWithin(runs: readonly number[], from: number, to: number): number {
  let at = 0
  let finished = 0
  for (const [index, length] of runs.entries()) {
    const end = at + length
    if (index % 2 === 1) finished += Math.max(0, Math.min(end, to) - Math.max(at, from))
    if (end >= to) break
    at = end
  }
  return finished
}
