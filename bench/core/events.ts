/**
 * What handlers did, as a file of plain words that contenders in any language can write: one word for each start and one for
 * each end, in the order in which they happened. A word is the record's id; its highest bit says "end". With times, eight bytes
 * follow it: nanoseconds of the machine's monotonic clock, as a little-endian float, the same clock for every process.
 */
import { readFileSync } from 'node:fs'

export const endBit = 0x8000_0000

export type EventsKind =
  /** A word is a start and an end at once: handlers that do nothing. */
  'seen' | 'started and ended' | 'timed'

export interface Events {
  readonly kind: EventsKind
  readonly words: Uint32Array
  /** Empty unless timed. */
  readonly timesNs: Float64Array
}

const timedBytes = 12

/** A process that was killed may have left half an event: it did not happen. */
export function readEvents(file: string, kind: EventsKind): Events {
  const bytes = readFileSync(file)
  const size = kind === 'timed' ? timedBytes : 4
  const count = Math.floor(bytes.length / size)
  const words = new Uint32Array(count)
  const timesNs = new Float64Array(kind === 'timed' ? count : 0)
  for (let at = 0; at < count; at++) {
    words[at] = bytes.readUInt32LE(at * size)
    if (kind === 'timed') timesNs[at] = bytes.readDoubleLE(at * size + 4)
  }
  return { kind, words, timesNs }
}

/** Events of processes that ran at the same time, in the order in which they happened. */
export function mergeTimed(lists: readonly Events[]): Events {
  const all = lists.flatMap(({ words, timesNs }) =>
    Array.from(words, (word, at) => ({ word, timeNs: timesNs[at] ?? 0 })),
  )
  all.sort((a, b) => a.timeNs - b.timeNs)
  return {
    kind: 'timed',
    words: Uint32Array.from(all, ({ word }) => word),
    timesNs: Float64Array.from(all, ({ timeNs }) => timeNs),
  }
}
