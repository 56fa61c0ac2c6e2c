/**
 * HTTP to the registry, a few endpoints of Confluent's REST interface, which others (Karapace, Apicurio, Redpanda) speak too.
 *
 * Only "there is no such schema" and "this schema is refused" are permanent. A registry that is down, slow, at another address
 * or that does not let us in says nothing about a record: those errors are retryable, or every record that comes meanwhile
 * would end as a dead letter. Nothing that is thrown contains a password or a token.
 */
import { OptionError, PermanentError, RetryableError } from '../../errors.ts'

export interface RegistryAddress {
  /** `http(s)://host:8081`; a user and a password in it are used as `auth`. */
  readonly url: string
  readonly auth?: { readonly username: string; readonly password: string } | { readonly token: string }
  /** Of one request. Default 10 seconds. */
  readonly timeoutMs?: number
}

export interface Reference {
  readonly name: string
  readonly subject: string
  readonly version: number
}

export interface StoredSchema {
  readonly schema: string
  /** Avro has none. */
  readonly schemaType?: string
  readonly references?: readonly Reference[]
}

const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json'
const ANSWER_MAX_BYTES = 8 * 2 ** 20
/** The registry's own codes for "no such schema, subject, version". */
const NOT_FOUND: ReadonlySet<unknown> = new Set([40401, 40402, 40403])

export class RegistryClient {
  readonly #base: string
  readonly #authorization: string | null
  readonly #timeoutMs: number

  constructor({ url, auth, timeoutMs = 10_000 }: RegistryAddress) {
    const parsed = typeof url === 'string' ? URL.parse(url) : null
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
      // Not shown: what somebody meant as an address may have a password in it.
      throw new OptionError('OPTION_INVALID', 'url', "Option 'url' must be an address, e.g. http://localhost:8081.")
    }
    if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
      throw new OptionError('OPTION_INVALID', 'timeoutMs', "Option 'timeoutMs' must be a number above 0.")
    }
    const { username, password } = parsed
    const given = auth ?? (username === '' ? null : { username: decode(username), password: decode(password) })
    this.#authorization = given === null ? null : authorization(given)
    this.#base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
    this.#timeoutMs = timeoutMs
  }

  async schema(id: number): Promise<StoredSchema> {
    return stored(await this.#ask('GET', `/schemas/ids/${id}`, `schema ${id}`), this.#base)
  }

  async version(subject: string, version: number): Promise<StoredSchema> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`
    return stored(await this.#ask('GET', path, `version ${version} of '${subject}'`), this.#base)
  }

  /** The id of this schema under this subject: a new one, or the one it has. Without `register` only the one it has. */
  async idOf(subject: string, schema: StoredSchema, register: boolean): Promise<number> {
    const path = `/subjects/${encodeURIComponent(subject)}${register ? '/versions' : ''}`
    const { id } = (await this.#ask('POST', path, `the schema for '${subject}'`, schema)) as { readonly id?: unknown }
    if (Number.isInteger(id)) return id as number
    throw this.#unreachable('its answer has no id')
  }

  async #ask(method: 'GET' | 'POST', path: string, what: string, body?: StoredSchema): Promise<object> {
    let status: number
    let answer: unknown
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method,
        headers: {
          accept: `${MEDIA_TYPE}, application/json`,
          ...(body === undefined ? {} : { 'content-type': MEDIA_TYPE }),
          ...(this.#authorization === null ? {} : { authorization: this.#authorization }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.#timeoutMs),
      })
      status = response.status
      answer = jsonOrNull(await textOf(response))
    } catch (cause) {
      throw this.#unreachable(reasonOf(cause), cause)
    }
    if (typeof answer !== 'object' || answer === null) throw this.#unreachable(`it answered ${status} without JSON`)
    if (status >= 200 && status < 300) return answer
    throw this.#refused(status, answer, what)
  }

  #refused(status: number, answer: object, what: string): Error {
    const { error_code: code, message } = answer as { readonly error_code?: unknown; readonly message?: unknown }
    const said = typeof message === 'string' ? message.slice(0, 1_000) : `status ${status}`
    if (status === 404 && NOT_FOUND.has(code)) {
      return new PermanentError(
        `The schema registry at ${this.#base} does not know ${what}: ${said}. Was the record written with another registry?`,
        { code: 'SCHEMA_UNKNOWN' },
      )
    }
    if (status === 409 || status === 422) {
      return new PermanentError(
        `The schema registry at ${this.#base} refused ${what}: ${said}. Change the schema, or the compatibility of the subject.`,
        { code: 'SCHEMA_REFUSED' },
      )
    }
    if (status === 401 || status === 403) {
      return new RetryableError(
        `The schema registry at ${this.#base} does not let us in (${status}): check 'auth' and the rights of that user.`,
        { code: 'SCHEMA_REGISTRY_FORBIDDEN' },
      )
    }
    return this.#unreachable(`it answered ${status}: ${said}`)
  }

  #unreachable(why: string, cause?: unknown): RetryableError {
    return new RetryableError(
      `The schema registry at ${this.#base} cannot be asked: ${why}. Check that it runs and that 'url' is right.`,
      { code: 'SCHEMA_REGISTRY_UNREACHABLE', cause },
    )
  }
}

function stored(answer: object, base: string): StoredSchema {
  const { schema } = answer as { readonly schema?: unknown }
  if (typeof schema === 'string') return answer as StoredSchema
  throw new RetryableError(`The schema registry at ${base} answered without a schema: is 'url' that of a registry?`, {
    code: 'SCHEMA_REGISTRY_UNREACHABLE',
  })
}

function authorization(auth: NonNullable<RegistryAddress['auth']>): string {
  if ('token' in auth) return `Bearer ${auth.token}`
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A percent sign that is one.
    return part
  }
}

/** Read up to its bound: a wrong address may answer with anything. */
async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > ANSWER_MAX_BYTES) throw new Error(`its answer is longer than ${ANSWER_MAX_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** fetch says "fetch failed"; why is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }
  return String(cause?.code ?? cause?.message ?? error.message) || error.name
}
