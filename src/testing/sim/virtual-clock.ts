/**
 * Simulated time. One event, then all of its microtasks, then the next event: nothing else moves, so that a seed is a
 * replay. Events of the same moment come in a random order, which the seed decides.
 */
import type { Clock } from '../../ports/clock.ts'
import { EventHeap, type TimedEvent } from './event-heap.ts'
import { ProcessClock } from './process-clock.ts'
import { randomStream } from './random.ts'

/** After so many events the real event loop has a turn, so that a test's own time-out can end a run that does not. */
const REAL_TURN_EVERY = 2048

export class VirtualClock implements Clock {
  readonly seed: number
  readonly #heap: EventHeap = new EventHeap()
  readonly #tie: () => number
  readonly #random: () => number
  readonly #incarnations: Map<string, number> = new Map()
  #nowMs = 0
  #sequence = 0
  #events = 0

  constructor(seed: number) {
    this.seed = seed
    this.#tie = randomStream(seed, 'ties')
    this.#random = randomStream(seed, 'clock')
  }

  /** How many events have happened. */
  get events(): number {
    return this.#events
  }

  now(): number {
    return this.#nowMs
  }

  random(): number {
    return this.#random()
  }

  /** Chance for one purpose: the workload, the faults, the network. The same name is the same stream from its start. */
  stream(name: string): () => number {
    return randomStream(this.seed, name)
  }

  at(timeMs: number, callback: () => void): () => void {
    const event: TimedEvent = {
      timeMs: Math.max(this.#nowMs, timeMs),
      tie: this.#tie(),
      sequence: this.#sequence++,
      callback,
    }
    this.#heap.push(event)
    return () => {
      event.callback = null
    }
  }

  soon(callback: () => void): void {
    this.at(this.#nowMs, callback)
  }

  /** A process of its own, which can be frozen and killed. The same name again is its next start. */
  process(name: string): ProcessClock {
    const incarnation = (this.#incarnations.get(name) ?? 0) + 1
    this.#incarnations.set(name, incarnation)
    return new ProcessClock(name, this, randomStream(this.seed, `process/${name}/${incarnation}`))
  }

  /** When the next event is due; infinity where nothing is left. */
  nextEventMs(): number {
    return this.#heap.peek()?.timeMs ?? Number.POSITIVE_INFINITY
  }

  /** One event and everything that follows from it at once. False: nothing is left to happen. */
  async step(): Promise<boolean> {
    await null
    if (!this.#fire()) return false
    await this.#settle()
    return true
  }

  /**
   * A time: all events until then, and then it is that time. A condition: until it holds (true), or nothing is left or
   * `limitMs` of simulated time have gone by (false).
   */
  async runUntil(until: number | (() => boolean), limitMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    // From here on this is a microtask, so that a tick comes after all other microtasks.
    await null
    const endMs = typeof until === 'number' ? until : this.#nowMs + limitMs
    const isDone = typeof until === 'number' ? null : until
    for (;;) {
      await this.#settle()
      if (isDone?.()) return true
      if (this.nextEventMs() > endMs) break
      if (!this.#fire()) break
    }
    if (Number.isFinite(endMs)) this.#nowMs = Math.max(this.#nowMs, endMs)
    return isDone === null
  }

  #fire(): boolean {
    const event = this.#heap.pop()
    if (event === undefined) return false
    this.#nowMs = event.timeMs
    this.#events++
    const { callback } = event
    event.callback = null
    callback?.()
    return true
  }

  /**
   * Node takes the next tick only when no microtask is left: much cheaper than a turn of the event loop. It holds while
   * nobody else in the simulation uses ticks.
   */
  #settle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#events % REAL_TURN_EVERY === REAL_TURN_EVERY - 1) setImmediate(resolve)
      else process.nextTick(resolve)
    })
  }
}
