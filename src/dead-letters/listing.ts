/**
 * Letters, newest first, a page at a time. Each partition is read backwards in small stretches, and only as far as the page
 * needs; of what is read, payloads are dropped at once. A page is bounded in what it reads: with a filter that finds little it
 * may come back short, or empty, and say where to go on.
 */
import { OptionError } from '../errors.ts'
import { type Letter, letterOf } from './letter.ts'
import type { LogReader, Place } from './log-reader.ts'
import type { RedriveState } from './redrive-state.ts'

export interface Shelf extends Place {
  readonly start: number
  readonly end: number
  readonly state: RedriveState
}

export interface Page {
  readonly letters: readonly Letter[]
  readonly before: string | null
}

/** What one page may read from brokers before it comes back with what it has. */
const READ_MAX_BYTES = 64 * 2 ** 20
const STRETCH_LEAST = 5
const STRETCH_MAX = 4_096

export async function page(
  reader: LogReader,
  shelves: readonly Shelf[],
  count: number,
  before: string | undefined,
  isWanted: (letter: Letter) => boolean,
): Promise<Page> {
  const marks = before === undefined ? new Map<string, number>() : readCursor(before)
  const stretch = Math.max(STRETCH_LEAST, Math.ceil(count / Math.max(1, shelves.length)) + 2)
  const backs = shelves.map(
    (shelf) => new Backwards(reader, shelf, marks.get(nameOf(shelf)) ?? shelf.end, stretch, isWanted),
  )
  const letters: Letter[] = []
  while (letters.length < count) {
    const bytes = backs.reduce((sum, each) => sum + each.bytes, 0)
    if (bytes > READ_MAX_BYTES) break
    const hungry = backs.filter((each) => each.isHungry)
    if (hungry.length > 0) {
      for (const each of hungry) await each.feed()
      continue
    }
    const newest = newestOf(backs)
    if (newest === null) break
    letters.push(newest.take())
  }
  const isOver = backs.every((each) => each.isOver)
  return { letters, before: isOver ? null : writeCursor(backs) }
}

function newestOf(backs: readonly Backwards[]): Backwards | null {
  let best: Backwards | null = null
  for (const each of backs) {
    if (each.head !== undefined && (best?.head === undefined || each.head.at > best.head.at)) best = each
  }
  return best
}

/** One partition, from its end to its beginning. */
class Backwards {
  readonly shelf: Shelf
  readonly #reader: LogReader
  readonly #isWanted: (letter: Letter) => boolean
  /** Newest last, so that taking is cheap. */
  #waiting: Letter[] = []
  /** Everything from here on has been looked at. */
  #looked: number
  #stretch: number
  bytes = 0

  constructor(reader: LogReader, shelf: Shelf, from: number, stretch: number, isWanted: (letter: Letter) => boolean) {
    this.shelf = shelf
    this.#reader = reader
    this.#looked = Math.min(from, shelf.end)
    this.#stretch = stretch
    this.#isWanted = isWanted
  }

  get head(): Letter | undefined {
    return this.#waiting.at(-1)
  }

  get isHungry(): boolean {
    return this.#waiting.length === 0 && this.#looked > this.shelf.start
  }

  get isOver(): boolean {
    return this.#waiting.length === 0 && this.#looked <= this.shelf.start
  }

  /** Where the next page begins. */
  get mark(): number {
    return this.head === undefined ? this.#looked : this.head.offset + 1
  }

  take(): Letter {
    const letter = this.#waiting.pop()
    if (letter === undefined) throw new RangeError('there is no letter to take')
    return letter
  }

  async feed(): Promise<void> {
    const { start, state } = this.shelf
    const to = this.#looked
    const from = Math.max(start, to - this.#stretch)
    for (let next = from; next < to; ) {
      const read = await this.#reader.read(this.shelf, next, to)
      this.bytes += read.bytes
      for (const record of read.records) {
        const letter = letterOf(record, state.isDone(record.offset))
        if (this.#isWanted(letter)) this.#waiting.push(letter)
      }
      next = read.next
    }
    this.#looked = from
    // Nothing there, or nothing that is wanted: look further at once the next time.
    if (this.#waiting.length === 0) this.#stretch = Math.min(STRETCH_MAX, this.#stretch * 4)
  }
}

const CURSOR_MAX_CHARS = 1_000_000

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`
}

function writeCursor(backs: readonly Backwards[]): string {
  const marks = backs.map(({ shelf, mark }) => [nameOf(shelf), mark])
  return Buffer.from(JSON.stringify(marks)).toString('base64url')
}

function readCursor(text: string): Map<string, number> {
  try {
    if (text.length > CURSOR_MAX_CHARS) throw new RangeError('too long')
    const marks: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(marks)) throw new TypeError('no list')
    return new Map(
      marks.map((each: unknown) => {
        const [name, mark] = each as [unknown, unknown]
        if (typeof name !== 'string' || !Number.isSafeInteger(mark) || (mark as number) < 0)
          throw new TypeError('no mark')
        return [name, mark as number]
      }),
    )
  } catch {
    const message = "'before' is not one that list() gave: pass it on as it came, or leave it out to begin again."
    throw new OptionError('CURSOR_INVALID', 'before', message)
  }
}
