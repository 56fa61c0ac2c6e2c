/** Logs in on a connection: SaslHandshake names the mechanism, then SaslAuthenticate carries its messages. */
import { FanlaneError } from '../../../errors.ts'
import { errorCodes, errorName } from '../../../protocol/errors.ts'
import { saslHandshakeApi } from '../../../protocol/generated/17-sasl-handshake.ts'
import { saslAuthenticateApi } from '../../../protocol/generated/36-sasl-authenticate.ts'
import type { Connection } from '../connection.ts'
import { converse } from '../greeting.ts'
import { silent } from '../mishaps.ts'
import type { SaslOptions, Settings } from '../options.ts'
import { chooseVersion, type Served } from '../versions.ts'
import { type Mechanism, mechanismOf, type Talk } from './mechanism.ts'

/** A login that ends some time. */
export interface Session {
  /** From then on: log in again before anything else is asked (KIP-368). */
  readonly renewMs: number
}

/** Raw messages without frames of their own, from before version 1, are not spoken. */
const framedFrom = 1
const messagesMax = 8

/** null: the login holds as long as the connection. Throws AUTHENTICATION_FAILED where the broker says no. */
export async function logIn(
  connection: Connection,
  settings: Settings,
  sasl: SaslOptions,
  served: Served,
  address: string,
): Promise<Session | null> {
  const mechanism = mechanismOf(sasl)
  // First: it may take long, and a broker does not wait long for whoever began a login.
  const talk = await begin(settings, mechanism, address)
  const version = chooseVersion(
    { ...saslHandshakeApi, minVersion: framedFrom },
    served,
    saslHandshakeApi.maxVersion,
    address,
  )
  const { name } = mechanism
  const { body } = await converse(connection, settings, saslHandshakeApi, { mechanism: name }, version)
  if (body.errorCode === errorCodes.UNSUPPORTED_SASL_MECHANISM) {
    throw refused(
      address,
      mechanism,
      `it offers ${body.mechanisms.join(', ') || 'no mechanism'}: set sasl.mechanism to one of them`,
    )
  }
  if (body.errorCode === errorCodes.ILLEGAL_SASL_STATE) {
    throw refused(address, mechanism, 'nobody logs in on this port: leave sasl out, or use the port with SASL')
  }
  if (body.errorCode !== errorCodes.NONE) throw refused(address, mechanism, errorName(body.errorCode))
  return authenticate({ connection, settings, served, address, mechanism, talk })
}

interface Scene {
  readonly connection: Connection
  readonly settings: Settings
  readonly served: Served
  readonly address: string
  readonly mechanism: Mechanism
  readonly talk: Talk
}

async function authenticate(scene: Scene): Promise<Session | null> {
  const { connection, settings, served, address, mechanism, talk } = scene
  const version = chooseVersion(saslAuthenticateApi, served, saslAuthenticateApi.maxVersion, address)
  let ours: Buffer | null = talk.opening
  for (let messages = 0; messages < messagesMax; messages++) {
    const { body } = await converse(connection, settings, saslAuthenticateApi, { authBytes: ours }, version)
    if (body.errorCode !== errorCodes.NONE) {
      throw refused(address, mechanism, wordsOf(talk, body.errorMessage ?? errorName(body.errorCode)))
    }
    ours = await replyTo(body.authBytes, scene)
    if (ours === null) return sessionOf(settings, Number(body.sessionLifetimeMs))
  }
  throw refused(address, mechanism, wordsOf(talk, 'it does not come to an end'))
}

async function replyTo(said: Buffer, { address, mechanism, talk }: Scene): Promise<Buffer | null> {
  try {
    return await talk.reply(said)
  } catch (cause) {
    if (!(cause instanceof FanlaneError)) throw cause
    throw new FanlaneError('AUTHENTICATION_FAILED', `No login at ${address} with ${mechanism.name}: ${cause.message}`, {
      cause,
    })
  }
}

/** What a login may take, and what has to be answered before it, on a busy machine. */
const LOGIN_ROOM_MS = 1_000

/** Some time before it ends, not all clients at once; of a short one at most half is given away. */
function sessionOf({ clock }: Settings, lifetimeMs: number): Session | null {
  if (!(lifetimeMs > 0)) return null
  const early = lifetimeMs * (0.85 + clock.random() * 0.1)
  const latest = lifetimeMs - Math.min(LOGIN_ROOM_MS, lifetimeMs / 2)
  return { renewMs: clock.now() + Math.min(early, latest) }
}

/** Everything that the broker said, without anything secret that it may have repeated. */
function wordsOf({ complaint, secrets }: Talk, said: string): string {
  let words = complaint === null ? said : `${said} ${complaint}`
  for (const secret of secrets) words = words.replaceAll(secret, '[redacted]')
  return words
}

function refused(address: string, { name, user }: Mechanism, why: string): FanlaneError {
  const fix = name === 'OAUTHBEARER' ? 'Look at the token' : 'Look at the user name and the password'
  return new FanlaneError(
    'AUTHENTICATION_FAILED',
    `${address} refused the login of '${user}' with ${name}: ${why}. ${fix}, and at what the broker logs.`,
  )
}

async function begin({ clock, requestTimeoutMs }: Settings, mechanism: Mechanism, address: string): Promise<Talk> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.at(clock.now() + requestTimeoutMs, () => {
    late.reject(silent(`sasl.token (for ${address})`, requestTimeoutMs))
  })
  try {
    return await Promise.race([mechanism.begin(), late.promise])
  } finally {
    cancel()
  }
}
