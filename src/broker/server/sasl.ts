/**
 * Who may talk to the broker. Where users are configured, a connection has to name a mechanism (SaslHandshake) and pass it
 * (SaslAuthenticate) before any request but ApiVersions is taken. With `connections.max.reauth.ms` that holds for a while: it
 * has to authenticate again in time, as the same user and by the same mechanism.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { FanlaneError } from '../../errors.ts'
import type { Peer, SaslExchange, Session, Talking } from './route.ts'
import { type ScramCredential, ScramExchange, type ScramHash, scramCredential } from './scram.ts'

export type SaslMechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'

const scramHashes: Readonly<Record<string, ScramHash>> = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-512': 'sha512' }

export interface Users {
  readonly mechanisms: readonly SaslMechanism[]
  exchange(mechanism: string): SaslExchange | undefined
  /** Where to look for credentials before those of the options: users can be added while the broker runs. */
  lookFirst(stored: StoredCredentials): void
}

export type StoredCredentials = (user: string, hash: ScramHash) => ScramCredential | undefined

const comparisonKey = randomBytes(32)

/** Equal in a time that does not tell how far two texts agree. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', comparisonKey).update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

export function createUsers(mechanisms: readonly SaslMechanism[], passwords: Readonly<Record<string, string>>): Users {
  const known = new Map(Object.entries(passwords))
  const credentials = new Map<string, ScramCredential>()
  let stored: StoredCredentials = () => undefined
  /** Derived when first needed: 4,096 rounds cost milliseconds that a start should not. */
  const scram = (hash: ScramHash, user: string): ScramCredential | undefined => {
    const kept = stored(user, hash)
    if (kept !== undefined) return kept
    const password = known.get(user)
    if (password === undefined) return undefined
    const key = `${hash}/${user}`
    const made = credentials.get(key) ?? scramCredential(hash, password)
    credentials.set(key, made)
    return made
  }
  return {
    mechanisms,
    exchange(mechanism) {
      if (!mechanisms.some((m) => m === mechanism)) return undefined
      const hash = scramHashes[mechanism]
      return hash === undefined ? plainExchange(known) : new ScramExchange(hash, (user) => scram(hash, user))
    },
    lookFirst(credentialsOf) {
      stored = credentialsOf
    },
  }
}

/** PLAIN: authorization id, user and password, separated by NUL. */
function plainExchange(passwords: ReadonlyMap<string, string>): SaslExchange {
  return {
    step(message) {
      const parts = message.toString('utf8').split('\0')
      const [authorizationId = '', user = '', password = ''] = parts
      const expected = passwords.get(user)
      const fits = sameText(password, expected ?? '') && expected !== undefined && parts.length === 3
      if (!fits || (authorizationId !== '' && authorizationId !== user)) {
        throw new FanlaneError('SASL_REFUSED', 'Authentication failed: Invalid username or password')
      }
      return { answer: Buffer.alloc(0), principal: `User:${user}` }
    },
  }
}

/** The APIs that a stranger may use. */
const openToAll: ReadonlySet<number> = new Set([17, 18, 36])

const handshakeKey = 17

export function mayAsk({ authentication }: Peer, apiKey: number, nowMs: number): boolean {
  switch (authentication.kind) {
    case 'not-needed':
      return true
    case 'done': {
      const { endsMs } = authentication.session
      return endsMs === undefined || nowMs < endsMs || apiKey === handshakeKey
    }
    default:
      return openToAll.has(apiKey)
  }
}

/** As in Kafka. */
const renewalIntervalMinMs = 1_000

export function mayRenew({ renewedMs }: Session, nowMs: number): boolean {
  return renewedMs === undefined || nowMs - renewedMs >= renewalIntervalMinMs
}

/** One token of the exchange. The answer to it; after the last one the peer is known. Throws when the peer is refused. */
export function takeToken(peer: Peer, talking: Talking, token: Buffer, nowMs: number, lifetimeMs: number): Buffer {
  const { exchange, mechanism, renewed } = talking
  if (renewed !== undefined && renewed.mechanism !== mechanism) {
    const why = `SASL mechanism '${mechanism}' requested by client is not supported for re-authentication`
    throw new FanlaneError('SASL_REFUSED', `${why} of mechanism '${renewed.mechanism}'`)
  }
  const { answer, principal } = exchange.step(token)
  if (principal === undefined) return answer
  if (renewed !== undefined && renewed.principal !== principal) {
    const [before, now] = [renewed.principal, principal].map((who) => who.replace(':', '.'))
    throw new FanlaneError('SASL_REFUSED', `Cannot change principals during re-authentication from ${before}: ${now}`)
  }
  const endsMs = lifetimeMs > 0 ? nowMs + lifetimeMs : undefined
  peer.principal = principal
  peer.authentication = { kind: 'done', session: { principal, mechanism, endsMs, renewedMs: renewed?.renewedMs } }
  return answer
}
