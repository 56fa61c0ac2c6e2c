/**
 * The map in memory: alternating run lengths [unfinished, finished, unfinished, finished, …] from the commit position
 * on. It starts with an unfinished run and ends with a finished one.
 */
export type Runs = ArrayLike<number>

/**
 * What is left of the runs after the first finished ones were given up: `head` is the unfinished run that swallowed
 * them, and `from` is its place. A view, because the size guard tries many cuts of a long array and must not copy it.
 */
export interface Tail {
  readonly runs: Runs
  readonly from: number
  readonly head: number
  /** Offsets from the commit position to the last finished one, both ends included. */
  readonly span: number
}

/** A decoder in our hand never builds more runs than this, whatever a hostile text claims. */
export const RUNS_MAX: number = 2 ** 20

export function runAt(tail: Tail, index: number): number {
  return index === tail.from ? tail.head : (tail.runs[index] ?? 0)
}

export function runCount(tail: Tail): number {
  return tail.runs.length - tail.from
}

/** What is wrong with these runs, or null. */
export function faultIn(base: number, runs: Runs): string | null {
  if (!Number.isSafeInteger(base) || base < 0) return `base ${base} is not an offset`
  if (runs.length % 2 !== 0) return 'the last run must be a finished one'
  let end = base
  for (let i = 0; i < runs.length; i++) {
    const length = runs[i] ?? 0
    if (!Number.isSafeInteger(length) || length < 1) return `run ${i} has length ${length}`
    end += length
    if (end > Number.MAX_SAFE_INTEGER) return `run ${i} ends past the last safe offset`
  }
  return null
}

export function wholeMap(runs: Runs): Tail {
  let span = 0
  for (let i = 0; i < runs.length; i++) span += runs[i] ?? 0
  return { runs, from: 0, head: runs[0] ?? 0, span }
}

/** Gives up the `count` oldest finished runs: they become part of the unfinished run in front. */
export function withoutOldest(whole: Tail, count: number): Tail {
  const from = whole.from + 2 * count
  let head = whole.head
  for (let i = whole.from + 1; i <= from; i++) head += runAt(whole, i)
  return { runs: whole.runs, from, head, span: whole.span }
}

export function finishedIn(tail: Tail): number {
  let finished = 0
  for (let i = tail.from + 1; i < tail.runs.length; i += 2) finished += runAt(tail, i)
  return finished
}
