/**
 * The listening socket: takes connections up to a cap, closes idle ones, ends all of them in good order.
 */
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { FanlaneError } from '../../errors.ts'
import { Connection, type ConnectionHost } from './connection.ts'
import type { Authentication, Peer } from './route.ts'

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly tls?: TlsOptions | undefined
  readonly connectionsMax: number
  readonly idleMs: number
  readonly needsAuthentication: boolean
}

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost|::ffff:127\.\d+\.\d+\.\d+)$/

export function isLoopback(host: string): boolean {
  return loopback.test(host)
}

export class Server {
  readonly #options: ServerOptions
  readonly #host: Omit<ConnectionHost, 'closed'>
  readonly #connections: Set<Connection> = new Set()
  /** Under TLS: also those that have not shaken hands yet. The listener does not close before they do. */
  readonly #rawSockets: Set<Socket> = new Set()
  #listener: NetServer | undefined
  #nextId = 1

  constructor(options: ServerOptions, host: Omit<ConnectionHost, 'closed'>) {
    this.#options = options
    this.#host = host
  }

  get connections(): number {
    return this.#connections.size
  }

  /** Resolves to the port on which it listens. */
  async listen(): Promise<number> {
    const { tls, host, port } = this.#options
    const accept = (socket: Socket): void => this.#accept(socket)
    const listener =
      tls === undefined ? createServer({ noDelay: true, allowHalfOpen: true }, accept) : createSecure(tls, accept)
    this.#listener = listener
    if (tls !== undefined) {
      // A peer that fails the handshake never becomes a connection; without this its error would go unseen.
      listener.on('tlsClientError', (error: Error) => this.#host.log.debug(`TLS handshake failed: ${error.message}`))
      listener.on('connection', (socket: Socket) => {
        this.#rawSockets.add(socket)
        socket.once('close', () => this.#rawSockets.delete(socket))
      })
    }
    await new Promise<void>((resolve, reject) => {
      listener.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(error, host, port)))
      listener.listen(port, host, resolve)
    })
    listener.on('error', (error: Error) => this.#host.log.error('the listening socket failed', error))
    const address = listener.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  unref(): void {
    this.#listener?.unref()
  }

  /** Takes no more connections and requests; gives answers under way `graceMs` to leave. */
  async close(graceMs: number): Promise<void> {
    const listener = this.#listener
    if (listener === undefined) return
    this.#listener = undefined
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
    for (const connection of this.#connections) connection.end()
    // Real time, whoever owns the broker's clock: nobody moves it while the broker is being closed.
    const cut = setTimeout(() => this.#destroyAll(), graceMs)
    await closed
    clearTimeout(cut)
  }

  /** Cuts everything at once, as a crash would. */
  async destroy(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    this.#destroyAll()
    if (listener !== undefined) await new Promise<void>((resolve) => listener.close(() => resolve()))
  }

  #destroyAll(): void {
    for (const connection of this.#connections) connection.destroy()
    for (const socket of this.#rawSockets) socket.destroy()
  }

  #accept(socket: Socket): void {
    const { connectionsMax, idleMs, needsAuthentication } = this.#options
    if (this.#connections.size >= connectionsMax) {
      this.#host.log.warn(`connection refused: ${connectionsMax} are open, which is the maximum (connectionsMax)`)
      socket.destroy()
      return
    }
    const authentication: Authentication = needsAuthentication ? { kind: 'wanted' } : { kind: 'not-needed' }
    const host = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const id = this.#nextId++
    const peer: Peer = { id, host: `/${host}`, principal: 'User:ANONYMOUS', authentication, departures: new Set() }
    const connection = new Connection(socket, peer, {
      ...this.#host,
      closed: (c) => {
        this.#connections.delete(c)
      },
    })
    this.#connections.add(connection)
    socket.setTimeout(idleMs, () => {
      // A consumer whose long poll is under way is not idle.
      if (connection.requestsInFlight === 0) connection.destroy()
    })
  }
}

function createSecure(tls: TlsOptions, accept: (socket: Socket) => void): NetServer {
  try {
    return createTlsServer(tls, accept)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `The certificate or its key cannot be used (${why}): both must be PEM and belong together.`
    throw new FanlaneError('BROKER_TLS_INVALID', message, { cause })
  }
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): FanlaneError {
  const fix =
    error.code === 'EADDRINUSE'
      ? 'another process has this port: stop it, or choose another one (port: 0 takes any free one)'
      : error.code === 'EACCES'
        ? 'this user may not open this port: choose one above 1023'
        : 'check host and port'
  return new FanlaneError(
    'BROKER_CANNOT_LISTEN',
    `The broker cannot listen on ${host}:${port} (${error.code ?? error.message}): ${fix}.`,
    {
      cause: error,
    },
  )
}
