/**
 * SCRAM (RFC 5802) on the server's side, with SHA-256 or SHA-512. Only derived keys are kept, never a password.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import { FanlaneError } from '../../errors.ts'
import type { SaslExchange } from './route.ts'

export type ScramHash = 'sha256' | 'sha512'

export interface ScramCredential {
  readonly salt: Buffer
  readonly iterations: number
  readonly storedKey: Buffer
  readonly serverKey: Buffer
}

export const scramIterations = 4096
const hashBytes: Readonly<Record<ScramHash, number>> = { sha256: 32, sha512: 64 }

export function scramCredential(
  hash: ScramHash,
  password: string,
  salt: Buffer = randomBytes(24),
  iterations: number = scramIterations,
): ScramCredential {
  const salted = pbkdf2Sync(password, salt, iterations, hashBytes[hash], hash)
  return scramCredentialFromSalted(hash, salted, salt, iterations)
}

/** A client may send the salted password itself (AlterUserScramCredentials). */
export function scramCredentialFromSalted(
  hash: ScramHash,
  salted: Buffer,
  salt: Buffer,
  iterations: number,
): ScramCredential {
  const clientKey = createHmac(hash, salted).update('Client Key').digest()
  const storedKey = createHash(hash).update(clientKey).digest()
  const serverKey = createHmac(hash, salted).update('Server Key').digest()
  return { salt, iterations, storedKey, serverKey }
}

const refused = (why: string): FanlaneError =>
  new FanlaneError('SASL_REFUSED', `Authentication failed during authentication due to ${why}`)

export class ScramExchange implements SaslExchange {
  readonly #hash: ScramHash
  readonly #lookUp: (user: string) => ScramCredential | undefined
  #first:
    | { readonly user: string; readonly nonce: string; readonly log: string; readonly credential: ScramCredential }
    | undefined

  constructor(hash: ScramHash, lookUp: (user: string) => ScramCredential | undefined) {
    this.#hash = hash
    this.#lookUp = lookUp
  }

  step(message: Buffer): { readonly answer: Buffer; readonly principal?: string } {
    return this.#first === undefined ? this.#start(message.toString('utf8')) : this.#finish(message.toString('utf8'))
  }

  #start(message: string): { readonly answer: Buffer } {
    const match = /^(?:n|y),(?:a=([^,]*))?,(n=([^,]*),r=([!-+\--~]+)(?:,.*)?)$/.exec(message)
    if (match === null) throw refused('an invalid first message')
    const user = (match[3] ?? '').replaceAll('=2C', ',').replaceAll('=3D', '=')
    const known = this.#lookUp(user)
    if (known === undefined) throw refused('invalid credentials with SASL mechanism')
    const nonce = `${match[4] ?? ''}${randomBytes(18).toString('base64url')}`
    const answer = `r=${nonce},s=${known.salt.toString('base64')},i=${known.iterations}`
    this.#first = { user, nonce, log: `${match[2] ?? ''},${answer}`, credential: known }
    return { answer: Buffer.from(answer) }
  }

  #finish(message: string): { readonly answer: Buffer; readonly principal: string } {
    const first = this.#first
    const match = /^(c=([^,]*),r=([^,]*)(?:,.*)?),p=([^,]*)$/.exec(message)
    if (first === undefined || match === null) throw refused('an invalid final message')
    if (match[3] !== first.nonce) throw refused('a nonce that is not ours')
    const { storedKey, serverKey } = first.credential
    const authMessage = `${first.log},${match[1] ?? ''}`
    const signature = createHmac(this.#hash, storedKey).update(authMessage).digest()
    const proof = Buffer.from(match[4] ?? '', 'base64')
    if (proof.length !== signature.length) throw refused('invalid credentials with SASL mechanism')
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ (signature[i] ?? 0)))
    const offered = createHash(this.#hash).update(clientKey).digest()
    if (!timingSafeEqual(offered, storedKey)) throw refused('invalid credentials with SASL mechanism')
    const verifier = createHmac(this.#hash, serverKey).update(authMessage).digest('base64')
    return { answer: Buffer.from(`v=${verifier}`), principal: `User:${first.user}` }
  }
}
