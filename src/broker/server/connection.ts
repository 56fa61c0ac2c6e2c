/**
 * One client connection. Requests are started in the order in which they came, several may be under way, and the answers
 * leave in the same order, whichever is ready first.
 *
 * Bounds: the size of a frame (smaller for a stranger), the number of requests under way, the bytes that the peer has not
 * read yet, with those of answers that wait for their turn or are still being made. At a bound the socket is no longer
 * read, which is all the backpressure that TCP needs.
 */
import type { Socket } from 'node:net'
import { type AnyApi, requestHeaderVersion, responseHeaderVersion } from '../../protocol/api.ts'
import { errorCodes } from '../../protocol/errors.ts'
import { FrameReader } from '../../protocol/frames.ts'
import { readRequestHeader } from '../../protocol/generated/request-header.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { Reader } from '../../protocol/reader.ts'
import { Writer } from '../../protocol/writer.ts'
import type { BrokerLog } from '../broker-log.ts'
import { type Answer, type Departure, noAnswer, type Peer, type RequestContext, type Route } from './route.ts'

export interface ConnectionLimits {
  readonly requestBytesMax: number
  readonly requestsInFlightMax: number
  readonly unsentBytesMax: number
}

/** What the connection asks of the server around it. */
export interface ConnectionHost {
  readonly limits: ConnectionLimits
  readonly log: BrokerLog
  route(apiKey: number): Route | undefined
  /** Every request passes here: authentication, faults, then its handler. */
  dispatch(route: Route, request: object, context: RequestContext): Answer<object> | Promise<Answer<object>>
  /** Bytes of a SASL exchange without Kafka's framing of requests (SaslHandshake v0). */
  rawSasl(frame: Buffer, peer: Peer): Buffer
  /** undefined: the disk keeps up. Else what a producer has to wait for. */
  whenRoom(): Promise<void> | undefined
  closed(connection: Connection): void
}

interface Slot {
  chunks: readonly Buffer[] | undefined
  /** What the answer takes; as long as there is none, what it may take. */
  bytes: number
}

type Life =
  | 'open'
  /** The client has closed its side: what it asked for is still answered. */
  | 'finishing'
  /** No further request is taken; answers under way leave. */
  | 'ending'
  | 'closed'

const apiVersionsKey = 18
const produceKey = 0
/** What a client may send before it is known, as in Kafka (sasl.server.max.receive.size). */
const strangerBytesMax = 524_288
/** Of all arrays of a request: many times more than there can be partitions. */
const requestElementsMax = 1_000_000
const nothing: readonly Buffer[] = []

/** Thrown by dispatch when the connection has to be cut without an answer. */
export class CutConnection extends Error {}

export class Connection {
  readonly peer: Peer
  readonly #socket: Socket
  readonly #host: ConnectionHost
  readonly #frames: FrameReader
  readonly #waiting: Slot[] = []
  /** Bytes of the answers in `#waiting`. */
  #waitingBytes = 0
  #holds = 0
  #life: Life = 'open'
  #pumping = false

