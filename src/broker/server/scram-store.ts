/**
 * SCRAM credentials that were set while the broker runs, durable in its metadata: derived keys, never a password.
 */
import type { MetadataStore, ScramDocument } from '../state/metadata-store.ts'
import { type ScramCredential, type ScramHash, scramCredentialFromSalted } from './scram.ts'

export type ScramMechanism = ScramDocument['mechanism']

/** The numbers of the protocol. */
export const mechanismNumbers: Readonly<Record<ScramMechanism, number>> = { 'SCRAM-SHA-256': 1, 'SCRAM-SHA-512': 2 }

const hashes: Readonly<Record<ScramMechanism, ScramHash>> = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-512': 'sha512' }

export function mechanismByNumber(number: number): ScramMechanism | undefined {
  if (number === mechanismNumbers['SCRAM-SHA-256']) return 'SCRAM-SHA-256'
  return number === mechanismNumbers['SCRAM-SHA-512'] ? 'SCRAM-SHA-512' : undefined
}

export class ScramStore {
  readonly #metadata: MetadataStore

  constructor(metadata: MetadataStore) {
    this.#metadata = metadata
  }

  users(): string[] {
    return [...new Set(Array.from(this.#metadata.all('scram'), ([, { user }]) => user))]
  }

  of(user: string): ScramDocument[] {
    const mechanisms = Object.keys(mechanismNumbers) as ScramMechanism[]
    return mechanisms.flatMap((mechanism) => this.#metadata.get('scram', keyOf(user, mechanism)) ?? [])
  }

  /** What a client that says it is `user` has to prove. */
  credential(user: string, hash: ScramHash): ScramCredential | undefined {
    const document = this.of(user).find(({ mechanism }) => hashes[mechanism] === hash)
    if (document === undefined) return undefined
    const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
    return {
      salt: bytes(document.salt),
      iterations: document.iterations,
      storedKey: bytes(document.storedKey),
      serverKey: bytes(document.serverKey),
    }
  }

  put(
    user: string,
    mechanism: ScramMechanism,
    wish: { readonly saltedPassword: Buffer; readonly salt: Buffer; readonly iterations: number },
  ): Promise<void> {
    const { iterations, salt } = wish
    const { storedKey, serverKey } = scramCredentialFromSalted(hashes[mechanism], wish.saltedPassword, salt, iterations)
    return this.#metadata.put('scram', keyOf(user, mechanism), {
      user,
      mechanism,
      iterations,
      salt: salt.toString('base64'),
      storedKey: storedKey.toString('base64'),
      serverKey: serverKey.toString('base64'),
    })
  }

  remove(user: string, mechanism: ScramMechanism): Promise<void> {
    return this.#metadata.put('scram', keyOf(user, mechanism), undefined)
  }
}

function keyOf(user: string, mechanism: ScramMechanism): string {
  return `${mechanism}/${user}`
}
