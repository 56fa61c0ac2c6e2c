/** Where brokers listen: `host:port`, `host` (port 9092), `[::1]:9092`. */
import { OptionError } from '../../errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
  /** `host:port`, the name under which it is known and told of. */
  readonly text: string
}

const defaultPort = 9092
const portMax = 65_535

/** Every address once, in the order given. */
export function parseBrokers(brokers: readonly string[]): Address[] {
  if (!Array.isArray(brokers) || brokers.length === 0) {
    throw invalid(`brokers names no broker; give at least one, such as 'localhost:${defaultPort}'`)
  }
  const found = new Map<string, Address>()
  for (const text of brokers) {
    const address = parseBroker(text)
    found.set(address.text, address)
  }
  return [...found.values()]
}

function parseBroker(given: unknown): Address {
  if (typeof given !== 'string')
    throw invalid(`A broker is a text such as 'host:${defaultPort}', not ${String(given)}.`)
  const text = given.trim()
  if (text === '') throw invalid(`A broker's address is empty: write 'host:port'.`)
  if (text.includes(',')) {
    throw invalid(
      `'${text}' has a comma: write several brokers as several texts, ['a:${defaultPort}', 'b:${defaultPort}'].`,
    )
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  if (scheme !== undefined) {
    throw invalid(`'${text}' begins with '${scheme}://': write 'host:port'. TLS is an option of its own: tls: true.`)
  }
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text)
  if (bracketed !== null) return addressOf(bracketed[1] ?? '', portOf(bracketed[2], text), text)
  const parts = text.split(':')
  if (parts.length > 2)
    throw invalid(`'${text}' looks like an IPv6 address: write it in brackets, '[${text}]:${defaultPort}'.`)
  return addressOf(parts[0] ?? '', portOf(parts[1], text), text)
}

function addressOf(host: string, port: number, text: string): Address {
  if (host === '' || /[\s/@?#]/.test(host)) throw invalid(`'${text}' has no usable host name: write 'host:port'.`)
  return address(host, port)
}

function portOf(port: string | undefined, text: string): number {
  if (port === undefined) return defaultPort
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0
  if (!isPort(number)) throw invalid(`'${text}' has no usable port: it must be a number from 1 to ${portMax}.`)
  return number
}

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= portMax
}

export function address(host: string, port: number): Address {
  return { host, port, text: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}` }
}

function invalid(message: string): OptionError {
  return new OptionError('OPTION_INVALID', 'brokers', message)
}
