/**
 * Writes down what handlers do, in the format of core/events.ts. The same few nanoseconds for every contender in Node; the file is
 * written when the clock has stopped, unless it has to survive a kill -9.
 */
import { openSync, writeFileSync, writeSync } from 'node:fs'
import { endBit } from '../../core/events.ts'
import { type Task, totalOf } from '../task.ts'

export class Ledger {
  readonly #events: Task['events']
  readonly #ended: Uint8Array
  readonly #all: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #fd: number | null
  readonly #event: Buffer
  #words: Uint32Array
  #timesNs: Float64Array
  #count = 0
  #left: number
  firstMs: number | null = null
  lastMs: number | null = null

  constructor({ events, ends }: Pick<Task, 'events' | 'ends'>) {
    const records = totalOf(ends)
    this.#events = events
    this.#ended = new Uint8Array(records)
    this.#left = records
    this.#fd = events.durable ? openSync(events.file, 'a') : null
    this.#event = Buffer.alloc(events.kind === 'timed' ? 12 : 4)
    const capacity = events.durable ? 0 : records * (events.kind === 'seen' ? 1 : 2) + 1_024
    this.#words = new Uint32Array(capacity)
    this.#timesNs = new Float64Array(events.kind === 'timed' ? capacity : 0)
  }

  start(id: number): void {
    this.firstMs ??= performance.now()
    this.#write(id)
  }

  end(id: number): void {
    this.#write((id | endBit) >>> 0)
    this.#finish(id)
  }

  /** Start and end of a handler that does nothing. */
  seen(id: number): void {
    this.firstMs ??= performance.now()
    if (this.#events.kind === 'seen') this.#write(id)
    else {
      this.#write(id)
      this.#write((id | endBit) >>> 0)
    }
    this.#finish(id)
  }

  get left(): number {
    return this.#left
  }

  /** Every record has ended once. */
  all(): Promise<void> {
    return this.#all.promise
  }

  /** Puts the events into their file. */
  flush(): void {
    if (this.#fd !== null) return
    if (this.#events.kind !== 'timed') {
      writeFileSync(this.#events.file, new Uint8Array(this.#words.buffer, 0, this.#count * 4))
      return
    }
    const bytes = Buffer.alloc(this.#count * 12)
    for (let at = 0; at < this.#count; at++) {
      bytes.writeUInt32LE(this.#words[at] ?? 0, at * 12)
      bytes.writeDoubleLE(this.#timesNs[at] ?? 0, at * 12 + 4)
    }
    writeFileSync(this.#events.file, bytes)
  }

  #finish(id: number): void {
    if (this.#ended[id] !== 0) return
    this.#ended[id] = 1
    if (--this.#left > 0) return
    this.lastMs = performance.now()
    this.#all.resolve()
  }

  #write(word: number): void {
    const timed = this.#events.kind === 'timed'
    if (this.#fd !== null) {
      this.#event.writeUInt32LE(word, 0)
      if (timed) this.#event.writeDoubleLE(nowNs(), 4)
      writeSync(this.#fd, this.#event)
      return
    }
    if (this.#count === this.#words.length) this.#grow()
    this.#words[this.#count] = word
    if (timed) this.#timesNs[this.#count] = nowNs()
    this.#count++
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    if (this.#timesNs.length === 0) return
    const timesNs = new Float64Array(words.length)
    timesNs.set(this.#timesNs)
    this.#timesNs = timesNs
  }
}

/** The machine's monotonic clock: Java's System.nanoTime() reads the same one. */
export const nowNs = (): number => Number(process.hrtime.bigint())
