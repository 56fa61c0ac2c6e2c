/**
 * The way to one address on one lane: opened when somebody asks, opened again after it broke, closed when nobody uses it.
 * Questions are written in the order in which they came. Those that come while there is no connection wait for the next
 * dial; if that fails they are all met with silence, so that whoever asked can look elsewhere.
 */
import type { FanlaneError } from '../../errors.ts'
import type { ApiVersionsResponse } from '../../protocol/generated/18-api-versions.ts'
import { Connection, type ConnectionListener } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { greet } from './greeting.ts'
import type { Holder, Job } from './job.ts'
import { broken, closedByUs } from './mishaps.ts'
import type { Settings } from './options.ts'
import { logIn, type Session } from './sasl/log-in.ts'
import { chooseVersion, type Served } from './versions.ts'

/** Above this nothing more is handed to the socket until it has sent what it has. */
const unsentBytesMax = 64 * 2 ** 20

export interface LinkListener {
  opened(link: Link, versions: ApiVersionsResponse): void
  /** The dial failed. */
  failed(link: Link): void
}

interface Live {
  readonly connection: Connection
  readonly served: Served
  /** Until when its login holds; null: there is none, or it has no end. */
  session: Session | null
  /** The broker wants to hear nothing until then. */
  quietUntilMs: number
  isLoggingIn: boolean
  isProved: boolean
}

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'opening'; readonly connection: Connection }
  | { readonly kind: 'open'; readonly live: Live }

export class Link implements Holder {
  readonly endpoint: Endpoint
  readonly #settings: Settings
  readonly #listener: LinkListener
  readonly #queue: Job[] = []
  #state: State = { kind: 'closed' }
  #lastUsedMs = 0
  #cancelIdle: (() => void) | null = null
  #cancelQuiet: (() => void) | null = null

  constructor(settings: Settings, endpoint: Endpoint, listener: LinkListener) {
    this.#settings = settings
    this.endpoint = endpoint
    this.#listener = listener
  }

  get isOpen(): boolean {
    return this.#state.kind === 'open'
  }

  get isOpening(): boolean {
    return this.#state.kind === 'opening'
  }

  /** How many questions wait here, sent or not. */
  get load(): number {
    return this.#queue.length + (this.#state.kind === 'open' ? this.#state.live.connection.load : 0)
  }

