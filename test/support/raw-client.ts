/**
 * A connection that speaks the protocol and nothing else: one request, one answer, no retries, no metadata. What a test uses
 * to see exactly what a broker says.
 */
import { connect, type Socket } from 'node:net'
import { type Api, requestHeaderVersion, responseHeaderVersion } from '../../src/protocol/api.ts'
import { FrameReader } from '../../src/protocol/frames.ts'
import { writeRequestHeader } from '../../src/protocol/generated/request-header.ts'
import { readResponseHeader } from '../../src/protocol/generated/response-header.ts'
import { Reader } from '../../src/protocol/reader.ts'
import type { Input } from '../../src/protocol/types.ts'
import { Writer } from '../../src/protocol/writer.ts'

interface Waiting {
  readonly headerVersion: number
  readonly read: (reader: Reader) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

export class RawClient {
  readonly #socket: Socket
  readonly #clientId: string
  readonly #frames = new FrameReader(2 ** 30)
  readonly #waiting = new Map<number, Waiting>()
  #correlationId = 0

  private constructor(socket: Socket, clientId: string) {
    this.#socket = socket
    this.#clientId = clientId
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk)
      for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) this.#take(frame)
    })
    const fail = (error: Error): void => {
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the connection was closed')))
  }

  /** `address`: `host:port`. */
  static connect(address: string, clientId = 'raw'): Promise<RawClient> {
    const at = address.lastIndexOf(':')
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RawClient(socket, clientId))
      })
    })
  }

  send<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>): Promise<R> {
    const correlationId = ++this.#correlationId
    const promise = new Promise<R>((resolve, reject) => {
      this.#waiting.set(correlationId, {
        headerVersion: responseHeaderVersion(api, version),
        read: (reader) => api.readResponse(reader, version),
        resolve: resolve as (value: unknown) => void,
        reject,
      })
    })
    this.post(api, version, request, correlationId)
    return promise
  }

  /** A request that gets no answer (Produce with acks=0). */
  post<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>, correlationId: number = ++this.#correlationId): void {
    const writer = new Writer()
    writer.int32(0)
    const header = { requestApiKey: api.key, requestApiVersion: version, correlationId, clientId: this.#clientId }
    writeRequestHeader(writer, header, requestHeaderVersion(api, version))
    api.writeRequest(writer, request, version)
    const frame = writer.toBuffer()
    frame.writeInt32BE(frame.length - 4, 0)
    this.#socket.write(frame)
  }

  /** Bytes as they are. */
  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()))
    this.#socket.destroy()
    await closed
  }

  #take(frame: Buffer): void {
    const correlationId = frame.readInt32BE(0)
    const waiting = this.#waiting.get(correlationId)
    this.#waiting.delete(correlationId)
    if (waiting === undefined) return
    try {
      const reader = new Reader(frame)
      readResponseHeader(reader, waiting.headerVersion)
      waiting.resolve(waiting.read(reader))
    } catch (error) {
      waiting.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
