/** Numbers of several rounds in few: the median and how far apart they were. These machines are noisy, so never one without the other. */

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly rounds: number
}

/** Null: there was nothing to sum up. Of an even number of values, the lower of the two in the middle: one that was measured. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b)
  const [min, max] = [sorted[0], sorted.at(-1)]
  // Of an even number, half-way between the two in the middle: the lower one would flatter whatever should be small.
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  if (below === undefined || above === undefined || min === undefined || max === undefined) return null
  return { median: (below + above) / 2, min, max, rounds: sorted.length }
}

/** The value that so large a share (0 to 1) does not exceed. `sorted` rises. */
export function percentile(sorted: readonly number[] | Float64Array, share: number): number {
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[index] ?? Number.NaN
}

/** Round by round, so that a slow minute of the machine hits both. Rounds in which either failed are left out. */
export function ratioOf(ours: readonly (number | null)[], theirs: readonly (number | null)[]): Spread | null {
  return spreadOf(
    ours.flatMap((own, round) => {
      const other = theirs[round]
      return own === null || other === null || other === undefined || other === 0 ? [] : [own / other]
    }),
  )
}

const digitsOf = (value: number): number => {
  const size = Math.abs(value)
  if (size >= 100 || Number.isInteger(value)) return 0
  return size >= 10 ? 1 : 2
}

/** Three digits that matter, with thousands set apart. */
export const shown = (value: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: 0, maximumFractionDigits: digitsOf(value) })

export function shownSpread(spread: Spread | null): string {
  if (spread === null) return '–'
  const { median, min, max, rounds } = spread
  return rounds === 1 ? shown(median) : `${shown(median)} (${shown(min)}–${shown(max)})`
}
