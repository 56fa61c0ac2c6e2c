/**
 * The one loop: mailbox → step → perform. It is the only one that waits for ports, and the only writer of the state.
 *
 * Whatever happens outside (records read, handlers ended, partitions revoked, commits answered) is posted as an event.
 * Events are taken in batches, one turn of the event loop later, so that I/O and heartbeats have their turn in between.
 * Event-driven: there is no tick but the one deadline that the control plane asks for.
 */
import type { Command, Control, Event, Settlement, Work, WorkId } from '../kernel/events.ts'
import type { TopicPartition } from '../kernel/ids.ts'
import type { KernelOptions } from '../kernel/options.ts'
import { KernelState } from '../kernel/state.ts'
import { nextDeadline, step } from '../kernel/step.ts'
import type { Clock } from '../ports/clock.ts'
import type { Completion, Engine, EngineWork } from '../ports/engine.ts'
import type { RecordExit } from '../ports/exit.ts'
import type { LogClient, LogClientListener, RecordBatch } from '../ports/log-client.ts'
import type { Observer } from '../ports/observer.ts'

export interface RuntimeParts {
  readonly options: KernelOptions
  readonly client: LogClient
  readonly engine: Engine
  readonly clock: Clock
  readonly observer: Observer
  /** Where records go that failed for good; needed for `onExhausted: 'handle'`. */
  readonly exit: RecordExit
  /** What an error means for retries. User code may be asked, so it is outside the kernel. */
  readonly classify: (error: unknown) => { readonly permanent: boolean; readonly retryAfterMs?: number }
  /** Lanes other than the record key, and records that cannot be decoded. */
  readonly route: (batch: RecordBatch) => RecordBatch
}

type Phase = 'running' | 'closing' | 'halted'

export class Runtime implements LogClientListener {
  readonly state: KernelState
  readonly #parts: RuntimeParts
  #mailbox: Event[] = []
  #turnPlanned = false
  #deadlineMs: number = Number.POSITIVE_INFINITY
  #cancelDeadline: () => void = nothing
  #phase: Phase = 'running'
  #nextNumber = 1
  readonly #revocations: Map<number, () => void> = new Map()
  readonly #tickets: Map<number, () => void> = new Map()
  #progressWaiters: (() => void)[] = []
  readonly closed: Promise<void>
  #settleClosed: { readonly resolve: () => void; readonly reject: (error: unknown) => void }
  #drained: () => void = nothing
  #failure: { readonly error: unknown } | null = null

