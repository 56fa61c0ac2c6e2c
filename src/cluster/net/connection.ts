/**
 * One socket. Requests are written in the order of the calls, and a broker answers in that order: the answers are matched by
 * order and by correlation id, and a mismatch ends the connection. So does a request whose time is up, since the answers
 * behind it could not come before its own. Whatever ends the connection, every job on it is settled.
 */
import type { Socket } from 'node:net'
import type { FanlaneError } from '../../errors.ts'
import { requestHeaderVersion, responseHeaderVersion } from '../../protocol/api.ts'
import { FrameReader } from '../../protocol/frames.ts'
import { writeRequestHeader } from '../../protocol/generated/request-header.ts'
import { readResponseHeader } from '../../protocol/generated/response-header.ts'
import { Reader } from '../../protocol/reader.ts'
import { Writer } from '../../protocol/writer.ts'
import type { Address } from './brokers.ts'
import { dial } from './dial.ts'
import type { Holder, Job } from './job.ts'
import { broken, nonsense, silent, speaksTls, tlsFailure, unreachable } from './mishaps.ts'
import type { Settings } from './options.ts'
import { patiently } from './patience.ts'

/** Until the greeting is over, answers are small: whoever announces more is no broker. */
const greetingBytesMax = 2 ** 20
const correlationIdMax = 2 ** 31 - 1
const lengthBytes = 4

interface Sent {
  readonly job: Job
  readonly version: number
  readonly correlationId: number
}

export interface ConnectionListener {
  /** After the greeting: an answer has come, and has been given to whoever asked. */
  answered(body: unknown): void
  /** There is room again for more bytes. */
  drained(): void
  /** `unanswered`: how many requests were met with silence. */
  ended(error: FanlaneError, unanswered: number): void
}

export class Connection implements Holder {
  readonly #settings: Settings
  readonly #address: Address
  readonly #nodeId: () => number
  readonly #socket: Socket
  readonly #frames: FrameReader = new FrameReader(greetingBytesMax)
  readonly #sent: Sent[] = []
  readonly #ready: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #cancelConnectTimeout: () => void
  #listener: ConnectionListener | null = null
  #correlationId = 0
  #hasHeard = false
  #stage: 'dialled' | 'connected' | 'ready' = 'dialled'
  #failure: FanlaneError | null = null

