/**
 * A group that we do not run, seen through the brokers alone: what it has committed, the maps in its commits, where the logs
 * end. What runs, waits or is queued there, nobody outside can know: an offset is finished or it is not.
 */
import { FanlaneError } from '../errors.ts'
import { decodeMap } from '../kernel/offset-map/index.ts'
import { StripPainter } from '../kernel/strip.ts'
import type { Clock } from '../ports/clock.ts'
import type { Action, BlockingFrame, ConfigAnswer, PartitionFrame } from './frames.ts'
import {
  type Answer,
  type Figures,
  heldFor,
  type Instance,
  NO_ANSWER,
  NO_FIGURES,
  NO_PROCESS,
  ordering,
  type Question,
} from './instance.ts'

/** The two things that are asked of an admin, and of which it has many more. */
export interface CommitReader {
  committed(group: string): Promise<readonly CommittedAt[]>
  /** Log ends, in the order of the question; null: the partition is gone. */
  logEnds(partitions: readonly CommittedAt[]): Promise<readonly (number | null)[]>
}

export interface CommittedAt {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly metadata: string
}

export interface OutsideParts {
  readonly group: string
  readonly reader: CommitReader
  readonly clock: Clock
  readonly stalledAfterMs: number
}

/** Several pages share what was read. */
const READ_EVERY_MS = 1_000
/** Commits are looked at over so many readings for a rate. */
const LOOKS = 10

interface Seen extends CommittedAt {
  readonly logEnd: number
  readonly runs: readonly number[]
  readonly encoding: string
  readonly finished: number
  /** When this position was seen first. */
  readonly sinceMs: number
}

interface Reading {
  readonly atMs: number
  readonly seen: readonly Seen[]
}

export class OutsideInstance implements Instance {
  readonly #parts: OutsideParts
  #reading: Promise<Reading> | null = null
  #last: Reading | null = null
  #problem: string | null = null
  readonly #totals: { readonly atMs: number; readonly finished: number }[] = []

  constructor(parts: OutsideParts) {
    this.#parts = parts
  }

  get group(): string {
    return this.#parts.group
  }

