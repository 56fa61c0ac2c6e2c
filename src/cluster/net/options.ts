/** What a connection to a cluster needs to know. */
import type { ConnectionOptions } from 'node:tls'
import { type FanlaneError, OptionError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { checkText } from './sasl/texts.ts'

export interface OAuthToken {
  readonly value: string
  /** SASL extensions that go with it. */
  readonly extensions?: Readonly<Record<string, string>>
}

export type SaslOptions =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly password: string
    }
  | {
      readonly mechanism: 'oauthbearer'
      /** Asked at every login; whoever wants to keep a token keeps it there. */
      readonly token: () => Promise<OAuthToken>
    }

/** How one broker's address fares. Told when it changes, not at every try. */
export type ClusterState =
  | { readonly kind: 'connected'; readonly address: string }
  | {
      readonly kind: 'unreachable'
      readonly address: string
      /** When it was first noticed, and how often it was tried since. */
      readonly sinceMs: number
      readonly tries: number
      readonly nextTryMs: number
      readonly error: FanlaneError
    }

export interface ClusterOptions {
  /** `host:port`, `host` (port 9092) or `[::1]:9092`. Enough of them that one answers. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly clock: Clock
  readonly tls?: boolean | ConnectionOptions
  readonly sasl?: SaslOptions
  /** Default 30,000. */
  readonly requestTimeoutMs?: number
  /** Default 10,000. */
  readonly connectTimeoutMs?: number
  /** A connection that nobody used for so long is closed. Default 540,000: a little sooner than a broker would. */
  readonly idleMs?: number
  /** A larger answer is refused before it is read. Default 2³⁰ − 1. */
  readonly maxResponseBytes?: number
  readonly onState?: (state: ClusterState) => void
}

/** With every default filled in. */
export interface Settings {
  readonly clientId: string
  readonly clock: Clock
  readonly tls: ConnectionOptions | null
  readonly sasl: SaslOptions | null
  readonly requestTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly idleMs: number
  readonly maxResponseBytes: number
  readonly onState: (state: ClusterState) => void
}

export function settingsOf(options: ClusterOptions): Settings {
  const { clientId, clock, tls = false, sasl, onState } = options
  if (sasl !== undefined) checkSasl(sasl)
  return {
    clientId,
    clock,
    tls: tls === false ? null : tls === true ? {} : tls,
    sasl: sasl ?? null,
    requestTimeoutMs: positive('requestTimeoutMs', options.requestTimeoutMs ?? 30_000),
    connectTimeoutMs: positive('connectTimeoutMs', options.connectTimeoutMs ?? 10_000),
    idleMs: positive('idleMs', options.idleMs ?? 540_000),
    maxResponseBytes: positive('maxResponseBytes', options.maxResponseBytes ?? 2 ** 30 - 1),
    onState: onState ?? ((): void => undefined),
  }
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new OptionError('OPTION_INVALID', name, `Option '${name}' must be a positive number; it is ${String(value)}.`)
}

const mechanisms: readonly string[] = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']

/** Never prints what was given: it may be a password in the wrong place. */
function checkSasl(sasl: SaslOptions): void {
  if (!mechanisms.includes(sasl.mechanism)) {
    throw new OptionError(
      'OPTION_INVALID',
      'sasl.mechanism',
      `Option 'sasl.mechanism' must be one of ${mechanisms.join(', ')}.`,
    )
  }
  if (sasl.mechanism === 'oauthbearer') {
    if (typeof sasl.token === 'function') return
    throw new OptionError(
      'OPTION_INVALID',
      'sasl.token',
      "Option 'sasl.token' must be a function that gives { value }, the token.",
    )
  }
  for (const name of ['username', 'password'] as const) {
    if (typeof sasl[name] === 'string' && sasl[name] !== '') checkText(`sasl.${name}`, sasl[name])
    else
      throw new OptionError('OPTION_INVALID', `sasl.${name}`, `Option 'sasl.${name}' must be a text that is not empty.`)
  }
}
