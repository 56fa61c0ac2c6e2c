/**
 * From rows to a topic. What always holds: of one lane (topic and key), a row is published only behind those before it. A row that
 * no broker takes holds its lane back, visibly, and nothing else: the others of its shard go on.
 */
import type { FanlaneError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { laneOf } from './record.ts'
import type { OutboxRow } from './table.ts'

/** Consumers tell duplicates by it: the same row has the same id, however often it is published. */
export const OUTBOX_ID_HEADER = 'fanlane-outbox-id'

export interface RelayRecord {
  readonly topic: string
  readonly partition?: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [string, Buffer | null])[]
}

/** What is needed of a producer: `createProducer()` gives one. Idempotent, or retries may change the order. */
export interface RelayProducer {
  send(records: readonly RelayRecord[]): Promise<readonly unknown[]>
}

/** A row that was refused for good. Its lane waits until it can be written, or somebody deletes the row. */
export interface StuckRow {
  readonly id: string
  readonly topic: string
  readonly error: unknown
}

export interface Published {
  /** Acknowledged: these may be deleted. */
  readonly ids: readonly string[]
  /** The first failure that may pass; null: there was none. */
  readonly error: unknown
  /** Refused for good, for the first time. */
  readonly refused: readonly StuckRow[]
}

interface Stuck {
  readonly row: StuckRow
  readonly retryAtMs: number
}

/** Somebody may have raised the limit of the topic, or made the topic, or given us the right to write. */
const RETRY_MS = 5_000
/** Due for so long and not tried: the row is gone. */
const GONE_MS = 60_000

export class Publisher {
  readonly #producer: RelayProducer
  readonly #clock: Pick<Clock, 'now'>
  readonly #stuck: Map<string, Stuck> = new Map()

  constructor(producer: RelayProducer, clock: Pick<Clock, 'now'>) {
    this.#producer = producer
    this.#clock = clock
  }

  get stuck(): readonly StuckRow[] {
    return [...this.#stuck.values()].map(({ row }) => row)
  }

  /** Rows of one shard, in order. Resolves when every row is acknowledged or refused. */
  async publish(rows: readonly OutboxRow[]): Promise<Published> {
    const due = this.#due(rows)
    const outcomes = due.length === 0 ? [] : await this.#send(due)
    const ids: string[] = []
    const refused: StuckRow[] = []
    let error: unknown = null
    due.forEach((row, at) => {
      const failure = outcomes[at]
      if (failure === undefined) {
        ids.push(row.id)
        this.#stuck.delete(laneNameOf(row))
      } else if (isForGood(failure)) {
        const known = this.#stuck.get(laneNameOf(row))
        const stuck = { id: row.id, topic: row.topic, error: failure }
        // The first of its lane, if several were refused together.
        if (known === undefined || known.row.id === row.id) {
          this.#stuck.set(laneNameOf(row), { row: stuck, retryAtMs: this.#clock.now() + RETRY_MS })
        }
        if (known === undefined) refused.push(stuck)
      } else error ??= failure
    })
    return { ids, error, refused }
  }

  /** Of a lane that is stuck only its first row is tried, now and then: those behind it must not overtake it. */
  #due(rows: readonly OutboxRow[]): readonly OutboxRow[] {
    if (this.#stuck.size === 0) return rows
    const nowMs = this.#clock.now()
    for (const [lane, { retryAtMs }] of this.#stuck) if (retryAtMs + GONE_MS < nowMs) this.#stuck.delete(lane)
    const seen = new Set<string>()
    return rows.filter((row) => {
      const lane = laneNameOf(row)
      const stuck = this.#stuck.get(lane)
      if (stuck === undefined) return true
      if (stuck.retryAtMs > nowMs || seen.has(lane)) return false
      seen.add(lane)
      return true
    })
  }

  /** For each row: undefined if it is acknowledged, else why not. */
  async #send(rows: readonly OutboxRow[]): Promise<readonly unknown[]> {
    try {
      await this.#producer.send(rows.map(toRecord))
      return rows.map(() => undefined)
    } catch (error) {
      const results = (error as { readonly results?: unknown }).results
      // Nobody says which: then none of them is known to be written.
      if (!Array.isArray(results) || results.length !== rows.length) return rows.map(() => error)
      return results.map((result) => (result instanceof Error ? result : undefined))
    }
  }
}

function toRecord({ topic, partition, key, value, headers, uid }: OutboxRow): RelayRecord {
  const all = [...headers, [OUTBOX_ID_HEADER, Buffer.from(uid)] as const]
  return partition === null ? { topic, key, value, headers: all } : { topic, partition, key, value, headers: all }
}

/** A row without an order is a lane of its own. */
function laneNameOf({ topic, key, partition, id }: OutboxRow): string {
  return laneOf(topic, key, partition) ?? `row ${id}`
}

function isForGood(failure: unknown): boolean {
  return (failure as Partial<FanlaneError>).retriable === false
}
