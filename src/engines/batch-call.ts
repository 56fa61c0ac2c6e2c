/**
 * One handler call for several records. A throw fails all of them. `fail(record, error)` fails one: later records of
 * its lane go back unattempted, because they must not be done before it.
 */
import { FanlaneError } from '../errors.ts'
import type { AbortReason } from '../kernel/events.ts'
import type { Completion, Work } from '../ports/engine.ts'
import type { OutgoingRecord, RawRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'
import { abortError } from './abort.ts'
import type { BatchContext, ConsumedRecord, SendRecord } from './handler.ts'
import { identityOf } from './identity.ts'
import { toOutgoing } from './outgoing.ts'

type Decode = (record: RawRecord) => ConsumedRecord<unknown, unknown> | Promise<ConsumedRecord<unknown, unknown>>

interface Row {
  readonly work: Work
  readonly lane: string | null
  record: ConsumedRecord<unknown, unknown> | null
  failure: { readonly error: unknown } | null
  sends: OutgoingRecord[] | null
}

export class BatchCall implements BatchContext {
  readonly #rows: readonly Row[]
  readonly #logger: Logger
  readonly #end: (completion: Completion) => void
  readonly #abort: AbortController = new AbortController()
  #ended = false

  constructor(
    works: readonly Work[],
    laneOf: (work: Work) => string | null,
    logger: Logger,
    end: (completion: Completion) => void,
  ) {
    this.#rows = works.map((work) => ({ work, lane: laneOf(work), record: null, failure: null, sends: null }))
    this.#logger = logger
    this.#end = end
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The highest of its records. */
  get attempt(): number {
    return Math.max(...this.#rows.map(({ work }) => work.attempt))
  }

  get log(): Logger {
    return this.#logger
  }

  /** Records that can be decoded, in order. One that cannot fails alone; what follows it in its lane is not attempted. */
  async decode(decode: Decode): Promise<readonly ConsumedRecord<unknown, unknown>[]> {
    const blocked = new Set<string>()
    const records: ConsumedRecord<unknown, unknown>[] = []
    for (const row of this.#rows) {
      if (row.lane !== null && blocked.has(row.lane)) continue
      try {
        row.record = await decode(row.work.batch.record(row.work.index))
        records.push(row.record)
      } catch (error) {
        row.failure = { error }
        if (row.lane !== null) blocked.add(row.lane)
      }
    }
    return records
  }

  fail(record: ConsumedRecord<unknown, unknown>, error: unknown): void {
    this.#rowOf(record, 'fail').failure ??= { error }
  }

  async send(record: SendRecord | readonly SendRecord[], from?: ConsumedRecord<unknown, unknown>): Promise<void> {
    const row =
      from === undefined ? this.#rows.findLast((candidate) => candidate.record !== null) : this.#rowOf(from, 'send')
    if (row === undefined || this.#ended) {
      throw new FanlaneError(
        'SEND_AFTER_END',
        'ctx.send was called after the batch had ended: await it inside the handler.',
      )
    }
    const records = Array.isArray(record) ? (record as readonly SendRecord[]) : [record as SendRecord]
    row.sends ??= []
    row.sends.push(...records.map(toOutgoing))
  }

  abort(reason: AbortReason): void {
    this.#abort.abort(abortError(reason))
  }

  returned(): void {
    this.#ended = true
    const failedLanes = new Set<string>()
    for (const row of this.#rows) {
      const identity = identityOf(row.work)
      if (row.lane !== null && failedLanes.has(row.lane)) this.#end({ ...identity, status: 'returned' })
      else if (row.failure !== null) {
        if (row.lane !== null) failedLanes.add(row.lane)
        this.#end({ ...identity, status: 'failed', error: row.failure.error })
      } else if (row.sends === null) this.#end({ ...identity, status: 'done' })
      else this.#end({ ...identity, status: 'done', sends: row.sends })
    }
  }

  threw(error: unknown): void {
    this.#ended = true
    for (const { work, failure, record } of this.#rows) {
      // Behind one of its lane that could not be decoded: no handler has seen it.
      if (record === null && failure === null) {
        this.#end({ ...identityOf(work), status: 'returned' })
        continue
      }
      this.#end({ ...identityOf(work), status: 'failed', error: failure === null ? error : failure.error })
    }
  }

  #rowOf(record: ConsumedRecord<unknown, unknown>, what: string): Row {
    const row = this.#rows.find((candidate) => candidate.record === record)
    if (row !== undefined) return row
    throw new FanlaneError(
      'NOT_IN_BATCH',
      `ctx.${what}: this record is not in the batch; pass one of the records as given.`,
    )
  }
}
