/**
 * Who may ask what.
 *
 * - A name in `Host` that is not ours is refused: a page of somebody else whose name was pointed at this address (DNS rebinding)
 *   would otherwise read everything as if it were ours.
 * - Actions need the token, and an `Origin` that is ours: no other page can send them with the user's cookie.
 * - Beyond this machine everything but health and metrics needs the token; as a part of another server too.
 *
 * The token is compared in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface GuardOptions {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly allowedHosts: readonly string[]
}

/** Who may look at a dashboard that is a part of another server: who has the token, or whoever that server lets through. */
export type Readers = 'token' | 'anybody'

export type Standing = 'stranger' | 'reader' | 'operator'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

export class Guard {
  readonly #options: GuardOptions
  readonly #hosts: ReadonlySet<string>
  readonly #digest: Buffer
  readonly cookieName: string

  constructor(options: GuardOptions) {
    this.#options = options
    this.#hosts = new Set([...LOOPBACK, options.host, `[${options.host}]`, ...options.allowedHosts].map(lower))
    this.#digest = digest(options.token)
    // Cookies know no ports: two dashboards on one machine must not overwrite each other's.
    this.cookieName = `fanlane_${options.port}`
  }

  /** Is the request meant for us? */
  isOurHost({ headers }: IncomingMessage): boolean {
    const name = hostName(headers.host)
    return name !== null && this.#hosts.has(name)
  }

  /** Requests of browsers carry an origin if they change anything; tools send none, and have no cookie to steal. */
  isOurOrigin({ headers }: IncomingMessage): boolean {
    const { origin } = headers
    if (origin === undefined) return true
    if (!URL.canParse(origin)) return false
    const { host } = new URL(origin)
    return lower(host) === lower(headers.host ?? '') && this.#hosts.has(hostName(host) ?? '')
  }

  standing(request: IncomingMessage): Standing {
    if (this.hasToken(request)) return 'operator'
    return isLoopback(this.#options.host) ? 'reader' : 'stranger'
  }

  /**
   * As a part of another server. Where it listens, and who is let through to it, we do not know: a proxy on this machine looks like
   * somebody who sits at it, by address and often by name. So without the token nobody may look, unless the user says so.
   */
  standingElsewhere(request: IncomingMessage, readers: Readers): Standing {
    if (this.hasToken(request)) return 'operator'
    return readers === 'anybody' ? 'reader' : 'stranger'
  }

  hasToken({ headers }: IncomingMessage): boolean {
    const bearer = /^Bearer (.{1,512})$/i.exec(headers.authorization ?? '')?.[1]
    return [bearer, this.#cookie(headers.cookie)].some((given) => given !== undefined && this.isToken(given))
  }

  isToken(given: string): boolean {
    return timingSafeEqual(digest(given), this.#digest)
  }

  #cookie(header: string | undefined): string | undefined {
    for (const part of (header ?? '').split(';')) {
      const [name, ...value] = part.trim().split('=')
      if (name === this.cookieName) return value.join('=')
    }
    return undefined
  }
}

/** The same length for all: nothing is told by how long it took. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function hostName(host: string | undefined): string | null {
  if (host === undefined || host === '') return null
  const bare = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]
  return bare === undefined ? null : lower(bare)
}

function lower(text: string): string {
  return text.toLowerCase()
}
