/** The events of a consumer: their names, what they carry, and the hub that brings them to listeners. */
import type { CommitEntry, WorkId } from '../kernel/events.ts'
import type { TopicPartition } from '../kernel/ids.ts'
import type { Stall } from '../telemetry/stalls.ts'
import { isThenable } from './thenable.ts'

export interface RecordFailure {
  readonly work: WorkId
  readonly error: unknown
}

export interface ParkedKey extends TopicPartition {
  /** Text; where its bytes are not UTF-8, `base64:…`. Null: all of the partition, or all records without a key. */
  readonly key: string | null
  /** How many of its records in a row failed for good. */
  readonly poisons: number
  /** Of the last one. */
  readonly error: unknown
}

/** Event name → what its listeners are called with. */
export interface ConsumerEvents {
  /** Also when the group gives us nothing. */
  readonly assigned: readonly [partitions: readonly TopicPartition[]]
  /** Given up after the drain, or lost. */
  readonly revoked: readonly [partitions: readonly TopicPartition[]]
  readonly committed: readonly [entries: readonly CommitEntry[]]
  /** An attempt failed; the next one is due at `atMs`. */
  readonly retry: readonly [failure: RecordFailure & { readonly atMs: number }]
  /**
   * Failed for good, and its way out has worked: the dead letter is written (exactly-once: goes with the next transaction), its
   * lines are, or your `onExhausted` has resolved.
   */
  readonly 'dead-letter': readonly [failure: RecordFailure]
  /** Failed for good, and its way out did not work: it stays pending, and its way out is tried again at `atMs`. */
  readonly 'dead-letter-retry': readonly [failure: RecordFailure & { readonly atMs: number }]
  /** The breaker of a key has stopped it: `consumer.resume({ topic, partition, key })` lets it go on. */
  readonly parked: readonly [parked: ParkedKey]
  /** Given up: by `onExhausted: 'skip'`, or by hand. The error is that of the last attempt, if there was one. */
  readonly skipped: readonly [failure: RecordFailure]
  /** The same record holds its partition back for longer than `stalledAfterMs`. */
  readonly stalled: readonly [stall: Stall]
  /** Somebody else took our transactional id or instance id; the consumer stops. */
  readonly fenced: readonly [error: unknown]
  /** Something went wrong. If the consumer cannot go on, `closed` rejects as well. */
  readonly error: readonly [error: unknown]
}

export type ConsumerEvent = keyof ConsumerEvents
/** What it returns is not waited for; what it throws, or a promise of it that rejects, is logged. */
export type ConsumerListener<Name extends ConsumerEvent> = (...args: ConsumerEvents[Name]) => unknown

interface Entry {
  readonly listener: (...args: never) => unknown
  readonly once: boolean
}

/**
 * Not an EventEmitter: that one lets a listener's exception through to whoever emits, here the loop that everything
 * depends on, and throws where nobody listens for 'error'.
 */
export class EventHub {
  readonly #entries: Map<ConsumerEvent, readonly Entry[]> = new Map()
  readonly #failed: (name: ConsumerEvent, error: unknown) => void

  constructor(failed: (name: ConsumerEvent, error: unknown) => void) {
    this.#failed = failed
  }

  add<Name extends ConsumerEvent>(name: Name, listener: ConsumerListener<Name>, once: boolean): void {
    this.#entries.set(name, [...(this.#entries.get(name) ?? []), { listener, once }])
  }

  remove<Name extends ConsumerEvent>(name: Name, listener: ConsumerListener<Name>): void {
    const entries = this.#entries.get(name) ?? []
    const at = entries.findIndex((entry) => entry.listener === listener)
    if (at >= 0) this.#entries.set(name, entries.toSpliced(at, 1))
  }

  emit<Name extends ConsumerEvent>(name: Name, ...args: ConsumerEvents[Name]): void {
    for (const { listener, once } of this.#entries.get(name) ?? []) {
      const typed = listener as ConsumerListener<Name>
      if (once) this.remove(name, typed)
      try {
        const result = typed(...args)
        if (isThenable(result)) result.then(undefined, (error) => this.#failed(name, error))
      } catch (error) {
        this.#failed(name, error)
      }
    }
  }
}
