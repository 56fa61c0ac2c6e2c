/** Sentences about what a partition waits for. The same words for the screen and for who listens to it. No DOM. */
import type { BlockingFrame, OverviewFrame, PartitionFrame, Strip } from '../frames.ts'
import { age, count, cut, duration, visible } from './format.ts'

export const nameOf = (at: { readonly topic: string; readonly partition: number }): string =>
  `${visible(at.topic)}-${at.partition}`

export interface Sentence {
  /** offset 1,041 */
  readonly offset: string
  /** As it came: whoever shows it cuts it. */
  readonly key: string | null
  /** has held this back for 12 s: waiting for attempt 3, due in 4 s */
  readonly rest: string
  readonly error: string | null
}

/** "offset 1,041 (key `acme`) has held this back for 12 s: waiting for attempt 3, due in 4 s: HttpError: 503", in parts. */
export function sentence(blocking: BlockingFrame, now: number): Sentence {
  const what = doing(blocking, now)
  return {
    offset: `offset ${count(blocking.offset)}`,
    key: blocking.key,
    rest: isHeld(blocking) ? `has held this back for ${age(blocking.forMs)}: ${what}` : `is next: ${what}`,
    error: blocking.why,
  }
}

function doing(blocking: BlockingFrame, now: number): string {
  const { attempt, nextAttemptAt } = blocking
  const detail = readable(blocking.detail)
  switch (blocking.doing) {
    case 'waiting': {
      if (nextAttemptAt === null) return detail
      const dueMs = nextAttemptAt - now
      const due = dueMs > 500 ? `due in ${age(dueMs)}` : 'due now'
      // The attempts that failed are counted; the one it waits for comes after them.
      return detail === 'waiting' ? `waiting for attempt ${attempt + 1}, ${due}` : `${detail}, ${due}`
    }
    case 'running':
      return `${detail}${attempt > 1 ? `, attempt ${attempt}` : ''}`
    case 'queued':
      return detail === '' ? 'queued' : detail
    case 'unfinished':
      return 'not finished, as far as its group has committed'
  }
}

/** "running for 23530 ms" as people say it. */
const readable = (detail: string): string =>
  visible(detail).replace(/\bfor (\d+) ms\b/, (_, ms: string) => `for ${duration(Number(ms))}`)

/** Below that, a record is not in anybody's way: it is just the first one. One that failed and waits is sooner. */
const heldAfterMs = 1_000
const waitingAfterMs = 300

export const isHeld = (blocking: BlockingFrame | null): blocking is BlockingFrame =>
  blocking !== null &&
  (blocking.stalled || blocking.forMs >= (blocking.doing === 'waiting' ? waitingAfterMs : heldAfterMs))

/** The sentence as one string, for titles and for listening. */
export function said(blocking: BlockingFrame, now: number): string {
  const { offset, key, rest, error } = sentence(blocking, now)
  return `${offset}${key === null ? '' : ` (key ${cut(key)})`} ${rest}${error === null ? '' : `: ${cut(error, 160)}`}`
}

export type CellState = 'c' | 'f' | 'r' | 'w' | 'q' | 'u'

export const stateNames: Readonly<Record<CellState, string>> = {
  c: 'committed',
  f: 'finished, not committed',
  r: 'running',
  w: 'waiting for retry',
  q: 'queued',
  u: 'not read yet',
}

export const isCellState = (letter: string): letter is CellState => letter in stateNames

/** The range of offsets of a cell, the last one included. */
export function cellRange(strip: Strip, cell: number): readonly [number, number] {
  const first = strip.from + cell * strip.perCell
  return [first, Math.max(first, Math.min(strip.to, first + strip.perCell) - 1)]
}

export function cellWords(strip: Strip, cell: number): string {
  const [first, last] = cellRange(strip, cell)
  const letter = strip.cells[cell] ?? 'u'
  const name = isCellState(letter) ? stateNames[letter] : 'not known'
  const offsets = first === last ? `offset ${count(first)}` : `offsets ${count(first)}–${count(last)}`
  return first === last || letter === 'c' || letter === 'u' ? `${offsets}: ${name}` : `${offsets}: some ${name}`
}

/** Where a record is on the strip; -1: not on it. */
export function cellOf(strip: Strip, offset: number): number {
  if (offset < strip.from || offset >= strip.to || strip.perCell <= 0) return -1
  const cell = Math.floor((offset - strip.from) / strip.perCell)
  return cell < strip.cells.length ? cell : -1
}

/** "orders-3: 120 finished after position, blocked at 1,041, running 3, queued 12" */
export function stripLabel(partition: PartitionFrame): string {
  const { blocking, gap, inFlight, queued, lag } = partition
  const parts = [
    `${count(gap)} finished after position ${count(partition.position)}`,
    blocking === null ? 'nothing blocks' : `blocked at ${count(blocking.offset)}`,
    `running ${count(inFlight)}`,
    `queued ${count(queued)}`,
    `${count(lag)} behind`,
  ]
  return `${nameOf(partition)}: ${parts.join(', ')}`
}

/** Reasons of pauses, as a user would put them. */
export const pauseWords: Readonly<Record<string, string>> = {
  backpressure: 'enough in flight: reads on when handlers have caught up',
  'map-full': 'the offset map is full: reads on when the blocking record has ended',
  user: 'paused by hand',
  parked: 'a parked key has filled its share: release it, or redrive its letters',
}

export type Trend = 'rising' | 'falling' | 'steady'

/** Compares with about a minute ago; what changes by less than a twentieth is steady. */
export function trendOf(now: number, before: number): Trend {
  const change = now - before
  if (Math.abs(change) <= Math.max(5, before * 0.05)) return 'steady'
  return change > 0 ? 'rising' : 'falling'
}

export interface Health {
  readonly mood: 'good' | 'busy' | 'bad'
  readonly headline: string
}

/** The first line of the first page: is it healthy? */
export function healthOf(overview: OverviewFrame, silent: number): Health {
  const { partitions, stalled, parked, lag } = overview
  if (stalled > 0) {
    return {
      mood: 'bad',
      headline: `${count(stalled)} of ${things(partitions, 'partition')} ${stalled === 1 ? 'is' : 'are'} held back`,
    }
  }
  if (silent > 0)
    return { mood: 'bad', headline: `${things(silent, 'instance')} ${silent === 1 ? 'does' : 'do'} not answer` }
  if (partitions === 0) return { mood: 'busy', headline: 'No partition is assigned' }
  if (parked > 0)
    return {
      mood: 'busy',
      headline: `All partitions move, but ${things(parked, 'key')} ${parked === 1 ? 'is' : 'are'} parked`,
    }
  const users = overview.paused.user ?? 0
  if (users > 0) return { mood: 'busy', headline: `${things(users, 'partition')} paused by hand` }
  if (lag === 0) return { mood: 'good', headline: 'Healthy: everything is finished' }
  return {
    mood: 'good',
    headline: `Healthy: ${partitions === 1 ? 'the partition moves' : `all ${count(partitions)} partitions move`}`,
  }
}

export const things = (many: number, thing: string): string => `${count(many)} ${thing}${many === 1 ? '' : 's'}`

/** What is paused, in words; empty: nothing is. */
export function pausesOf(paused: Readonly<Record<string, number>>): string[] {
  return Object.entries(paused)
    .filter(([, many]) => many > 0)
    .map(([reason, many]) => `${things(many, 'partition')}: ${pauseWords[reason] ?? visible(reason)}`)
}

/** 240 ms, or – */
export const maybe = (ms: number | null | undefined): string => (ms === null || ms === undefined ? '–' : duration(ms))
