/** What a SASL mechanism is to the login: a talk of messages, begun by us. */
import type { SaslOptions } from '../options.ts'
import { oauthBearer } from './oauthbearer.ts'
import { plain } from './plain.ts'
import { scram } from './scram.ts'

export interface Talk {
  /** Our first message. */
  readonly opening: Buffer
  /** Our answer to what the broker said; null: there is nothing more to say. Throws if the broker cannot be trusted. */
  reply(said: Buffer): Buffer | null | Promise<Buffer | null>
  /** What the broker said about a failure, where the mechanism has a place for it. */
  readonly complaint: string | null
  /** Texts that must never be printed. */
  readonly secrets: readonly string[]
}

export interface Mechanism {
  /** As brokers call it. */
  readonly name: string
  /** For messages: who logs in. */
  readonly user: string
  begin(): Promise<Talk>
}

export function mechanismOf(sasl: SaslOptions): Mechanism {
  switch (sasl.mechanism) {
    case 'plain':
      return plain(sasl.username, sasl.password)
    case 'scram-sha-256':
      return scram('sha256', sasl.username, sasl.password)
    case 'scram-sha-512':
      return scram('sha512', sasl.username, sasl.password)
    case 'oauthbearer':
      return oauthBearer(sasl.token)
  }
}
