/**
 * The one loop: mailbox → step → perform. It is the only one that waits for ports, and the only writer of the state.
 *
 * Whatever happens outside (records read, handlers ended, partitions revoked, commits answered) is posted as an event.
 * Events are taken in batches, one turn of the event loop later, so that I/O and heartbeats have their turn in between.
 * Event-driven: there is no tick but the one deadline that the control plane asks for.
 */
import type { Command, Control, Event, Work } from '../kernel/events.ts'
import type { TopicPartition } from '../kernel/ids.ts'
import type { KernelOptions } from '../kernel/options.ts'
import { KernelState } from '../kernel/state.ts'
import { nextDeadline, step } from '../kernel/step.ts'
import type { Clock } from '../ports/clock.ts'
import type { Completion, Engine } from '../ports/engine.ts'
import type { RecordExit } from '../ports/exit.ts'
import type { LogClient, LogClientListener, RecordBatch } from '../ports/log-client.ts'
import type { Observer } from '../ports/observer.ts'
import { commitFenced, consumerClosed, engineFailed, fenced } from './failures.ts'
import { type Classify, toSettlements } from './settlements.ts'
import { idOf, toSubmissions } from './submission.ts'
import { nothing, rejected, type Waiter, Wishes, waiting } from './waiters.ts'
import { within } from './within.ts'

export interface RuntimeParts {
  readonly options: KernelOptions
  readonly client: LogClient
  readonly engine: Engine
  readonly clock: Clock
  /** Never throws: what users do with it is caught there. */
  readonly observer: Observer
  /** Where records go that failed for good; needed for `onExhausted: 'handle'`. */
  readonly exit: RecordExit
  /** User code may be asked, so it is outside the kernel. Never throws. */
  readonly classify: Classify
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
  readonly #tickets: Map<number, Waiter> = new Map()
  readonly #wishes: Wishes = new Wishes()
  #progressWaiters: (() => void)[] = []
  readonly closed: Promise<void>
  readonly #settleClosed: Waiter
  #drained: () => void = nothing
  #failure: { readonly error: unknown } | null = null
  #joined = false

