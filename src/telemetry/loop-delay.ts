/**
 * How late the event loop is, measured once for everybody in the process who asks: each beat wakes the process up, and two
 * monitors that beat 20 times a second took 0.4 % of a core.
 *
 * Every reader gets what happened since it read last. A piece that somebody else has read in between is kept for it: the largest
 * delay stays exact, the 99th percentile is the largest of the pieces, the median their mean by length. Node forgets the beat
 * that is under way when it starts anew; so nobody makes it do so all the time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const BEAT_MS = 100
/** Of a piece, before it is cut off. */
const BEATS_MIN = 5

export interface LoopDelays {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface Pieces {
  beats: number
  /** Of the medians, each times its beats. */
  medians: number
  p99Ms: number
  maxMs: number
}

const readers = new Set<LoopDelay>()
let monitor: ReturnType<typeof monitorEventLoopDelay> | null = null

export class LoopDelay {
  #pieces: Pieces = nothing()

  constructor() {
    // What came before is not ours.
    cut(1)
    readers.add(this)
    if (monitor !== null) return
    monitor = monitorEventLoopDelay({ resolution: BEAT_MS })
    monitor.enable()
  }

  /** Null: nothing was measured since, or not enough. */
  take(): LoopDelays | null {
    cut(BEATS_MIN)
    const { beats, medians, p99Ms, maxMs } = this.#pieces
    this.#pieces = nothing()
    return beats === 0 ? null : { p50Ms: medians / beats, p99Ms, maxMs }
  }

  add({ beats, medians, p99Ms, maxMs }: Pieces): void {
    const pieces = this.#pieces
    pieces.beats += beats
    pieces.medians += medians
    pieces.p99Ms = Math.max(pieces.p99Ms, p99Ms)
    pieces.maxMs = Math.max(pieces.maxMs, maxMs)
  }

  close(): void {
    readers.delete(this)
    if (readers.size > 0) return
    monitor?.disable()
    monitor = null
  }
}

/** What was measured goes to everybody, and measuring starts anew. */
function cut(beatsMin: number): void {
  if (monitor === null || monitor.count < beatsMin) return
  const beats = monitor.count
  const piece: Pieces = {
    beats,
    medians: late(monitor.percentile(50)) * beats,
    p99Ms: late(monitor.percentile(99)),
    maxMs: late(monitor.max),
  }
  monitor.reset()
  for (const reader of readers) reader.add(piece)
}

/** Node measures the time between two beats; what is above the beat itself is delay. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - BEAT_MS)
}

function nothing(): Pieces {
  return { beats: 0, medians: 0, p99Ms: 0, maxMs: 0 }
}
