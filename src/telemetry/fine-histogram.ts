/**
 * Durations in fine buckets, each a quarter wider than the one before: percentiles of a few per cent, whatever their range.
 * For the dashboard, which looks at the last seconds; the coarse one is what metrics are made of.
 */

const FIRST_MS = 0.05
const RATIO = 1.25
const LOG_RATIO = Math.log(RATIO)
/** 0.05 ms to about 80 minutes. */
const BUCKETS = 82

/** How often a window is cut, and how many pieces it has: the last ten seconds. */
const PIECE_MS = 1_000
const PIECES = 10

export class FineHistogram {
  readonly #counts: Float64Array = new Float64Array(BUCKETS)
  /** What the counts were, at most once a second. */
  readonly #before: { readonly atMs: number; readonly counts: Float64Array }[] = []

  record(ms: number): void {
    const at = ms <= FIRST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / FIRST_MS) / LOG_RATIO))
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  /** Counts of the last ten seconds, or since somebody looked first. */
  recent(nowMs: number): readonly number[] {
    const before = this.#before
    if (nowMs - (before.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= PIECE_MS) {
      before.push({ atMs: nowMs, counts: this.#counts.slice() })
      while (before.length > 1 && (before[1]?.atMs ?? nowMs) <= nowMs - PIECES * PIECE_MS) before.shift()
    }
    const counts = [...this.#counts]
    const since = before[0]?.counts ?? []
    for (let at = 0; at < since.length; at++) counts[at] = (counts[at] ?? 0) - (since[at] ?? 0)
    return counts
  }
}

/** Within its bucket a duration is taken to be in the (geometric) middle. */
export function fineQuantile(counts: readonly number[], quantile: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (let at = 0; at < counts.length; at++) {
    below += counts[at] ?? 0
    if (below >= total * quantile && below > 0) return at === 0 ? FIRST_MS : FIRST_MS * RATIO ** (at - 0.5)
  }
  return 0
}