  constructor(parts: RuntimeParts) {
    this.#parts = parts
    this.state = new KernelState(parts.options)
    // Somebody may never look at it; `close()` and the 'error' event tell as well.
    const { promise, waiter } = waiting()
    this.closed = promise
    this.#settleClosed = waiter
    parts.engine.completions((completions) => this.#completed(completions))
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

  /** The same, for those who wait for the answer: resolves when it is taken, rejects if it is refused. */
  steer(wish: Control): Promise<void> {
    if (this.#phase === 'halted') return rejected(this.#ending())
    const answer = this.#wishes.add(wish)
    this.control(wish)
    return answer
  }

  /** Everything finished now is acknowledged when this resolves. */
  commit(): Promise<void> {
    if (this.#phase === 'halted') return rejected(this.#ending())
    const { promise, waiter } = waiting()
    const ticket = this.#nextNumber++
    this.#tickets.set(ticket, waiter)
    this.control({ kind: 'commit', ticket })
    return promise
  }

  /** Resolves when the state has changed, for those who wait for a condition. Rejects if it will change no more. */
  progress(): Promise<void> {
    if (this.#failure !== null || this.#phase === 'halted') return Promise.reject(this.#ending())
    return new Promise((resolve) => this.#progressWaiters.push(resolve))
  }

  get isHalted(): boolean {
    return this.#phase === 'halted'
  }

  /** The group has said what is ours, be it nothing. */
  get hasJoined(): boolean {
    return this.#joined
  }

  /** Why nothing more happens here. */
  #ending(): unknown {
    if (this.#failure !== null) return this.#failure.error
    return consumerClosed()
  }

  // The log client speaks. -----------------------------------------------------------------------------------------

  assigned(partitions: readonly TopicPartition[]): void {
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
    this.post({ kind: 'lost', partitions })
  }

  failed(error: unknown): void {
    this.fail(error)
  }

  // Ending. --------------------------------------------------------------------------------------------------------

  /** Stop intake, wait for running work, commit, leave. Never longer than `closeMs` by much: a dead broker cannot hold us. */
  close(closeMs: number, leave?: boolean): Promise<void> {
    // The final commit has its share of the time, but a short time is for the handlers first.
    return this.#close(closeMs, closeMs - Math.min(this.#parts.options.commit.finalMs, closeMs / 2), leave)
  }

  async #close(closeMs: number, drainMs: number, leave?: boolean): Promise<void> {
    if (this.#phase !== 'running') return this.closed
    this.#phase = 'closing'
    const { clock } = this.#parts
    const deadlineMs = clock.now() + closeMs
    const drained = Promise.withResolvers<void>()
    this.#drained = drained.resolve
    const cancel = clock.at(deadlineMs, drained.resolve)
    this.control({ kind: 'close', drainMs })
    await drained.promise
    cancel()
    this.#halt()
    await this.#leave(deadlineMs, leave)
    if (this.#failure === null) this.#settleClosed.resolve()
    else this.#settleClosed.reject(this.#failure.error)
    return this.closed
  }

  /** Something that cannot be gone on from. What is finished is still committed, then `closed` rejects. */
  fail(error: unknown): void {
    // After the end there is nothing to save: a client that is being closed may well refuse its last poll.
    if (this.#failure !== null || this.#phase === 'halted') return
    this.#failure = { error }
    this.#parts.observer({ kind: 'fatal', error })
    this.#tellProgress()
    const { drainMs, commit } = this.#parts.options
    this.#close(drainMs + commit.finalMs, drainMs).catch(nothing)
  }

  /** A bug of ours: nothing that we know can be trusted, so nothing more is committed. */
  #crash(error: unknown): void {
    const closing = this.#phase === 'closing'
    this.#failure ??= { error }
    this.#parts.observer({ kind: 'fatal', error })
    this.#halt()
    this.#settleClosed.reject(error)
    // A close that is under way goes on by itself.
    if (closing) return this.#drained()
    this.#leave(this.#parts.clock.now()).catch(nothing)
  }

  #halt(): void {
    this.#phase = 'halted'
    this.#mailbox = []
    this.#cancelDeadline()
    for (const resolve of this.#revocations.values()) resolve()
    for (const { reject } of this.#tickets.values()) reject(this.#ending())
    this.#revocations.clear()
    this.#tickets.clear()
    this.#wishes.end(this.#ending())
    this.#tellProgress()
  }

  /** Engine, then client, for as long as there is time. */
  async #leave(deadlineMs: number, leave?: boolean): Promise<void> {
    const { clock, engine, client, observer } = this.#parts
    const tell = (error: unknown): void => observer({ kind: 'error', error })
    await within(clock, deadlineMs, () => engine.shutdown(deadlineMs), tell)
    await within(clock, deadlineMs, () => client.close(leave === undefined ? {} : { leave }), tell)
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
        // Told when it is so: what waits in the mailbox before a loss may still start handlers of what is lost.
        if (event.kind === 'assigned' || event.kind === 'lost') this.#parts.observer(event)
        if (event.kind === 'assigned') this.#joined = true
        else if (event.kind === 'lost') this.#joined = false
        else if (event.kind === 'control') this.#wishes.taken(event.control)
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

  #completed(completions: readonly Completion[]): void {
    try {
      this.post({ kind: 'settled', settlements: toSettlements(completions, this.#parts.classify) })
    } catch (error) {
      this.fail(engineFailed('its completions', error))
    }
  }

  // Performing. ----------------------------------------------------------------------------------------------------

  #perform(command: Command): void {
    const { client, engine, observer, clock } = this.#parts
    switch (command.kind) {
      case 'run':
        return this.#submit('submit()', () => engine.submit(toSubmissions(command.works)))
      case 'runBatches':
        return this.#submit('submitBatches()', () => engine.submitBatches?.(command.batches.map(toSubmissions)))
      case 'abort':
        return this.#submit('abort()', () => engine.abort?.(command.works, command.reason))
      case 'fetch':
        return client.fetch(command.from)
      case 'stopFetch':
        return client.stopFetch(command.leases)
      case 'pause':
        return client.pause(command.leases)
      case 'resume':
        return client.resume(command.leases)
      case 'commit': {
        const sentMs = clock.now()
        return this.#await(client.commit(command.entries), (outcomes) => {
          observer({ kind: 'commit', entries: command.entries, outcomes, durationMs: clock.now() - sentMs })
          return { kind: 'committed', id: command.id, outcomes }
        })
      }
      case 'transact': {
        const sentMs = clock.now()
        return this.#await(client.transact(command.entries, command.publications), (outcome) => {
          observer({ kind: 'transaction', entries: command.entries, outcome, durationMs: clock.now() - sentMs })
          return { kind: 'transacted', id: command.id, outcome }
        })
      }
      case 'publish':
        return this.#await(client.publish(command.publications), (results) => ({ kind: 'published', results }))
      case 'exhaust':
        for (const { work, error } of command.records) this.#exit(work, error)
        return
      case 'open':
        this.#open(command).catch((error) => this.fail(error))
        return
      case 'resetProducer':
        return this.#await(client.resetProducer(), () => ({ kind: 'producerReady' }))
      case 'rejoin':
        return client.rejoin()
      case 'released':
        this.#revocations.get(command.revocation)?.()
        this.#revocations.delete(command.revocation)
        return
      case 'answered':
        if (command.isCommitted) this.#tickets.get(command.ticket)?.resolve()
        else this.#tickets.get(command.ticket)?.reject(commitFenced())
        this.#tickets.delete(command.ticket)
        return
      case 'stop':
        return this.fail(command.work === undefined ? (command.error ?? fenced()) : command.error)
      case 'closed':
        return this.#drained()
      case 'notice':
        if (command.notice.kind === 'control-refused')
          this.#wishes.refused(command.notice.control, command.notice.reason)
        return observer({ kind: 'notice', notice: command.notice })
    }
  }

  /** An exception here is the engine's, not ours: our state is sound, and what is finished can be committed. */
  #submit(where: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.fail(engineFailed(where, error))
    }
  }

  async #open(command: Extract<Command, { kind: 'open' }>): Promise<void> {
    const { client } = this.#parts
    if (command.freshProducer) {
      // First the producer, then the offsets: read the other way round, a transaction of the old producer could still
      // commit after we looked, and its records would run again.
      await client.resetProducer()
      this.post({ kind: 'producerReady' })
    }
    for (let open = command.leases; open.length > 0; ) {
      const starts = await client.readPositions(open)
      if (starts.length === 0) return
      this.post({ kind: 'opened', starts })
      const known = new Set(starts.map(({ epoch }) => epoch))
      open = open.filter(({ epoch }) => !known.has(epoch))
    }
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
}