  /** `nodeId`: as which node its answers are signed. */
  constructor(settings: Settings, address: Address, nodeId: () => number) {
    this.#settings = settings
    this.#address = address
    this.#nodeId = nodeId
    const { clock, connectTimeoutMs, tls } = settings
    const { socket, readyEvent } = dial(address, tls)
    this.#socket = socket
    this.#cancelConnectTimeout = patiently(clock, clock.now() + connectTimeoutMs, () => {
      this.end(unreachable(address.text, `no connection within ${connectTimeoutMs} ms`))
    })
    // Whoever does not wait for it does not need to hear of its failure twice.
    this.#ready.promise.catch(() => undefined)
    socket.once('connect', () => {
      this.#stage = 'connected'
    })
    socket.once(readyEvent, () => {
      this.#stage = 'ready'
      this.#cancelConnectTimeout()
      this.#ready.resolve()
    })
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('drain', () => this.#listener?.drained())
    socket.on('error', (cause) => this.end(this.#mishap(cause)))
    socket.on('end', () => this.end(this.#mishap(undefined)))
    socket.on('close', () => this.end(this.#mishap(undefined)))
  }

  /** Resolves when the socket may be used; rejects if it never will. */
  get connected(): Promise<void> {
    return this.#ready.promise
  }

  /** Why it ended; null: it did not. */
  get failure(): FanlaneError | null {
    return this.#failure
  }

  /** How many requests wait for their answers. */
  get load(): number {
    return this.#sent.length
  }

  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  /** The greeting is over: answers may be large from now on. */
  listen(listener: ConnectionListener): void {
    this.#listener = listener
    this.#frames.maxBytes = this.#settings.maxResponseBytes
  }

  /** Writes at once. A request that cannot be written in this version is refused, and nothing is sent. */
  send(job: Job, version: number): void {
    if (this.#failure !== null) {
      job.silence()
      return
    }
    const correlationId = this.#correlationId
    let chunks: Buffer[]
    try {
      chunks = this.#encode(job, version, correlationId)
    } catch (error) {
      job.refuse(error)
      return
    }
    this.#correlationId = correlationId === correlationIdMax ? 0 : correlationId + 1
    job.holder = this
    if (job.expectsAnswer) this.#sent.push({ job, version, correlationId })
    this.#write(chunks, job.expectsAnswer ? undefined : (error) => this.#posted(job, version, error))
  }

  end(error: FanlaneError): void {
    if (this.#failure !== null) return
    this.#failure = error
    this.#cancelConnectTimeout()
    this.#socket.destroy()
    this.#ready.reject(error)
    const unanswered = this.#sent.splice(0)
    for (const { job } of unanswered) job.silence()
    this.#listener?.ended(error, unanswered.length)
  }

  /** When the socket is really gone. */
  gone(): Promise<void> {
    if (this.#socket.closed) return Promise.resolve()
    return new Promise((resolve) => this.#socket.once('close', () => resolve()))
  }

  expired(job: Job): void {
    if (job.expectsAnswer) this.end(silent(this.#address.text, job.timeoutMs))
    else job.silence()
  }

  #encode(job: Job, version: number, correlationId: number): Buffer[] {
    const { api } = job
    const writer = new Writer()
    writer.int32(0)
    const header = {
      requestApiKey: api.key,
      requestApiVersion: version,
      correlationId,
      clientId: this.#settings.clientId,
    }
    writeRequestHeader(writer, header, requestHeaderVersion(api, version))
    job.write(writer, version)
    const { length } = writer
    const chunks = writer.chunks()
    chunks[0]?.writeInt32BE(length - lengthBytes, 0)
    return chunks
  }

  /** Large pieces go to the socket as they are, all in one system call. */
  #write(chunks: readonly Buffer[], done: ((error?: Error | null) => void) | undefined): void {
    this.#socket.cork()
    const last = chunks.length - 1
    for (const [i, chunk] of chunks.entries()) this.#socket.write(chunk, i === last ? done : undefined)
    this.#socket.uncork()
  }

  #posted(job: Job, version: number, error: Error | null | undefined): void {
    if (error === null || error === undefined) job.answer(undefined, version, this.#nodeId())
    else job.silence()
  }

  #take(chunk: Buffer): void {
    if (this.#failure !== null) return
    if (!this.#hasHeard) {
      this.#hasHeard = true
      const stranger = strangerAt(this.#address.text, chunk)
      if (stranger !== undefined) {
        this.end(stranger)
        return
      }
    }
    try {
      this.#frames.push(chunk)
      for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) this.#match(frame)
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      this.end(nonsense(this.#address.text, `sent what is not an answer of Kafka's protocol: ${said}`, cause))
    }
  }

  #match(frame: Buffer): void {
    const sent = this.#sent.shift()
    if (sent === undefined) throw new Error('an answer that nobody asked for')
    const { job, version, correlationId } = sent
    let body: unknown
    try {
      const reader = new Reader(frame)
      const header = readResponseHeader(reader, responseHeaderVersion(job.api, version))
      if (header.correlationId !== correlationId) {
        throw new Error(`the answer to request ${header.correlationId}, where that to ${correlationId} was due`)
      }
      body = job.read(reader, version)
    } catch (error) {
      job.silence()
      throw error
    }
    job.answer(body, version, this.#nodeId())
    this.#listener?.answered(body)
  }

  /** undefined: the other side closed it without a word. */
  #mishap(cause: unknown): FanlaneError {
    const { text } = this.#address
    const { tls } = this.#settings
    const failure = tls === null ? undefined : tlsFailure(text, cause)
    if (failure !== undefined) return failure
    if (this.#stage === 'dialled') return unreachable(text, cause)
    if (this.#stage === 'connected') return broken(text, cause, ' before TLS was agreed on; does this port speak TLS?')
    if (tls === null && !this.#hasHeard) return broken(text, cause, ' at the first word; does this port speak TLS?')
    return broken(text, cause)
  }
}

/** Protocols that are known by their first bytes. */
function strangerAt(address: string, chunk: Buffer): FanlaneError | undefined {
  const [type, major] = chunk
  // A TLS alert or handshake record: as a length it would be some 350 MB.
  if ((type === 0x15 || type === 0x16) && major === 0x03) return speaksTls(address)
  if (chunk.toString('latin1', 0, 5) === 'HTTP/') return nonsense(address, 'speaks HTTP')
  return undefined
}
