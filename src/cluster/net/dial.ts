/** Opens a socket to a broker, plain or TLS. It is not connected yet when this returns. */
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Address } from './brokers.ts'

/** After so long without traffic the operating system asks whether the other side is still there. */
const keepAliveMs = 60_000

export interface Dialled {
  readonly socket: Socket
  /** What the socket emits when it may be used. */
  readonly readyEvent: 'connect' | 'secureConnect'
}

export function dial({ host, port }: Address, tls: ConnectionOptions | null): Dialled {
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
  if (tls === null) return { socket: connect(options), readyEvent: 'connect' }
  // A bare address has no name to ask for; the certificate is still compared with it.
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return { socket: connectTls({ ...servername, ...tls, ...options }), readyEvent: 'secureConnect' }
}
