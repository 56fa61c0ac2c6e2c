/**
 * The inside of a worker: takes calls, runs them with an engine of its own, and reports how they ended.
 *
 * The engine inside is the async one, so a handler meets the same context, the same rules and the same errors on both sides
 * of the wall. What always holds: calls begin in the order in which they came; each is claimed before its handler is entered;
 * a result is reported before a long call begins, so that nobody waits for a result behind somebody else's handler.
 */
import type { AbortReason } from '../../../kernel/events.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Completion, Work } from '../../../ports/engine.ts'
import { abortError } from '../../abort.ts'
import { AsyncEngine, type AsyncEngineOptions } from '../../async.ts'
import { identityOf } from '../../identity.ts'
import type { Claimant } from '../claims.ts'
import { packPlain, readToWorker, type ToWorker, type WorkerSetup } from '../messages.ts'
import { packError } from '../portable-error.ts'
import { ReportWriter } from '../report-message.ts'
import { type IncomingCall, type LaneWork, RunReader } from '../run-message.ts'
import type { Channel } from './channel.ts'
import { channelLogger } from './channel-logger.ts'
import { type HandlerModule, loadHandler } from './handler-module.ts'

/** Results are reported at least so often while calls follow one another. */
const REPORT_EVERY_MS = 2
/** After so long the event loop gets its turn, whatever is left to do: promises of handlers, aborts, pings. */
const TURN_MS = 4
/** While a call is shorter than this, several share one claim: see FileClaimant. */
const CLAIM_US = 40
/** So many turns of the microtask queue an async handler takes that waits for nothing. */
const HOPS = 4
/** How long handlers that were told to stop may take before the worker ends without them. */
const STOP_MS = 500

export interface HostParts {
  readonly channel: Channel
  readonly claimant: Claimant
  readonly clock: Clock
  readonly decoderOf: (setup: WorkerSetup, module: HandlerModule) => AsyncEngineOptions['decode']
  /** The module is there, and no handler has begun: the last moment at which the event loop is certain to go round. */
  readonly loaded: () => void
  /** Ends this worker. */
  readonly exit: () => void
}

