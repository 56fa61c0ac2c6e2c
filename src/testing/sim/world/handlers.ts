/** Handlers of the simulated workload: they do what the behaviour says, and tell the ledger when they start and end. */
import type { BatchContext, BatchHandler, ConsumedRecord, Handler, HandlerContext } from '../../../engines/handler.ts'
import { PermanentError } from '../../../errors.ts'
import type { ProcessClock } from '../process-clock.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import type { Ledger, Run } from './ledger.ts'
import { unpadded } from './padding.ts'
import type { Scenario } from './scenario.ts'

export const OUTPUT_TOPIC = 'out'

/** Real timers would never fire in a simulation: wait with these. */
export interface SimulatedTime {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type UserHandler<Key = Buffer, Value = Buffer> = (
  record: ConsumedRecord<Key, Value>,
  context: HandlerContext,
  time: SimulatedTime,
) => unknown

type Consumed = ConsumedRecord<unknown, unknown>

export class SimHandlers {
  readonly #scenario: Scenario
  readonly #process: ProcessClock
  readonly #name: string
  readonly #ledger: Ledger

  constructor(scenario: Scenario, process: ProcessClock, name: string, ledger: Ledger) {
    this.#scenario = scenario
    this.#process = process
    this.#name = name
    this.#ledger = ledger
  }

  readonly handle: Handler<unknown, unknown> = (record, ctx) => {
    const run = this.#start(record, new Set())
    const behaviour = behaviourOf(this.#scenario, record.partition, record.offset, ctx.attempt)
    if (behaviour.inline) return this.#inline(record, ctx, run, behaviour)
    if (behaviour.deferred) return this.#defer(record, ctx, run, behaviour)
    return this.#wait(record, ctx, run, behaviour)
  }

  readonly handleBatch: BatchHandler<unknown, unknown> = async (records, ctx) => {
    const runs: Run[] = []
    const together = new Set<number>()
    for (const record of records) {
      runs.push(this.#start(record, together))
      together.add(record.offset)
    }
    try {
      await this.#sleep(
        Math.max(...records.map((record) => this.#behaviour(record, ctx.attempt).ms)),
        ctx.signal,
        false,
      )
      await this.#endBatch(records, runs, ctx)
    } finally {
      for (const run of runs) this.#ledger.ended(run)
    }
  }

  async #endBatch(records: readonly Consumed[], runs: readonly Run[], ctx: BatchContext): Promise<void> {
    const failedLanes = new Set<string>()
    for (const [at, record] of records.entries()) {
      const run = runs[at] as Run
      const behaviour = this.#behaviour(record, ctx.attempt)
      if (run.lane !== null && failedLanes.has(run.lane)) continue
      if (behaviour.fails) {
        if (run.lane !== null) failedLanes.add(run.lane)
        ctx.fail(record, failureOf(behaviour))
        continue
      }
      if (behaviour.outputs > 0) await ctx.send(outputOf(record), record)
      this.#ledger.handled(run, this.#process.now())
    }
  }

  /** A user's handler, watched. It may wait in simulated time. */
  watched(handle: UserHandler<unknown, unknown>): Handler<unknown, unknown> {
    const time: SimulatedTime = {
      now: () => this.#process.now(),
      sleep: (ms, signal) => this.#sleep(ms, signal ?? new AbortController().signal, signal === undefined),
    }
    return async (record, ctx) => {
      const { partition, offset } = record
      const run = this.#ledger.started(this.#name, { partition, offset, value: null }, new Set(), this.#process.now())
      try {
        await handle(record, ctx, time)
        this.#ledger.handled(run, this.#process.now())
      } finally {
        this.#ledger.ended(run)
      }
    }
  }

  #behaviour(record: Consumed, attempt: number): Behaviour {
    return behaviourOf(this.#scenario, record.partition, record.offset, attempt)
  }

  #start(record: Consumed, together: ReadonlySet<number>): Run {
    const { partition, offset } = record
    const value = unpadded(String(record.value))
    return this.#ledger.started(this.#name, { partition, offset, value }, together, this.#process.now())
  }

  #inline(record: Consumed, ctx: HandlerContext, run: Run, behaviour: Behaviour): void {
    this.#ledger.ended(run)
    if (behaviour.fails) throw failureOf(behaviour)
    if (behaviour.outputs > 0) ctx.send(outputOf(record)).catch((error) => ctx.log.error({ error }))
    this.#ledger.handled(run, this.#process.now())
  }

  #defer(record: Consumed, ctx: HandlerContext, run: Run, behaviour: Behaviour): void {
    const later = ctx.defer()
    this.#process.at(this.#process.now() + behaviour.ms, () => {
      this.#ledger.ended(run)
      if (behaviour.fails) return later.fail(failureOf(behaviour))
      if (behaviour.outputs > 0) ctx.send(outputOf(record)).catch((error) => ctx.log.error({ error }))
      this.#ledger.handled(run, this.#process.now())
      later.done()
    })
  }

  async #wait(record: Consumed, ctx: HandlerContext, run: Run, behaviour: Behaviour): Promise<void> {
    try {
      await this.#sleep(behaviour.ms, ctx.signal, behaviour.stubborn)
      if (behaviour.fails) throw failureOf(behaviour)
      if (behaviour.outputs > 0) await ctx.send(outputOf(record))
      this.#ledger.handled(run, this.#process.now())
    } finally {
      this.#ledger.ended(run)
    }
  }

  #sleep(ms: number, signal: AbortSignal, stubborn: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#process.at(this.#process.now() + ms, resolve)
      if (stubborn) return
      signal.addEventListener('abort', () => {
        cancel()
        reject(signal.reason)
      })
    })
  }
}

function outputOf(record: Consumed): { topic: string; key: Buffer | null; value: string } {
  return {
    topic: OUTPUT_TOPIC,
    key: record.key as Buffer | null,
    value: `${record.partition}:${record.offset}:${unpadded(String(record.value))}`,
  }
}

function failureOf({ permanent }: Behaviour): Error {
  return permanent ? new PermanentError('simulated poison') : new Error('simulated failure')
}