  constructor(parts: RuntimeParts) {
    this.#parts = parts
    this.state = new KernelState(parts.options)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.closed = promise
    // Somebody may never look at it; `close()` and the 'error' event tell as well.
    promise.catch(nothing)
    this.#settleClosed = { resolve, reject }
    parts.engine.onCompletions((completions) =>
      this.post({ kind: 'settled', settlements: this.#classified(completions) }),
    )
  }

  async start(): Promise<void> {
    await this.#parts.client.start(this)
    this.#poll()
  }

  post(event: Event): void {
    if (this.#phase === 'halted') return
    this.#mailbox.push(event)
    if (this.#turnPlanned) return
    this.#turnPlanned = true
    this.#parts.clock.soon(() => this.#turn())
  }

  control(wish: Control): void {
    this.post({ kind: 'control', control: wish })
  }

  /** Everything finished now is acknowledged when this resolves. */
  commit(): Promise<void> {
    if (this.#phase === 'halted') return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const ticket = this.#nextNumber++
    this.#tickets.set(ticket, resolve)
    this.control({ kind: 'commit', ticket })
    return promise
  }

  /** Resolves when the state has changed, for those who wait for a condition. */
  progress(): Promise<void> {
    if (this.#phase === 'halted') return Promise.resolve()
    return new Promise((resolve) => this.#progressWaiters.push(resolve))
  }

  get isHalted(): boolean {
    return this.#phase === 'halted'
  }

  // The log client speaks. -----------------------------------------------------------------------------------------

  assigned(partitions: readonly TopicPartition[]): void {
    this.#parts.observer({ kind: 'assigned', partitions })
    this.post({ kind: 'assigned', partitions })
  }

  revoked(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.#phase === 'halted') return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const revocation = this.#nextNumber++
    this.#revocations.set(revocation, () => {
      this.#parts.observer({ kind: 'revoked', partitions })
      resolve()
    })
    this.post({ kind: 'revoked', revocation, partitions })
    return promise
  }

  lost(partitions: readonly TopicPartition[]): void {
    this.#parts.observer({ kind: 'lost', partitions })
    this.post({ kind: 'lost', partitions })
  }

  failed(error: unknown): void {
    this.fail(error)
  }

  // Ending. --------------------------------------------------------------------------------------------------------

  /** Stop intake, wait for running work, commit, leave. Never longer than `closeMs` by much: a dead broker cannot hold us. */
  async close(closeMs: number, leave: boolean): Promise<void> {
    if (this.#phase !== 'running') return this.closed
    this.#phase = 'closing'
    const { clock, engine, client } = this.#parts
    const deadlineMs = clock.now() + closeMs
    const drained = Promise.withResolvers<void>()
    this.#drained = drained.resolve
    const cancel = clock.at(deadlineMs, drained.resolve)
    this.control({ kind: 'close', drainMs: Math.max(0, closeMs - this.#parts.options.commit.finalMs) })
    await drained.promise
    cancel()
    this.#halt()
    await this.#within(engine.shutdown(deadlineMs), deadlineMs)
    await this.#within(client.close({ leave }), deadlineMs)
    if (this.#failure === null) this.#settleClosed.resolve()
    else this.#settleClosed.reject(this.#failure.error)
    return this.closed
  }

  /** Something that cannot be gone on from. What is finished is still committed, then `closed` rejects. */
  fail(error: unknown): void {
    if (this.#failure !== null) return
    this.#failure = { error }
    this.#parts.observer({ kind: 'fatal', error })
    this.close(this.#parts.options.drainMs, true).catch(nothing)
  }

  /** A bug of ours: nothing that we know can be trusted, so nothing more is committed. */
  #crash(error: unknown): void {
    this.#failure ??= { error }
    this.#parts.observer({ kind: 'fatal', error })
    this.#halt()
    this.#drained()
    if (this.#phase === 'running') this.#settleClosed.reject(error)
    this.#parts.client.close({ leave: true }).catch(nothing)
    this.#settleClosed.reject(error)
  }

  #halt(): void {
    this.#phase = 'halted'
    this.#mailbox = []
    this.#cancelDeadline()
    for (const resolve of this.#revocations.values()) resolve()
    for (const resolve of this.#tickets.values()) resolve()
    this.#revocations.clear()
    this.#tickets.clear()
    this.#tellProgress()
  }

  async #within(work: Promise<void>, deadlineMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#parts.clock.at(deadlineMs + GRACE_MS, resolve)
    await Promise.race([work.catch((error) => this.#parts.observer({ kind: 'error', error })), promise])
    cancel()
  }

  // The loop. ------------------------------------------------------------------------------------------------------

  #turn(): void {
    this.#turnPlanned = false
    const events = this.#mailbox
    this.#mailbox = []
    let polledAgain = false
    try {
      for (const event of events) {
        if (this.isHalted) return
        const { clock } = this.#parts
        for (const command of step(this.state, event, clock.now(), clock.random())) this.#perform(command)
        if (event.kind === 'polled') polledAgain = true
      }
    } catch (error) {
      return this.#crash(error)
    }
    if (polledAgain) this.#poll()
    this.#armDeadline()
    if (this.#progressWaiters.length > 0) this.#tellProgress()
  }

  #tellProgress(): void {
    const waiters = this.#progressWaiters
    this.#progressWaiters = []
    for (const resolve of waiters) resolve()
  }

  #armDeadline(): void {
    if (this.isHalted) return
    const next = nextDeadline(this.state)
    if (next === this.#deadlineMs) return
    this.#cancelDeadline()
    this.#cancelDeadline = nothing
    this.#deadlineMs = next
    if (next === Number.POSITIVE_INFINITY) return
    this.#cancelDeadline = this.#parts.clock.at(next, () => {
      this.#deadlineMs = Number.POSITIVE_INFINITY
      this.post({ kind: 'tick' })
    })
  }

  /** One poll is always outstanding; the client answers it when an unpaused partition has something. */
  #poll(): void {
    if (this.#phase !== 'running') return
    this.#parts.client.poll().then(
      (batches) => this.post({ kind: 'polled', batches: batches.map(this.#parts.route) }),
      (error) => this.fail(error),
    )
  }

  #classified(completions: readonly Completion[]): readonly Settlement[] {
    return completions.map((completion) =>
      completion.status === 'failed' ? { ...completion, ...this.#parts.classify(completion.error) } : completion,
    )
  }

  // Performing. ----------------------------------------------------------------------------------------------------

  #perform(command: Command): void {
    const { client, engine, observer } = this.#parts
    switch (command.kind) {
      case 'run':
        return engine.submit(command.works as readonly EngineWork[])
      case 'runBatches':
        return engine.submitBatches(command.batches as readonly (readonly EngineWork[])[])
      case 'abort':
        return engine.abort(command.works, command.reason)
      case 'fetch':
        return client.fetch(command.from)
      case 'stopFetch':
        return client.stopFetch(command.leases)
      case 'pause':
        return client.pause(command.leases)
      case 'resume':
        return client.resume(command.leases)
      case 'commit':
        return this.#await(client.commit(command.entries), (outcomes) => {
          observer({ kind: 'commit', entries: command.entries, outcomes })
          return { kind: 'committed', id: command.id, outcomes }
        })
      case 'transact':
        return this.#await(client.transact(command.entries, command.publications), (outcome) => {
          observer({ kind: 'transaction', entries: command.entries, outcome })
          return { kind: 'transacted', id: command.id, outcome }
        })
      case 'publish':
        return this.#await(client.publish(command.publications), (results) => ({ kind: 'published', results }))
      case 'exhaust':
        for (const { work, error } of command.records) this.#exit(work, error)
        return
      case 'open':
        return this.#await(this.#open(command), (starts) => ({ kind: 'opened', starts }))
      case 'resetProducer':
        return this.#await(client.resetProducer(), () => ({ kind: 'producerReady' }))
      case 'rejoin':
        return client.rejoin()
      case 'released':
        return this.#answer(this.#revocations, command.revocation)
      case 'answered':
        return this.#answer(this.#tickets, command.ticket)
      case 'stop':
        return this.fail(command.error)
      case 'closed':
        return this.#drained()
      case 'notice':
        return observer({ kind: 'notice', notice: command.notice })
    }
  }

  async #open(command: Extract<Command, { kind: 'open' }>): ReturnType<LogClient['readPositions']> {
    const { client } = this.#parts
    if (command.freshProducer) {
      // First the producer, then the offsets: read the other way round, a transaction of the old producer could still
      // commit after we looked, and its records would run again.
      await client.resetProducer()
      this.post({ kind: 'producerReady' })
    }
    return client.readPositions(command.leases)
  }

  #exit(work: Work, error: unknown): void {
    const id = idOf(work)
    const record = (work.batch as RecordBatch).record(work.index)
    this.#parts.exit({ work: id, record, error }).then(
      (result) => {
        this.#parts.observer({ kind: 'exhausted', work: id, error })
        this.post({ kind: 'exhausted', results: [{ work: id, ok: true, ...result }] })
      },
      (failure) => this.post({ kind: 'exhausted', results: [{ work: id, ok: false, error: failure }] }),
    )
  }

  #await<Result>(work: Promise<Result>, toEvent: (result: Result) => Event): void {
    work.then(
      (result) => this.post(toEvent(result)),
      (error) => this.fail(error),
    )
  }

  #answer(waiting: Map<number, () => void>, id: number): void {
    waiting.get(id)?.()
    waiting.delete(id)
  }
}

/** What ending may take beyond its time, so that a last answer can come in. */
const GRACE_MS = 250

function nothing(): void {
  // Nothing is waited for.
}

function idOf({ topic, partition, offset, epoch, attempt, run }: Work): WorkId {
  return { topic, partition, offset, epoch, attempt, run: run as number }
}
