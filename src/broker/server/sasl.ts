/**
 * Who may talk to the broker. Where users are configured, a connection has to name a mechanism (SaslHandshake) and pass it
 * (SaslAuthenticate) before any request but ApiVersions is taken.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { FanlaneError } from '../../errors.ts'
import type { Peer, SaslExchange } from './route.ts'
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

export function mayAsk(peer: Peer, apiKey: number): boolean {
  const { kind } = peer.authentication
  return kind === 'not-needed' || kind === 'done' || openToAll.has(apiKey)
}