  submit(job: Job): void {
    const { refusal } = this.endpoint
    if (refusal !== null && (this.#state.kind === 'closed' || this.#state.kind === 'waiting')) {
      job.refuse(refusal)
      return
    }
    job.holder = this
    this.#queue.push(job)
    this.open()
    this.#flush()
  }

  /** Dials, as soon as the address may be tried. */
  open(): void {
    if (this.#state.kind !== 'closed') return
    const { clock } = this.#settings
    const { nextTryMs } = this.endpoint
    if (nextTryMs <= clock.now()) {
      this.#dial()
      return
    }
    const cancel = clock.at(nextTryMs, () => {
      this.#state = { kind: 'closed' }
      this.open()
    })
    this.#state = { kind: 'waiting', cancel }
  }

  /** A job's time is up before it was sent. */
  expired(job: Job): void {
    const at = this.#queue.indexOf(job)
    if (at >= 0) this.#queue.splice(at, 1)
    job.silence()
    if (this.#queue.length === 0 && this.#state.kind === 'waiting') this.#rest()
  }

  /** Everything that waits here is met with silence. */
  async close(): Promise<void> {
    const state = this.#state
    this.#rest()
    for (const job of this.#queue.splice(0)) job.silence()
    if (state.kind === 'opening') {
      state.connection.end(closedByUs)
      await state.connection.gone()
    } else if (state.kind === 'open') {
      state.live.connection.end(closedByUs)
      await state.live.connection.gone()
    }
  }

  /** Back to having no connection and no timers. */
  #rest(): void {
    if (this.#state.kind === 'waiting') this.#state.cancel()
    this.#state = { kind: 'closed' }
    this.#cancelIdle?.()
    this.#cancelIdle = null
    this.#cancelQuiet?.()
    this.#cancelQuiet = null
  }

  #dial(): void {
    const { address } = this.endpoint
    const connection = new Connection(this.#settings, address, () => this.endpoint.nodeId)
    this.#state = { kind: 'opening', connection }
    this.#greet(connection).catch((error: FanlaneError) => {
      // Somebody closed us meanwhile.
      if (this.#state.kind !== 'opening' || this.#state.connection !== connection) return
      connection.end(error)
      this.#fail(error)
    })
  }

  async #greet(connection: Connection): Promise<void> {
    const { text } = this.endpoint.address
    await connection.connected
    const { served, versions } = await greet(connection, this.#settings, text)
    const session = await this.#logIn(connection, served)
    if (connection.failure !== null) throw connection.failure
    if (this.#state.kind !== 'opening' || this.#state.connection !== connection) return
    const live: Live = { connection, served, session, quietUntilMs: 0, isLoggingIn: false, isProved: false }
    this.#state = { kind: 'open', live }
    connection.listen(this.#listenerOf(live))
    this.#watchIdle(this.#settings.clock.now())
    this.#listener.opened(this, versions)
    this.#flush()
  }

  async #logIn(connection: Connection, served: Served): Promise<Session | null> {
    const { sasl } = this.#settings
    return sasl === null ? null : logIn(connection, this.#settings, sasl, served, this.endpoint.address.text)
  }

  #fail(error: FanlaneError): void {
    this.#rest()
    this.endpoint.failed(error)
    for (const job of this.#queue.splice(0)) {
      if (error.retriable) job.silence()
      else job.refuse(error)
    }
    this.#listener.failed(this)
  }

  #listenerOf(live: Live): ConnectionListener {
    return {
      answered: (body) => {
        if (!live.isProved) {
          live.isProved = true
          this.endpoint.proved()
        }
        this.#heed(live, body)
        if (this.#queue.length > 0) this.#flush()
      },
      drained: () => this.#flush(),
      ended: (error, unanswered) => this.#lost(live, error, unanswered),
    }
  }

  /** Whoever is throttled and goes on asking is only answered later: the broker does not read (KIP-219). */
  #heed(live: Live, body: unknown): void {
    const { clock, requestTimeoutMs } = this.#settings
    const throttleMs = throttleOf(body)
    if (throttleMs <= 0) return
    // A bound, so that a broker's odd number does not silence us for good.
    live.quietUntilMs = Math.max(live.quietUntilMs, clock.now() + Math.min(throttleMs, requestTimeoutMs / 2))
  }

  /** A connection that ended after it was open: the next question dials again, at once if it had worked. */
  #lost(live: Live, error: FanlaneError, unanswered: number): void {
    if (this.#state.kind !== 'open' || this.#state.live !== live) return
    this.#rest()
    const { text } = this.endpoint.address
    if (error.code === 'BROKER_ANSWER_INVALID') this.endpoint.failed(error)
    else if (!live.isProved && unanswered > 0) this.endpoint.failed(unproved(error, text, this.#settings))
    if (this.#queue.length > 0) this.open()
  }

  #flush(): void {
    if (this.#state.kind !== 'open') return
    const { live } = this.#state
    const { clock } = this.#settings
    while (this.#queue.length > 0 && this.#mayWrite(live)) {
      const job = this.#queue.shift()
      if (job !== undefined) this.#write(live, job)
      if (this.#state.kind !== 'open') return
    }
    this.#lastUsedMs = clock.now()
  }

  #mayWrite(live: Live): boolean {
    if (live.isLoggingIn || live.connection.unsentBytes > unsentBytesMax) return false
    const nowMs = this.#settings.clock.now()
    if (live.quietUntilMs > nowMs) {
      this.#flushAt(live.quietUntilMs)
      return false
    }
    if (live.session === null || live.session.renewMs > nowMs) return true
    // What was sent is answered first, however long that takes: a join may wait for minutes.
    if (live.connection.load === 0) void this.#logInAgain(live)
    return false
  }

  #flushAt(timeMs: number): void {
    this.#cancelQuiet ??= this.#settings.clock.at(timeMs, () => {
      this.#cancelQuiet = null
      this.#flush()
    })
  }

  #write({ connection, served }: Live, job: Job): void {
    try {
      const version = chooseVersion(job.api, served, job.maxVersion, this.endpoint.address.text)
      connection.send(job, version)
    } catch (error) {
      job.refuse(error)
    }
  }

  /** The login ends soon. What comes now waits until we are known again. */
  async #logInAgain(live: Live): Promise<void> {
    live.isLoggingIn = true
    try {
      live.session = await this.#logIn(live.connection, live.served)
      live.isLoggingIn = false
      this.#flush()
    } catch (error) {
      const { connection } = live
      if (this.#state.kind !== 'open' || this.#state.live !== live) return
      this.#rest()
      connection.end(error as FanlaneError)
      this.#fail(error as FanlaneError)
    }
  }

  #watchIdle(fromMs: number): void {
    const { clock, idleMs } = this.#settings
    this.#lastUsedMs = fromMs
    const look = (): void => {
      const dueMs = this.#lastUsedMs + idleMs
      if (dueMs > clock.now() || this.load > 0) this.#cancelIdle = clock.at(Math.max(dueMs, clock.now() + 1_000), look)
      else void this.close()
    }
    this.#cancelIdle = clock.at(fromMs + idleMs, look)
  }
}

function throttleOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || !('throttleTimeMs' in body)) return 0
  return typeof body.throttleTimeMs === 'number' ? body.throttleTimeMs : 0
}

/** It took the connection and closed it at the first question: that is how brokers treat those who did not log in. */
function unproved(error: FanlaneError, address: string, { sasl }: Settings): FanlaneError {
  if (sasl !== null || error.code !== 'CONNECTION_LOST') return error
  return broken(address, error.cause, ' at the first request; does it ask for a login (sasl)?')
}
