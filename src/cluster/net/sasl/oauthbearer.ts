/** OAUTHBEARER (RFC 7628): a token from somewhere else. */
import { FanlaneError } from '../../../errors.ts'
import type { OAuthToken } from '../options.ts'
import type { Mechanism, Talk } from './mechanism.ts'

const separator = '\x01'
const tokenShape = /^[!-~]+$/
const nameShape = /^[A-Za-z]+$/
const valueShape = /^[\x20-\x7e\t\r\n]*$/

export function oauthBearer(token: () => Promise<OAuthToken>): Mechanism {
  return { name: 'OAUTHBEARER', user: 'the bearer of a token', begin: async () => new BearerTalk(await obtain(token)) }
}

async function obtain(token: () => Promise<OAuthToken>): Promise<OAuthToken> {
  let given: unknown
  try {
    given = await token()
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    // Whoever gives tokens may be down for a while, too.
    throw new FanlaneError(
      'TOKEN_UNAVAILABLE',
      `sasl.token gave no token: ${said.replace(/\.$/, '')}. It is asked again at the next try.`,
      { retriable: true, cause },
    )
  }
  const value = typeof given === 'object' && given !== null && 'value' in given ? given.value : undefined
  if (typeof value === 'string' && tokenShape.test(value)) return given as OAuthToken
  throw new FanlaneError(
    'TOKEN_INVALID',
    'sasl.token gave no usable token: it must give { value }, a text without spaces.',
  )
}

class BearerTalk implements Talk {
  readonly opening: Buffer
  readonly secrets: readonly string[]
  #complaint: string | null = null

  constructor({ value, extensions = {} }: OAuthToken) {
    const fields = [`auth=Bearer ${value}`]
    for (const [name, text] of Object.entries(extensions)) {
      if (name === 'auth' || !nameShape.test(name) || typeof text !== 'string' || !valueShape.test(text)) {
        throw new FanlaneError(
          'TOKEN_INVALID',
          `sasl.token gave an extension '${name}' that cannot be sent: names have letters only, values no control characters.`,
        )
      }
      fields.push(`${name}=${text}`)
    }
    this.opening = Buffer.from(`n,,${separator}${fields.join(separator)}${separator}${separator}`)
    this.secrets = [value]
  }

  get complaint(): string | null {
    return this.#complaint
  }

  /** A broker that is content says nothing. One that is not says why, and refuses after we have taken note. */
  reply(said: Buffer): Buffer | null {
    if (said.length === 0) return null
    this.#complaint = said.toString('utf8').slice(0, 500)
    return Buffer.from(separator)
  }
}