  constructor(socket: Socket, peer: Peer, host: ConnectionHost) {
    this.#socket = socket
    this.peer = peer
    this.#host = host
    this.#frames = new FrameReader(host.limits.requestBytesMax)
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk)
      this.#pump()
    })
    socket.on('drain', () => this.#pump())
    socket.on('end', () => {
      if (this.#life === 'open') this.#life = 'finishing'
      this.#pump()
    })
    socket.on('error', (error: Error) => host.log.debug(`connection ${peer.id} of ${peer.host}: ${error.message}`))
    socket.on('close', () => {
      this.#life = 'closed'
      this.#waiting.length = 0
      this.#tell('gone')
      host.closed(this)
    })
  }

  get requestsInFlight(): number {
    return this.#waiting.length
  }

  /** Cuts the connection now; answers under way are lost. */
  destroy(): void {
    this.#life = 'closed'
    this.#socket.destroy()
  }

  /** Takes no further request, sends the answers that are under way, then ends. */
  end(): void {
    if (this.#life === 'closed' || this.#life === 'ending') return
    this.#life = 'ending'
    this.#socket.pause()
    this.#tell('ending')
    if (this.#waiting.length === 0) this.#socket.end()
  }

  #tell(kind: Departure): void {
    for (const leave of [...this.peer.departures]) leave(kind)
  }

  get #takesRequests(): boolean {
    return this.#life === 'open' || this.#life === 'finishing'
  }

  #pump(): void {
    if (this.#pumping || !this.#takesRequests) return
    this.#pumping = true
    this.#socket.cork()
    let isEmpty = false
    try {
      while (this.#takesRequests && !this.#isFull()) {
        this.#frames.maxBytes = this.#frameBytesMax
        const frame = this.#frames.next()
        isEmpty = frame === undefined
        if (frame === undefined) break
        this.#accept(frame)
      }
    } catch (error) {
      this.#reject(error)
    } finally {
      this.#pumping = false
      this.#socket.uncork()
    }
    if (this.#life === 'finishing') {
      // Most likely the client is gone: no reason to wait for what it might have liked to read.
      this.#tell('ending')
      if (isEmpty && this.#waiting.length === 0) this.#socket.end()
    }
    if (this.#life !== 'open') return
    if (this.#isFull()) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  get #frameBytesMax(): number {
    const { kind } = this.peer.authentication
    const { requestBytesMax } = this.#host.limits
    return kind === 'not-needed' || kind === 'done' ? requestBytesMax : Math.min(requestBytesMax, strangerBytesMax)
  }

  #isFull(): boolean {
    const { requestsInFlightMax, unsentBytesMax } = this.#host.limits
    if (this.#holds > 0 || this.#waiting.length >= requestsInFlightMax) return true
    return this.#socket.writableLength + this.#waitingBytes >= unsentBytesMax
  }

  /** No further request of this connection is begun before that, however it ends. */
  #hold(until: Promise<unknown>): void {
    this.#holds++
    const over = (): void => {
      this.#holds--
      this.#pump()
    }
    until.then(over, over)
  }

  #reject(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const level = error instanceof ProtocolError || error instanceof CutConnection ? 'debug' : 'error'
    this.#host.log[level](`connection ${this.peer.id} of ${this.peer.host} closed: ${reason}`, error)
    this.destroy()
  }

  #accept(frame: Buffer): void {
    const authentication = this.peer.authentication
    if (authentication.kind === 'talking' && authentication.raw) {
      const answer = this.#host.rawSasl(frame, this.peer)
      const length = Buffer.allocUnsafe(4)
      length.writeInt32BE(answer.length)
      this.#settle(this.#newSlot(), [length, answer])
      return
    }
    if (frame.length < 8) throw new ProtocolError('FRAME_TRUNCATED', 'a request needs at least 8 bytes of header')
    const apiKey = frame.readInt16BE(0)
    const version = frame.readInt16BE(2)
    const correlationId = frame.readInt32BE(4)
    const route = this.#host.route(apiKey)
    if (route === undefined) throw new ProtocolError('VALUE_OUT_OF_RANGE', `API ${apiKey} is not known here`)
    if (version < route.api.minVersion || version > route.api.maxVersion) {
      this.#refuseVersion(route, version, correlationId)
      return
    }
    const reader = new Reader(frame, 0, frame.length, requestElementsMax)
    const header = readRequestHeader(reader, requestHeaderVersion(route.api, version))
    // Bytes after the request are ignored, as Kafka does: some clients send a few.
    const request = route.api.readRequest(reader, version)
    const clientId = header.clientId ?? ''
    const hold = (until: Promise<unknown>): void => this.#hold(until)
    this.#start(route, request, { version, correlationId, clientId, connection: this.peer, hold })
    if (apiKey !== produceKey) return
    const room = this.#host.whenRoom()
    if (room !== undefined) this.#hold(room)
  }

  /** Only ApiVersions is answered in a version that is not served: with the oldest answer, from which a client can learn. */
  #refuseVersion(route: Route, version: number, correlationId: number): void {
    if (route.api.key !== apiVersionsKey) {
      throw new ProtocolError('VALUE_OUT_OF_RANGE', `version ${version} of ${route.api.name} is not served`)
    }
    const context = { version: 0, correlationId, clientId: '', connection: this.peer }
    const answer = route.refuse({}, errorCodes.UNSUPPORTED_VERSION, context)
    if (answer !== noAnswer) this.#settle(this.#newSlot(), encode(route.api, 0, correlationId, answer))
  }

  #start(route: Route, request: object, context: RequestContext): void {
    const answer = this.#host.dispatch(route, request, context)
    if (!(answer instanceof Promise)) {
      if (answer !== noAnswer)
        this.#settle(this.#newSlot(), encode(route.api, context.version, context.correlationId, answer))
      return
    }
    const slot = this.#newSlot(route.answerBytesMax?.(request))
    answer
      .then((late) => {
        if (this.#life === 'closed') return
        const { version, correlationId } = context
        this.#settle(slot, late === noAnswer ? nothing : encode(route.api, version, correlationId, late))
        this.#pump()
      })
      .catch((error: unknown) => this.#reject(error))
  }

  #newSlot(bytes = 0): Slot {
    const slot: Slot = { chunks: undefined, bytes }
    this.#waiting.push(slot)
    this.#waitingBytes += bytes
    return slot
  }

  /** Sends what is ready at the head of the line. */
  #settle(slot: Slot, chunks: readonly Buffer[]): void {
    let bytes = 0
    for (const chunk of chunks) bytes += chunk.length
    this.#waitingBytes += bytes - slot.bytes
    slot.bytes = bytes
    slot.chunks = chunks
    if (this.#waiting[0] !== slot) return
    this.#socket.cork()
    let sent = 0
    for (const ready of this.#waiting) {
      if (ready.chunks === undefined) break
      for (const chunk of ready.chunks) this.#socket.write(chunk)
      this.#waitingBytes -= ready.bytes
      sent++
    }
    this.#waiting.splice(0, sent)
    this.#socket.uncork()
    // Whoever failed to tell who it is has been told so, and hangs up or is hung up on, as by Kafka.
    if (this.peer.authentication.kind === 'refused') this.end()
    else if (this.#life === 'ending' && this.#waiting.length === 0) this.#socket.end()
  }
}

function encode(api: AnyApi, version: number, correlationId: number, answer: object): readonly Buffer[] {
  const writer = new Writer()
  writer.int32(0)
  writer.int32(correlationId)
  if (responseHeaderVersion(api, version) > 0) writer.uvarint(0)
  api.writeResponse(writer, answer, version)
  const length = writer.length - 4
  const chunks = writer.chunks()
  chunks[0]?.writeInt32BE(length, 0)
  return chunks
}
