/** The running consumer, as users hold it: look, steer, wait, close. */
import { EventEmitter } from 'node:events'
import { asOffset, asPosition } from '../kernel/ids.ts'
import { type KernelSnapshot, snapshot } from '../kernel/snapshot.ts'
import type { Clock } from '../ports/clock.ts'
import type { LogClient } from '../ports/log-client.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface PauseSelection {
  readonly topic: string
  readonly partition?: number
  /** As the lane sees it: the record key, or what `keyOf` returned. */
  readonly key?: string | Buffer
}

interface ConsumerParts {
  readonly runtime: Runtime
  readonly client: LogClient
  readonly clock: Clock
  readonly closeMs: number
}

export interface CloseOptions {
  /** Leave the group, so that others take over at once (default). */
  readonly leave?: boolean
}

export class Consumer extends EventEmitter implements AsyncDisposable {
  readonly #parts: ConsumerParts
  /** Resolves when the consumer has ended; rejects if a fatal error ended it. */
  readonly closed: Promise<void>

  constructor(parts: ConsumerParts) {
    super()
    this.#parts = parts
    this.closed = parts.runtime.closed
  }

  snapshot(): KernelSnapshot {
    return snapshot(this.#parts.runtime.state, this.#parts.clock.now())
  }

  pause(selection: PauseSelection): void {
    this.#parts.runtime.control({ kind: 'pause', selection: toSelection(selection) })
  }

  resume(selection: PauseSelection): void {
    this.#parts.runtime.control({ kind: 'resume', selection: toSelection(selection) })
  }

  setConcurrency(limit: number): void {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`Concurrency must be a whole number from 1, not ${limit}.`)
    this.#parts.runtime.control({ kind: 'concurrency', limit })
  }

  /** Give one record up: it counts as skipped, and the position can move on. */
  skip({ topic, partition, offset }: { readonly topic: string; readonly partition: number; readonly offset: number }): void {
    this.#parts.runtime.control({ kind: 'skip', topic, partition, offset: asOffset(offset) })
  }

  /** Read on from here: a new lease, with no memory of what was finished. */
  seek({ topic, partition, offset }: { readonly topic: string; readonly partition: number; readonly offset: number }): Promise<void> {
    this.#parts.runtime.control({ kind: 'seek', topic, partition, position: asPosition(offset) })
    return this.#parts.runtime.progress()
  }

  /** Commit what is finished now; resolves when it is acknowledged. */
  commit(): Promise<void> {
    return this.#parts.runtime.commit()
  }

  /** Resolves when everything that is in the log now is finished and committed. */
  async idle(): Promise<void> {
    const { runtime, client } = this.#parts
    while (!runtime.isHalted && !this.#allOpen()) await runtime.progress()
    const held = [...runtime.state.leases.values()].map(({ home }) => home)
    const ends = await client.logEnds(held)
    const done = (): boolean =>
      held.every((home) => {
        const end = ends.get(`${home.topic}-${home.partition}`) ?? 0
        return home.lease === null || (home.lease.isOpen && home.lease.tracker.position >= end)
      })
    while (!runtime.isHalted && !done()) await runtime.progress()
    await runtime.commit()
  }

  close(options: CloseOptions = {}): Promise<void> {
    return this.#parts.runtime.close(this.#parts.closeMs, options.leave ?? true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #allOpen(): boolean {
    const leases = [...this.#parts.runtime.state.leases.values()]
    return leases.length > 0 && leases.every((lease) => lease.isOpen)
  }
}

function toSelection({ topic, partition, key }: PauseSelection): { topic: string; partition?: number; key?: string } {
  return {
    topic,
    ...(partition === undefined ? {} : { partition }),
    ...(key === undefined ? {} : { key: laneKeyOf(key) }),
  }
}

/** Lanes are named by key bytes, one latin1 character a byte. */
export function laneKeyOf(key: string | Buffer): string {
  return (typeof key === 'string' ? Buffer.from(key) : key).toString('latin1')
}
