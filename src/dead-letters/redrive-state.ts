/**
 * How far a dead-letter topic has been redriven, partition by partition: a position, and letters after it that went alone. It is
 * kept where every consumer keeps such things, as committed offset and offset map, in a group of its own; so it is committed
 * in the same transaction as what was redriven, and no letter goes twice.
 *
 * A value, not an object that changes: what is not committed leaves no trace.
 */
import { decodeMap, encodeMap } from '../kernel/offset-map/index.ts'

const MAP_MAX_CHARS = 4_000

/** Offsets [from, to). */
export interface Stretch {
  readonly from: number
  readonly to: number
}

export class RedriveState {
  readonly position: number
  /** Somebody else has written there: which letters went alone is not known. */
  readonly isUnreadable: boolean
  /** After the position, in order, apart from each other. */
  readonly #done: readonly Stretch[]

  private constructor(position: number, done: readonly Stretch[], isUnreadable = false) {
    this.position = position
    this.isUnreadable = isUnreadable
    this.#done = done
  }

  /** From what is committed. Where the log begins later than that, what is before it is gone. */
  static read(
    committed: { readonly offset: number | null; readonly metadata: string },
    logStart: number,
  ): RedriveState {
    const { offset, metadata } = committed
    if (offset === null) return new RedriveState(logStart, [])
    const map = decodeMap(offset, metadata)
    const state = new RedriveState(
      offset,
      map.kind === 'map' ? stretchesOf(offset, map.runs) : [],
      map.kind === 'ignored',
    )
    return logStart > offset ? state.with([{ from: offset, to: logStart }]) : state
  }

  isDone(offset: number): boolean {
    if (offset < this.position) return true
    // The last stretch that begins at or before it.
    let [low, high] = [0, this.#done.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#done[middle]?.from ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return offset < (this.#done[low - 1]?.to ?? 0)
  }

  /** With these as well, which are in order and apart. One pass, however many there are: a lot is added at once. */
  with(more: readonly Stretch[]): RedriveState {
    const merged: Stretch[] = []
    const add = ({ from, to }: Stretch): void => {
      const last = merged.at(-1)
      if (to <= Math.max(from, this.position)) return
      if (last === undefined || from > last.to) merged.push({ from: Math.max(from, this.position), to })
      else if (to > last.to) merged[merged.length - 1] = { from: last.from, to }
    }
    let at = 0
    for (const each of this.#done) {
      for (let next = more[at]; next !== undefined && next.from <= each.from; next = more[++at]) add(next)
      add(each)
    }
    for (let next = more[at]; next !== undefined; next = more[++at]) add(next)
    const [first] = merged
    if (first === undefined) return this
    return first.from <= this.position
      ? new RedriveState(first.to, merged.slice(1))
      : new RedriveState(this.position, merged)
  }

  /** For the commit; null: it does not fit, and leaving something out would redrive it again. */
  get metadata(): string | null {
    const runs: number[] = []
    let at = this.position
    for (const { from, to } of this.#done) {
      runs.push(from - at, to - from)
      at = to
    }
    return encodeMap(this.position, runs, { maxChars: MAP_MAX_CHARS, alphabet: 'wide', truncate: false })?.text ?? null
  }

  /** How many of [from, to) are not done. */
  left(from: number, to: number): number {
    const start = Math.max(from, this.position)
    if (to <= start) return 0
    const done = this.#done.reduce(
      (sum, each) => sum + Math.max(0, Math.min(to, each.to) - Math.max(start, each.from)),
      0,
    )
    return to - start - done
  }
}

function stretchesOf(position: number, runs: readonly number[]): Stretch[] {
  const stretches: Stretch[] = []
  let at = position
  for (const [index, length] of runs.entries()) {
    if (index % 2 === 1) stretches.push({ from: at, to: at + length })
    at += length
  }
  return stretches
}

/** The group that remembers it. */
export function redriveGroup(topic: string): string {
  return `fanlane-redrive.${topic}`
}
