/** Workers in the hands of a test: it reads what they were sent, claims and answers for them, and owns time. */
import { SharedClaimant, SharedClaims } from '../../../src/engines/workers/claims.ts'
import type { LinkListener, WorkerLink } from '../../../src/engines/workers/link.ts'
import { packPlain, readToWorker, type ToWorker } from '../../../src/engines/workers/messages.ts'
import { PoolEngine, type PoolEngineOptions } from '../../../src/engines/workers/pool/pool-engine.ts'
import { ReportWriter, type Result } from '../../../src/engines/workers/report-message.ts'
import { type IncomingCall, RunReader } from '../../../src/engines/workers/run-message.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Completion } from '../../../src/ports/engine.ts'
import { type Notebook, notebook } from '../../e2e/support.ts'

export class HandClock implements Clock {
  nowMs = 1_000
  readonly #timers: Set<{ readonly atMs: number; readonly callback: () => void }> = new Set()

  now(): number {
    return this.nowMs
  }

  random(): number {
    return 0.5
  }

  at(atMs: number, callback: () => void): () => void {
    const timer = { atMs, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  soon(callback: () => void): void {
    this.at(this.nowMs, callback)
  }

  /** Time passes, timer by timer. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms
    for (;;) {
      const next = [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.callback()
    }
    this.nowMs = endMs
  }
}

export class FakeWorker implements WorkerLink {
  readonly name: string
  readonly claims: SharedClaims = new SharedClaims()
  readonly claimant: SharedClaimant = new SharedClaimant(this.claims.memory)
  /** Calls by message, as they came. */
  readonly runs: IncomingCall[][] = []
  readonly others: ToWorker[] = []
  isKilled = false
  readonly #listener: LinkListener
  readonly #topics: string[] = []
  #left = 0

  constructor(name: string, listener: LinkListener) {
    this.name = name
    this.#listener = listener
  }

  get calls(): readonly IncomingCall[] {
    return this.runs.flat()
  }

  post(bytes: Buffer): void {
    const message = readToWorker(bytes)
    if (message.kind !== 'run') {
      this.others.push(message)
      return
    }
    const reader = new RunReader(message.reader, this.#topics)
    const calls: IncomingCall[] = []
    for (let call = reader.next(); call !== null; call = reader.next()) calls.push(call)
    this.runs.push(calls)
  }

  kill(): void {
    this.isKilled = true
  }

  ready(): void {
    this.#listener.message(packPlain({ kind: 'ready' }))
  }

  heard(): void {
    this.#listener.message(packPlain({ kind: 'heard' }))
  }

  /** Enters so many calls and leaves them, each after so long, with this result; claims of those that were taken back fail. */
  work(count: number, eachUs: number, result: Result = { status: 'done' }): void {
    const writer = new ReportWriter()
    const calls = this.calls.slice(this.#left, this.#left + count)
    for (const call of calls) {
      if (!this.claimant.claim(this.#left++, 0)) continue
      for (const { run } of call.works) writer.add({ run, ...result } as Completion)
    }
    const nextSeq = (calls.at(-1)?.seq ?? -1) + (calls.at(-1)?.works.length ?? 0)
    this.#listener.message(writer.take({ nextSeq, calls: calls.length, busyUs: calls.length * eachUs }))
  }

  /** The end of a record that was deferred. */
  finish(run: number): void {
    const writer = new ReportWriter()
    writer.add({ run, status: 'done' } as Completion)
    const last = this.calls[this.#left - 1]
    this.#listener.message(writer.take({ nextSeq: (last?.seq ?? -1) + 1, calls: 0, busyUs: 0 }))
  }

  /** Enters the next call and says nothing. With `isDone`, leaves it again, still without a word. */
  enter(isDone = false): boolean {
    const call = this.#left++
    if (!this.claimant.claim(call, 0)) return false
    if (isDone) this.claimant.done(call)
    return true
  }

  end(exitCode: number): void {
    this.#listener.ended({ exitCode, signal: null, error: null })
  }
}

export interface FakePool {
  readonly engine: PoolEngine
  readonly workers: readonly FakeWorker[]
  readonly clock: HandClock
  readonly said: readonly Completion[]
  readonly failures: readonly unknown[]
  readonly notes: Notebook
}

export async function fakePool(options: Partial<PoolEngineOptions> = {}): Promise<FakePool> {
  const clock = new HandClock()
  const workers: FakeWorker[] = []
  const said: Completion[] = []
  const failures: unknown[] = []
  const notes = notebook()
  const engine = new PoolEngine({
    workers: 2,
    maxRecordsPerWorker: null,
    setup: { handler: 'h', isBatch: false, decode: {} },
    open: (listener) => {
      const worker = new FakeWorker(`fake ${workers.length}`, listener)
      workers.push(worker)
      return worker
    },
    clock,
    logger: notes,
    capacity: () => 10_000,
    affinity: false,
    laneOf: () => null,
    handlerTimeoutMs: null,
    attempts: 3,
    mayRunAgain: true,
    ...options,
  })
  engine.completions((completions) => said.push(...completions))
  engine.failures((error) => failures.push(error))
  const started = engine.start()
  for (const worker of workers) worker.ready()
  await started
  return { engine, workers, clock, said, failures, notes }
}