export class Host {
  readonly #parts: HostParts
  #engine: AsyncEngine | null = null
  #module: HandlerModule | null = null
  /** Where each call has one record, calls and records have the same numbers. */
  #isBatch = false
  readonly #topics: string[] = []
  /** Messages whose calls have not all begun. */
  readonly #line: RunReader[] = []
  /** Told to stop before they began. */
  readonly #unwanted: Map<number, AbortReason> = new Map()
  readonly #report: ReportWriter = new ReportWriter()
  #nextSeq = 0
  #nextCall = 0
  #pending = 0
  #calls = 0
  #busyMs = 0
  #callUs = CLAIM_US
  #reportedMs = 0
  #isTurning = false
  #isReportPlanned = false
  #whenIdle: () => void = () => undefined

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  listen(): void {
    const { channel, exit } = this.#parts
    channel.listen((message) => this.#take(readToWorker(message)), exit)
  }

  /** What is known is said, even on the way out. */
  flush(): void {
    if (this.#report.count > 0 || this.#calls > 0) this.#say()
  }

  crashed(error: unknown): void {
    this.flush()
    this.#parts.channel.post(packPlain({ kind: 'crashed', error: packError(error) }))
  }

  #take(message: ToWorker): void {
    switch (message.kind) {
      case 'start':
        this.#start(message.setup).catch((error) =>
          this.#parts.channel.post(packPlain({ kind: 'refused', error: packError(error) })),
        )
        return
      case 'run':
        this.#line.push(new RunReader(message.reader, this.#topics))
        if (!this.#isTurning) this.#turn()
        return
      case 'abort':
        this.#abort(message.seqs, message.reason)
        return
      case 'stop':
        this.#stop().catch((error) => this.crashed(error))
        return
    }
  }

  async #start(setup: WorkerSetup): Promise<void> {
    const { channel, decoderOf, loaded } = this.#parts
    const module = await loadHandler(setup.handler, setup.isBatch)
    const engine = new AsyncEngine({
      handle: module.handle,
      handleBatch: module.handleBatch,
      decode: decoderOf(setup, module),
      laneOf: (work: Work) => (work as LaneWork).lane,
      logger: channelLogger(channel),
      capacity: () => Number.POSITIVE_INFINITY,
    })
    engine.completions((completions) => this.#ended(completions))
    this.#module = module
    this.#isBatch = setup.isBatch
    this.#engine = engine
    loaded()
    channel.post(packPlain({ kind: 'ready' }))
  }

  // Calls. -----------------------------------------------------------------------------------------------------------

  /** As many calls as fit into one turn of the event loop. */
  #turn(): void {
    this.#isTurning = true
    this.#run().catch((error) => {
      // Not a handler's: something of ours does not work in here.
      this.crashed(error)
      this.#parts.exit()
    })
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts
    const beganMs = clock.now()
    let nowMs = beganMs
    for (let call = this.#next(); call !== null; call = this.#next()) {
      if (nowMs - this.#reportedMs >= REPORT_EVERY_MS) {
        this.#say()
        this.#reportedMs = nowMs
      }
      const before = this.#pending
      this.#enter(call)
      // A handler that is over at its first promise is over now, and not behind whatever comes next.
      for (let hop = 0; hop < HOPS && this.#pending > before; hop++) await null
      const afterMs = clock.now()
      this.#busyMs += afterMs - nowMs
      nowMs = afterMs
      this.#calls++
      if (nowMs - beganMs < TURN_MS) continue
      clock.soon(() => this.#turn())
      return
    }
    this.#isTurning = false
    if (this.#calls > 0) this.#say()
    this.#reportedMs = nowMs
  }

  #next(): IncomingCall | null {
    for (let reader = this.#line[0]; reader !== undefined; reader = this.#line[0]) {
      const call = reader.next()
      if (call !== null) return call
      this.#line.shift()
    }
    return null
  }

  #enter({ seq, isBatch, works }: IncomingCall): void {
    const engine = this.#engine
    // Nothing is sent before `ready`.
    if (engine === null) return
    const unwanted = this.#unwanted.get(seq)
    const lightness = Math.floor(CLAIM_US / this.#callUs)
    if (this.#parts.claimant.claim(this.#nextCall++, this.#pending, lightness)) {
      this.#pending += works.length
      if (unwanted !== undefined) this.#refuse(works, unwanted)
      else if (isBatch) engine.submitBatches([works])
      else engine.submit(works)
    }
    if (unwanted !== undefined) this.#unwanted.delete(seq)
    this.#nextSeq = seq + works.length
  }

  /** A handler that has not begun does not begin (I11). */
  #refuse(works: readonly Work[], reason: AbortReason): void {
    this.#ended(works.map((work) => ({ ...identityOf(work), status: 'failed', error: abortError(reason) })))
  }

  #ended(completions: readonly Completion[]): void {
    for (const completion of completions) {
      if (completion.status !== 'deferred') this.#pending--
      // A call that follows may take long: whoever cannot wait for the report finds it in the claims.
      if (isPlain(completion) && !this.#isBatch) this.#parts.claimant.done(completion.run as number)
      this.#report.add(completion)
    }
    if (this.#pending === 0) this.#whenIdle()
    if (this.#isTurning || this.#isReportPlanned) return
    this.#isReportPlanned = true
    this.#parts.clock.soon(() => {
      this.#isReportPlanned = false
      this.flush()
    })
  }

  #say(): void {
    const busyUs = this.#busyMs * 1_000
    if (this.#calls > 0) this.#callUs = Math.max(0.1, busyUs / this.#calls)
    this.#parts.channel.post(this.#report.take({ nextSeq: this.#nextSeq, calls: this.#calls, busyUs }))
    this.#calls = 0
    this.#busyMs = 0
  }

  #abort(seqs: readonly number[], reason: AbortReason): void {
    const begun: { run: number }[] = []
    for (const seq of seqs) {
      if (seq >= this.#nextSeq) this.#unwanted.set(seq, reason)
      else begun.push({ run: seq })
    }
    this.#engine?.abort(begun as unknown as Work[], reason)
    this.#parts.channel.post(packPlain({ kind: 'heard' }))
  }

  async #stop(): Promise<void> {
    const { clock, exit } = this.#parts
    const deadlineMs = clock.now() + STOP_MS
    await this.#engine?.shutdown(deadlineMs)
    if (this.#pending > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#whenIdle = resolve
      clock.at(deadlineMs, resolve)
      await promise
    }
    await this.#module?.close?.()
    this.flush()
    // The channel ends with us, and not before: whoever sees it end takes us for dead.
    exit()
  }
}

function isPlain(completion: Completion): boolean {
  return completion.status === 'done' && completion.sends === undefined
}
