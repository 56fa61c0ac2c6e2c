/** The running consumer, as users hold it: look, steer, wait, close. */
import type { DashboardHandler } from '../dashboard/server.ts'
import { FanlaneError } from '../errors.ts'
import type { Selection } from '../kernel/events.ts'
import { asOffset, asPosition } from '../kernel/ids.ts'
import { type KernelSnapshot, snapshot } from '../kernel/snapshot.ts'
import type { Clock } from '../ports/clock.ts'
import type { LogClient } from '../ports/log-client.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { checkKey, checkPartition, checkTopic, checkWhole, invalid } from './arguments.ts'
import type { ConsumerEvent, ConsumerListener, EventHub } from './events.ts'
import { laneKeyOf, withReadableKeys } from './lane-key.ts'

export interface PauseSelection {
  readonly topic: string
  readonly partition?: number
  /** As the lane sees it: the record key, or what `keyOf` returned. */
  readonly key?: string | Buffer
}

export interface SkipTarget {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** Where to read on: an offset, or the first record of that time or later. */
export type SeekTarget =
  | SkipTarget
  | { readonly topic: string; readonly partition: number; readonly timestamp: number; readonly offset?: never }

interface ConsumerParts {
  readonly runtime: Runtime
  readonly client: LogClient
  readonly clock: Clock
  readonly events: EventHub
  readonly closeMs: number
}

export interface CloseOptions {
  /** Leave the group, so that others take over at once. Default: yes, unless the member is static (`client.instanceId`). */
  readonly leave?: boolean
}

export class Consumer implements AsyncDisposable {
  readonly #parts: ConsumerParts
  /** Resolves when the consumer has ended; rejects if a fatal error ended it. */
  readonly closed: Promise<void>
  /**
   * Where its dashboard is, if it has one; `link` carries the token where that is for you to use. `handle` shows it on a web server
   * of yours too.
   */
  dashboard: { readonly url: string; readonly link: string; readonly handle: DashboardHandler } | null = null

  constructor(parts: ConsumerParts) {
    this.#parts = parts
    this.closed = parts.runtime.closed
  }

  on<Name extends ConsumerEvent>(name: Name, listener: ConsumerListener<Name>): this {
    this.#parts.events.add(name, listener, false)
    return this
  }

  once<Name extends ConsumerEvent>(name: Name, listener: ConsumerListener<Name>): this {
    this.#parts.events.add(name, listener, true)
    return this
  }

  off<Name extends ConsumerEvent>(name: Name, listener: ConsumerListener<Name>): this {
    this.#parts.events.remove(name, listener)
    return this
  }

  /** Plain data. Keys are text; where their bytes are not UTF-8, `base64:…`. */
  snapshot(): KernelSnapshot {
    return withReadableKeys(snapshot(this.#parts.runtime.state, this.#parts.clock.now()))
  }

  pause(selection: PauseSelection): void {
    this.#parts.runtime.control({ kind: 'pause', selection: toSelection('pause', selection) })
  }

  resume(selection: PauseSelection): void {
    this.#parts.runtime.control({ kind: 'resume', selection: toSelection('resume', selection) })
  }

  /** How many handlers may run at once. With adaptive concurrency: the upper bound, which adapting stays below. */
  setConcurrency(limit: number): void {
    checkWhole('setConcurrency', 'limit', limit, 1)
    this.#parts.runtime.control({ kind: 'concurrency', limit })
  }

  /**
   * Give one record up: it counts as skipped, and the position can move on. Rejects with `CONTROL_REFUSED` if it is not
   * in flight here. A refusal is logged as well, so it is no harm not to wait.
   */
  skip(target: SkipTarget): Promise<void> {
    try {
      checkPartition('skip', target)
      checkWhole('skip', 'offset', target.offset)
    } catch (error) {
      return Promise.reject(error)
    }
    const { topic, partition, offset } = target
    return this.#parts.runtime.steer({ kind: 'skip', topic, partition, offset: asOffset(offset) })
  }

  /**
   * Read on from here: a new lease, with no memory of what was finished. Resolves when it has begun; rejects with
   * `CONTROL_REFUSED` if the partition is not held here.
   */
  async seek(target: SeekTarget): Promise<void> {
    checkPartition('seek', target)
    const { topic, partition } = target
    const position = asPosition(await this.#offsetOf(target))
    await this.#parts.runtime.steer({ kind: 'seek', topic, partition, position })
  }

  /** Commit what is finished now; resolves when it is acknowledged. */
  commit(): Promise<void> {
    return this.#parts.runtime.commit()
  }

  /**
   * Resolves when everything that is in the log now, in the partitions held here, is finished and committed; with
   * `commit: 'manual'` when it is finished. Rejects if the consumer fails or closes before.
   */
  async idle(): Promise<void> {
    const { runtime, client } = this.#parts
    while (!this.#isSettled()) await runtime.progress()
    const held = [...runtime.state.leases.values()].map(({ home }) => home)
    const ends = await client.logEnds(held)
    const done = (): boolean =>
      held.every((home) => {
        const end = ends.get(`${home.topic}-${home.partition}`) ?? 0
        return home.lease === null || (home.lease.isOpen && home.lease.tracker.position >= end)
      })
    while (!done()) await runtime.progress()
    if (!runtime.state.options.commit.manual) await runtime.commit()
  }

  close(options: CloseOptions = {}): Promise<void> {
    return this.#parts.runtime.close(this.#parts.closeMs, options.leave)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** We know what is ours, and where it begins. */
  #isSettled(): boolean {
    const { runtime } = this.#parts
    return runtime.hasJoined && [...runtime.state.leases.values()].every((lease) => lease.isOpen)
  }

  async #offsetOf(target: SeekTarget): Promise<number> {
    const { topic, partition, offset } = target
    const timestamp = 'timestamp' in target ? target.timestamp : undefined
    if ((offset === undefined) === (timestamp === undefined)) {
      throw invalid('seek', 'offset', 'given, or timestamp, and not both', offset)
    }
    if (timestamp === undefined) {
      checkWhole('seek', 'offset', offset)
      return offset as number
    }
    checkWhole('seek', 'timestamp', timestamp)
    const { client } = this.#parts
    if (client.offsetsForTimes === undefined) {
      throw new FanlaneError('NOT_SUPPORTED', 'This log client cannot look up offsets by time: seek by offset instead.')
    }
    const found = (await client.offsetsForTimes([{ topic, partition }], timestamp)).get(`${topic}-${partition}`)
    if (found !== undefined) return found
    throw new FanlaneError(
      'UNKNOWN_PARTITION',
      `There is no ${topic}-${partition} to seek in: check topic and partition.`,
    )
  }
}

function toSelection(method: string, { topic, partition, key }: PauseSelection): Selection {
  checkTopic(method, topic)
  if (partition !== undefined) checkWhole(method, 'partition', partition)
  if (key !== undefined) checkKey(method, key)
  return {
    topic,
    ...(partition === undefined ? {} : { partition }),
    ...(key === undefined ? {} : { key: laneKeyOf(key) }),
  }
}
