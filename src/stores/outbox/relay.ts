/**
 * The relay: takes rows out of an outbox and publishes them. One loop: take shards, publish their rows, delete what is acknowledged,
 * let the shards go. What always holds:
 * - a row is deleted only after it is acknowledged, so a crash at any point loses nothing; at most the rows under way are published
 *   again, with the same ids;
 * - several relays share the work; a shard is with one of them at a time, and lapses if that one dies;
 * - whatever fails is tried again with backoff, and is visible: `snapshot().state` says `failing` and why.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import { Backoff } from '../dedup/backoff.ts'
import { Publisher, type RelayProducer, type StuckRow } from './publishing.ts'
import type { OutboxTable, TakenShard } from './table.ts'

export type RelayState = 'idle' | 'publishing' | 'failing' | 'closed'

export interface RelaySnapshot {
  readonly state: RelayState
  /** Rows that wait, as of the last look (about once a second); counting stops at 10,000. */
  readonly pending: number
  /** How long the oldest of them has waited. */
  readonly oldestAgeMs: number
  /** Since the relay was started. */
  readonly published: number
  readonly failures: number
  /** Of the present trouble; null: there is none. */
  readonly error: unknown
  /** Rows that brokers refuse for good. Rows of the same key wait behind them. */
  readonly stuck: readonly StuckRow[]
}

export interface RelayEvents {
  published: { readonly rows: number }
  /** Once, when trouble begins. */
  failing: unknown
  recovered: undefined
  /** Once for each row that brokers refuse for good. */
  stuck: StuckRow
}

export interface RelayParts {
  readonly outbox: OutboxTable
  readonly producer: RelayProducer
  readonly clock: Clock
  readonly name: string
  readonly pollMs: number
  readonly leaseMs: number
  readonly rowsMax: number
  /** Closes the producer if it is the relay's own. */
  readonly release: () => Promise<void>
  readonly tell: <Name extends keyof RelayEvents>(name: Name, about: RelayEvents[Name]) => void
}

/** All of one round fit into one batch for each partition: it is written as a whole, or not. */
export const ROUND_BYTES_MAX: number = 512 * 1024
const SHARDS_MAX = 4
const COUNT_MAX = 10_000
const LOOK_EVERY_MS = 1_000

export class RelayLoop {
  readonly #parts: RelayParts
  readonly #publisher: Publisher
  readonly #backoff: Backoff
  /** A new one for every start, unless it is given: a name that is used again takes over at once what a crash left. */
  readonly #owner: string
  #state: RelayState = 'idle'
  #pending = 0
  #oldestAgeMs = 0
  #published = 0
  #failures = 0
  #error: unknown = null
  #lookAtMs = 0
  #isClosing = false
  #wake: () => void = () => undefined
  readonly #running: Promise<void>
  #closed: Promise<void> | null = null

  constructor(parts: RelayParts) {
    this.#parts = parts
    this.#publisher = new Publisher(parts.producer, parts.clock)
    this.#backoff = new Backoff(parts.clock)
    this.#owner = parts.name === '' ? randomUUID() : parts.name
    this.#running = this.#run()
  }

  snapshot(): RelaySnapshot {
    return {
      state: this.#state,
      pending: this.#pending,
      oldestAgeMs: this.#oldestAgeMs,
      published: this.#published,
      failures: this.#failures,
      error: this.#error,
      stuck: this.#publisher.stuck,
    }
  }

  wake(): void {
    this.#wake()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    await this.#running
    this.#state = 'closed'
    await this.#parts.release()
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      const rest = await this.#round()
      if (rest > 0 && !this.#isClosing) await this.#rest(rest)
    }
  }

  /** Returns how long to rest. */
  async #round(): Promise<number> {
    try {
      await this.#look()
      const { outbox, leaseMs, rowsMax } = this.#parts
      const bytesMax = ROUND_BYTES_MAX / SHARDS_MAX
      const taken = await outbox.take(this.#owner, { leaseMs, shardsMax: SHARDS_MAX, rowsMax, bytesMax })
      if (taken.length === 0) return this.#worked('idle')
      const { rows, error } = await this.#relay(taken)
      if (rows > 0) this.#parts.tell('published', { rows })
      if (error !== null) return this.#failed(error)
      return this.#worked(rows > 0 ? 'publishing' : 'idle')
    } catch (error) {
      return this.#failed(error)
    }
  }

  async #relay(taken: readonly TakenShard[]): Promise<{ readonly rows: number; readonly error: unknown }> {
    const stopRenewing = this.#keep(taken.map(({ shard }) => shard))
    try {
      const results = await Promise.allSettled(taken.map((each) => this.#relayShard(each)))
      let rows = 0
      let error: unknown = null
      for (const result of results) {
        if (result.status === 'rejected') error ??= result.reason
        else {
          rows += result.value.rows
          error ??= result.value.error
        }
      }
      return { rows, error }
    } finally {
      stopRenewing()
    }
  }

  async #relayShard({ shard, rows }: TakenShard): Promise<{ readonly rows: number; readonly error: unknown }> {
    const { ids, error, refused } = await this.#publisher.publish(rows)
    this.#published += ids.length
    this.#failures += refused.length
    for (const row of refused) this.#parts.tell('stuck', row)
    await this.#parts.outbox.settle(this.#owner, shard, ids)
    return { rows: ids.length, error }
  }

  /** Brokers may take longer than the shards are ours. */
  #keep(shards: readonly number[]): () => void {
    const { clock, outbox, leaseMs } = this.#parts
    let cancel = (): void => undefined
    const plan = (): void => {
      cancel = clock.at(clock.now() + leaseMs / 3, () => {
        plan()
        // Lost, they are published twice, which is no harm; the next round tells what is wrong with the database.
        outbox.renew(this.#owner, shards, leaseMs).catch((error) => this.#note(error))
      })
    }
    plan()
    return () => cancel()
  }

  async #look(): Promise<void> {
    const nowMs = this.#parts.clock.now()
    if (nowMs < this.#lookAtMs) return
    const { pending, oldestAgeMs } = await this.#parts.outbox.backlog(COUNT_MAX)
    this.#pending = pending
    this.#oldestAgeMs = oldestAgeMs
    this.#lookAtMs = nowMs + LOOK_EVERY_MS
  }

  #worked(state: 'idle' | 'publishing'): number {
    this.#backoff.worked()
    const wasFailing = this.#state === 'failing'
    this.#state = state
    if (wasFailing) {
      this.#error = null
      this.#parts.tell('recovered', undefined)
    }
    return state === 'idle' ? this.#parts.pollMs : 0
  }

  #failed(error: unknown): number {
    const wasFailing = this.#state === 'failing'
    this.#state = 'failing'
    this.#note(error)
    if (!wasFailing) this.#parts.tell('failing', error)
    return this.#backoff.failed()
  }

  #note(error: unknown): void {
    this.#failures++
    this.#error = error
  }

  #rest(ms: number): Promise<void> {
    const { clock } = this.#parts
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}