  async look(question: Question): Promise<readonly Answer[]> {
    const reading = await this.#fresh()
    return [this.#answer(question, reading)]
  }

  act(_action: Action): Promise<boolean> {
    return Promise.reject(
      new FanlaneError(
        'ACTION_REFUSED',
        'This group is only watched: open the dashboard of one of its processes to steer it.',
      ),
    )
  }

  config(): Promise<ConfigAnswer | null> {
    return Promise.resolve(null)
  }

  async #fresh(): Promise<Reading> {
    const { clock } = this.#parts
    const last = this.#last
    if (last !== null && clock.now() - last.atMs < READ_EVERY_MS) return last
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<Reading> {
    const { reader, group, clock } = this.#parts
    try {
      const committed = await reader.committed(group)
      const ends = await reader.logEnds(committed)
      const atMs = clock.now()
      const before = new Map(this.#last?.seen.map((each) => [nameOf(each), each]))
      const seen = committed.flatMap((each, at): Seen[] => {
        const logEnd = ends[at]
        return logEnd === null || logEnd === undefined ? [] : [seenAt(each, logEnd, before.get(nameOf(each)), atMs)]
      })
      this.#problem = null
      this.#last = { atMs, seen }
      this.#totals.push({ atMs, finished: seen.reduce((sum, { offset, finished }) => sum + offset + finished, 0) })
      if (this.#totals.length > LOOKS) this.#totals.shift()
      return this.#last
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      return { atMs: clock.now(), seen: this.#last?.seen ?? [] }
    }
  }

  #answer({ sort, find, from, count, cells }: Question, { atMs, seen }: Reading): Answer {
    const order = ordering(sort)
    const wanted = find.toLowerCase()
    const found = seen
      .filter((each) => wanted === '' || nameOf(each).toLowerCase().includes(wanted))
      .map((each) => ({ each, by: this.#orderOf(each, atMs) }))
      .sort((a, b) => order(a.by, b.by))
    const shown = found.slice(0, from + count)
    const figures = this.#figures(seen, atMs)
    return {
      ...NO_ANSWER,
      instance: {
        ...NO_PROCESS,
        id: 'outside',
        name: 'seen from outside',
        state: this.#problem === null ? 'up' : 'silent',
        at: this.#last?.atMs ?? 0,
        partitions: seen.length,
        finishedPerSecond: figures.rates.finished,
        problem: this.#problem,
      },
      figures,
      partitions: shown.map(({ each }) => this.#frame(each, atMs, cells)),
      total: found.length,
    }
  }

  #orderOf(seen: Seen, atMs: number) {
    const { topic, partition, finished, sinceMs } = seen
    const heldForMs = finished === 0 && lagOf(seen) === 0 ? -1 : heldFor(atMs - sinceMs)
    return { topic, partition, lag: lagOf(seen), heldForMs }
  }

  #figures(seen: readonly Seen[], atMs: number): Figures {
    const [first, last] = [this.#totals[0], this.#totals.at(-1)]
    const overMs = (last?.atMs ?? 0) - (first?.atMs ?? 0)
    const finished = overMs === 0 ? 0 : (((last?.finished ?? 0) - (first?.finished ?? 0)) * 1_000) / overMs
    return {
      ...NO_FIGURES,
      partitions: seen.length,
      stalled: seen.filter((each) => this.#blocking(each, atMs)?.stalled === true).length,
      rates: { ...NO_FIGURES.rates, finished: Math.max(0, finished) },
      lag: seen.reduce((sum, each) => sum + lagOf(each), 0),
    }
  }

  /** Something holds it back if later records are finished; without a map nobody can tell from outside. */
  #blocking({ offset, finished, sinceMs }: Seen, atMs: number): BlockingFrame | null {
    if (finished === 0) return null
    const forMs = atMs - sinceMs
    return {
      offset,
      key: null,
      forMs,
      doing: 'unfinished',
      detail: `not finished, while ${finished} after it are`,
      attempt: 0,
      nextAttemptAt: null,
      why: null,
      stalled: forMs >= this.#parts.stalledAfterMs,
    }
  }

  #frame(seen: Seen, atMs: number, cells: number): PartitionFrame {
    const { topic, partition, offset, metadata, logEnd, runs, encoding, finished } = seen
    return {
      topic,
      partition,
      instance: '',
      state: 'outside',
      position: offset,
      committed: offset,
      logEnd,
      lag: lagOf(seen),
      lagMs: null,
      gap: finished,
      queued: 0,
      inFlight: 0,
      map: { chars: metadata.length, limit: 4_096, encoding, entries: runs.length / 2, truncated: 0 },
      paused: [],
      blocking: this.#blocking(seen, atMs),
      strip: stripOf(seen, Math.max(1, cells)),
    }
  }
}

function seenAt(at: CommittedAt, logEnd: number, before: Seen | undefined, nowMs: number): Seen {
  const decoded = decodeMap(at.offset, at.metadata)
  const runs = decoded.kind === 'map' ? decoded.runs : []
  let finished = 0
  for (let run = 1; run < runs.length; run += 2) finished += runs[run] ?? 0
  return {
    ...at,
    logEnd,
    runs,
    encoding: decoded.kind === 'map' ? decoded.encoding : decoded.kind,
    finished,
    sinceMs: before?.offset === at.offset ? before.sinceMs : nowMs,
  }
}

function lagOf({ logEnd, offset }: Seen): number {
  return Math.max(0, logEnd - offset)
}

function stripOf({ offset, runs, logEnd }: Seen, cellsMax: number) {
  const readTo = runs.reduce((end, run) => end + run, offset)
  const painter = new StripPainter({ committed: offset, readTo, logStart: 0, logEnd, cellsMax })
  let cursor = offset
  for (const [at, run] of runs.entries()) {
    if (at % 2 === 0) painter.paint(cursor, cursor + run, 'u')
    cursor += run
  }
  return painter.strip()
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}-${partition}`
}
