/**
 * SCRAM (RFC 5802) on the client's side. The password itself never travels, and the broker has to prove that it knows it
 * too. No channel binding: Kafka has none.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { FanlaneError } from '../../../errors.ts'
import type { Mechanism, Talk } from './mechanism.ts'

export type ScramHash = 'sha256' | 'sha512'

const names: Readonly<Record<ScramHash, string>> = { sha256: 'SCRAM-SHA-256', sha512: 'SCRAM-SHA-512' }
const keyBytes: Readonly<Record<ScramHash, number>> = { sha256: 32, sha512: 64 }
/** Fewer are easily guessed from; more would keep us busy for whoever pretends to be a broker. */
const iterationsMin = 4_096
const iterationsMax = 1_000_000
/** "n,,": no channel binding, and we are who we say we are. */
const bindingHeader = 'n,,'

const derive = promisify(pbkdf2)

export function scram(hash: ScramHash, username: string, password: string): Mechanism {
  return {
    name: names[hash],
    user: username,
    begin: () => Promise.resolve(new ScramTalk(hash, username, password)),
  }
}

type Step =
  | { readonly kind: 'opened' }
  | { readonly kind: 'proved'; readonly expected: Buffer }
  | { readonly kind: 'over' }

export class ScramTalk implements Talk {
  readonly opening: Buffer
  readonly complaint: null = null
  readonly secrets: readonly string[]
  readonly #hash: ScramHash
  readonly #password: string
  readonly #nonce: string
  readonly #first: string
  #step: Step = { kind: 'opened' }

  constructor(hash: ScramHash, username: string, password: string, nonce: string = randomBytes(24).toString('base64')) {
    this.#hash = hash
    this.#password = password
    this.#nonce = nonce
    this.#first = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`
    this.opening = Buffer.from(bindingHeader + this.#first)
    this.secrets = [password]
  }

  async reply(said: Buffer): Promise<Buffer | null> {
    const message = said.toString('utf8')
    switch (this.#step.kind) {
      case 'opened':
        return this.#prove(message)
      case 'proved':
        this.#verify(message, this.#step.expected)
        return null
      case 'over':
        throw untrusted('it went on after the login was over')
    }
  }

  async #prove(message: string): Promise<Buffer> {
    const match = /^r=([!-+\--~]+),s=([A-Za-z0-9+/=]+),i=(\d{1,9})(?:,.*)?$/.exec(message)
    if (match === null) throw untrusted('its challenge cannot be read')
    const [, nonce = '', salt = '', count = ''] = match
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) {
      throw untrusted('its challenge is not an answer to our request')
    }
    const iterations = Number(count)
    if (iterations < iterationsMin || iterations > iterationsMax) {
      throw untrusted(`it asks for ${iterations} iterations, outside ${iterationsMin} to ${iterationsMax}`)
    }
    const hash = this.#hash
    const salted = await derive(this.#password, Buffer.from(salt, 'base64'), iterations, keyBytes[hash], hash)
    const clientKey = createHmac(hash, salted).update('Client Key').digest()
    const storedKey = createHash(hash).update(clientKey).digest()
    const final = `c=${Buffer.from(bindingHeader).toString('base64')},r=${nonce}`
    const log = `${this.#first},${message},${final}`
    const signature = createHmac(hash, storedKey).update(log).digest()
    const proof = Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] ?? 0)))
    const serverKey = createHmac(hash, salted).update('Server Key').digest()
    this.#step = { kind: 'proved', expected: createHmac(hash, serverKey).update(log).digest() }
    return Buffer.from(`${final},p=${proof.toString('base64')}`)
  }

  #verify(message: string, expected: Buffer): void {
    this.#step = { kind: 'over' }
    const verifier = /^v=([A-Za-z0-9+/=]+)(?:,.*)?$/.exec(message)?.[1]
    if (verifier === undefined) throw untrusted(`it ended the login with '${message.slice(0, 100)}'`)
    const signature = Buffer.from(verifier, 'base64')
    if (signature.length === expected.length && timingSafeEqual(signature, expected)) return
    throw untrusted('it could not prove that it knows the password')
  }
}

/** The login fails because of the broker, not because of us. */
function untrusted(why: string): FanlaneError {
  return new FanlaneError('SASL_UNTRUSTED', `The broker cannot be trusted: ${why}. Is it the right one?`)
}
