/**
 * The dashboard's web server: health for whoever runs the process, metrics for whoever watches it, pages for people.
 *
 * One server for all consumers of a process that name the same port. It listens on this machine only, unless a token is given.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FanlaneError, OptionError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import { HttpError, refuse, SAFE_HEADERS } from './answers.ts'
import { auditFile } from './audit-file.ts'
import { Board, type GroupTools } from './board.ts'
import type { AuditFrame, Beside, Hello } from './frames.ts'
import { Guard, isLoopback, type Readers } from './guard.ts'
import type { Instance } from './instance.ts'
import { LocalInstance } from './local.ts'
import { RemoteInstance } from './remote.ts'
import { answer, openRoute, type Site } from './routes.ts'
import { Streams } from './streams.ts'

export interface DashboardOptions {
  /** 0: any that is free; `consumer.dashboard` tells which. */
  readonly port: number
  /** Default 127.0.0.1. Anything that others can reach needs a `token`. */
  readonly host?: string
  /** Pause, resume, skip, release, redrive, concurrency. Default: no, look only. */
  readonly allowActions?: boolean
  /** What actions, and readers elsewhere, need. Default: a random one, in the link that is printed. */
  readonly token?: string
  /** Names by which this server may be called, beside its own: what a proxy passes on as `Host`. */
  readonly allowedHosts?: readonly string[]
  /** Dashboards of other processes of the group: their consumers are shown together with ours. The token is the same for all. */
  readonly peers?: readonly string[]
  /** Actions are written here too, one line of JSON each. Always in the log. */
  readonly auditFile?: string
}

/**
 * Answers a request of a web server of yours, for a path under `prefix`: '/fanlane' for /fanlane/ and what is below. Bodies must not
 * have been read. Everything is checked as on the dashboard's own port, and to look takes the token too, unless `readers` says that
 * anybody may whom your server lets through.
 */
export type DashboardHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  prefix: string,
  readers?: Readers,
) => void

interface Elsewhere {
  readonly prefix: string
  readonly readers: Readers
}

export interface ServerParts {
  readonly options: DashboardOptions
  readonly version: string
  readonly source: Hello['source']
  readonly clock: Clock
  readonly logger: Logger
  /** Shown on the first page, for every group. */
  readonly beside?: () => Beside | null
}

const HEADERS_MAX_BYTES = 16 * 1_024
const TOKEN_MIN_CHARS = 16

export class DashboardServer {
  readonly #parts: ServerParts
  readonly #server: Server
  readonly #boards: Map<string, Board> = new Map()
  readonly #locals: Set<LocalInstance> = new Set()
  readonly #streams: Streams
  readonly #site: Site
  readonly #token: string
  readonly #audit: ((entry: AuditFrame) => void) | null
  #guard: Guard
  #isClosed = false

  private constructor(parts: ServerParts) {
    const { options, clock, logger, version, source } = parts
    this.#parts = parts
    this.#token = options.token ?? randomBytes(24).toString('base64url')
    this.#guard = this.#guardFor(options.port)
    this.#audit = options.auditFile === undefined ? null : auditFile(options.auditFile, logger)
    this.#streams = new Streams({ clock, logger, boards: () => this.#boards.values() })
    this.#site = {
      version,
      source,
      allowActions: options.allowActions ?? false,
      boards: this.#boards,
      locals: this.#locals,
      streams: this.#streams,
    }
    this.#server = createServer({ maxHeaderSize: HEADERS_MAX_BYTES, requestTimeout: 30_000 }, (request, response) => {
      this.#answer(request, response, null).catch((error) => this.#failed(error, response))
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
      if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      else socket.destroy()
    })
  }

  static async open(parts: ServerParts): Promise<DashboardServer> {
    checkProtected(parts.options)
    const server = new DashboardServer(parts)
    try {
      await server.#listen()
    } catch (error) {
      server.#streams.close()
      throw error
    }
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    const { host = '127.0.0.1' } = this.#parts.options
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}/`
  }

  /** The link that lets a browser act. A token that the user chose is not printed. */
  get link(): string {
    const { allowActions = false, token } = this.#parts.options
    return allowActions && token === undefined ? `${this.url}?token=${this.#token}` : this.url
  }

  readonly handle: DashboardHandler = (request, response, prefix, readers = 'token') => {
    this.#answer(request, response, { prefix, readers }).catch((error) => this.#failed(error, response))
  }

  /** Returns what takes it away again. */
  add(instance: Instance, tools: () => GroupTools | null): () => Promise<void> {
    const board = this.#boardFor(instance.group, tools)
    board.add(instance)
    if (instance instanceof LocalInstance) this.#locals.add(instance)
    return async () => {
      board.remove(instance)
      if (instance instanceof LocalInstance) this.#locals.delete(instance)
      if (!board.isEmpty) return
      this.#boards.delete(board.group)
      this.#streams.end(board)
      await board.close()
    }
  }

  get isEmpty(): boolean {
    return this.#boards.size === 0
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#streams.close()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
    for (const board of this.#boards.values()) await board.close()
  }

  #boardFor(group: string, tools: () => GroupTools | null): Board {
    const known = this.#boards.get(group)
    if (known !== undefined) return known
    const { clock, logger, options, beside } = this.#parts
    const board = new Board({
      group,
      clock,
      logger,
      tools: tools(),
      ...(this.#audit === null ? {} : { audit: this.#audit }),
      ...(beside === undefined ? {} : { beside }),
    })
    for (const url of options.peers ?? [])
      board.addElsewhere(new RemoteInstance({ url, token: options.token ?? null, group, clock }))
    this.#boards.set(group, board)
    return board
  }

  #guardFor(port: number): Guard {
    const { host = '127.0.0.1', allowedHosts = [] } = this.#parts.options
    return new Guard({ host, port, token: this.#token, allowedHosts })
  }

  #listen(): Promise<void> {
    const { port, host = '127.0.0.1' } = this.#parts.options
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(cause, host, port)))
      this.#server.listen({ port, host }, () => {
        this.#guard = this.#guardFor(this.port)
        this.#server.on('error', (error) => this.#parts.logger.error({ error }, 'the dashboard has a problem'))
        resolve()
      })
    })
  }

  /** `elsewhere` null: on our own server. */
  async #answer(request: IncomingMessage, response: ServerResponse, elsewhere: Elsewhere | null): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value)
    if (this.#isClosed)
      throw new HttpError(503, 'DASHBOARD_CLOSED', 'The consumer of this dashboard has ended: start it again.')
    const guard = this.#guard
    const url = URL.parse(request.url ?? '/', 'http://fanlane')
    if (url === null) throw new HttpError(400, 'QUERY_INVALID', 'This is no address: the dashboard is at /.')
    const { searchParams: query } = url
    const path = pathUnder(elsewhere?.prefix ?? '', url.pathname)
    // Its files are named relative to it. So is this: a proxy may have taken away the beginning of the path.
    if (path === '') return redirect(response, `./${url.pathname.split('/').at(-1)}/${url.search}`)
    const standing = elsewhere === null ? guard.standing(request) : guard.standingElsewhere(request, elsewhere.readers)
    const asked = { request, response, path, query, standing, isOurOrigin: guard.isOurOrigin(request) }
    const open = openRoute(path)
    if (open !== undefined) return open(this.#site, asked)
    if (!guard.isOurHost(request)) {
      throw new HttpError(421, 'HOST_REFUSED', "This is not a name of this dashboard: add it to 'allowedHosts'.")
    }
    const token = query.get('token')
    if (path === '/' && token !== null) return this.#unlock(token, response, elsewhere !== null)
    if (standing === 'stranger') {
      response.setHeader('www-authenticate', 'Bearer')
      throw new HttpError(401, 'TOKEN_NEEDED', 'Open this page with its token: ?token=… (option dashboard.token).')
    }
    await answer(this.#site, asked)
  }

  /** The token goes into a cookie, and out of the address bar. Without a path the cookie is for what is below the page. */
  #unlock(token: string, response: ServerResponse, isElsewhere: boolean): void {
    if (!this.#guard.isToken(token))
      throw new HttpError(
        403,
        'TOKEN_WRONG',
        'This token is not ours (any more): take the link that the process printed at its start.',
      )
    const path = isElsewhere ? '' : '; Path=/'
    response.setHeader('set-cookie', `${this.#guard.cookieName}=${token}; HttpOnly; SameSite=Strict${path}`)
    redirect(response, isElsewhere ? './' : '/')
  }

  #failed(error: unknown, response: ServerResponse): void {
    const { logger } = this.#parts
    const known = error instanceof HttpError ? error : null
    if (known === null) logger.error({ error }, 'the dashboard could not answer')
    if (response.headersSent) return void response.destroy()
    if (known !== null) refuse(response, known.status, known.code, known.message)
    else if (error instanceof FanlaneError) refuse(response, 500, error.code, error.message)
    else refuse(response, 500, 'INTERNAL', 'The dashboard could not answer: its process has logged why.')
  }
}

/** What is left of a path behind the prefix, with its slash; '' for the prefix itself. */
function pathUnder(prefix: string, path: string): string {
  if (path === prefix || path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
  throw new HttpError(404, 'NOT_FOUND', `There is nothing here. The dashboard is at ${prefix}/.`)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location })
  response.end()
}

function checkProtected({ host = '127.0.0.1', token, peers = [] }: DashboardOptions): void {
  if (token !== undefined && token.length < TOKEN_MIN_CHARS) {
    throw new OptionError(
      'OPTION_INVALID',
      'dashboard.token',
      `Option 'dashboard.token' must have at least ${TOKEN_MIN_CHARS} characters.`,
    )
  }
  for (const peer of peers) {
    if (URL.canParse(peer) && /^https?:$/.test(new URL(peer).protocol)) continue
    throw new OptionError(
      'OPTION_INVALID',
      'dashboard.peers',
      "Option 'dashboard.peers' must be addresses: http://host:4000.",
    )
  }
  if (isLoopback(host) || token !== undefined) return
  throw new OptionError(
    'DASHBOARD_UNPROTECTED',
    'dashboard.host',
    `A dashboard on ${host} can be reached from other machines: give it a token (dashboard: { token: … }), or leave 'host' out.`,
  )
}

function notListening(cause: NodeJS.ErrnoException, host: string, port: number): FanlaneError {
  const why = cause.code === 'EADDRINUSE' ? 'the port is in use by another process' : cause.message
  return new FanlaneError(
    'DASHBOARD_NOT_LISTENING',
    `The dashboard cannot listen on ${host}:${port}: ${why}. Give another port, or 0 for any that is free.`,
    { cause },
  )
}
