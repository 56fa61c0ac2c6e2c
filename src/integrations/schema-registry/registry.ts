/**
 * From bytes to values and back, with the schemas of a registry.
 *
 * Always: a schema that is known costs no promise; one that is not is asked for once, however many records wait for it; a
 * record that waits for the registry to come back holds its key and a slot, but neither blocks the loop nor fails.
 */
import { FanlaneError, OptionError, PermanentError, RetryableError } from '../../errors.ts'
import type { Codec, StandardSchema } from '../../index.ts'
import type { Clock } from '../../ports/clock.ts'
import { validated } from '../validated.ts'
import { type Reference, type RegistryAddress, RegistryClient, type StoredSchema } from './client.ts'
import type { Compiled, Schema, SchemaFormat, SchemaType } from './format.ts'
import { framed, unframed } from './frame.ts'
import { SharedWork } from './shared-work.ts'

export interface SchemaRegistryOptions extends RegistryAddress {
  /** Which kinds of schemas can come: `avro(avsc)`, `protobuf(protobufjs)`, `jsonSchema(() => new Ajv({ strict: false }))`. */
  readonly formats: readonly SchemaFormat[]
  /** Compiled schemas that are kept. Default 1,000. */
  readonly schemasMax?: number
  /** For how long `codec()` waits for a registry that cannot be asked. Default ten minutes. */
  readonly patienceMs?: number
}

export interface SerializerOptions {
  /** Under which name the schema is registered: usually `<topic>-value`. */
  readonly subject: string
  readonly type: SchemaType
  /** As text, or the object of an Avro or JSON schema. */
  readonly schema: string | object
  readonly references?: readonly Reference[]
  /** Protobuf: the full name of the message. Default: the first of the file. */
  readonly message?: string
  /** false: the schema must have been registered already. Default true. */
  readonly register?: boolean
}

export interface Serializer<Type> {
  /** The first call asks the registry for the id. */
  encode(value: Type): Promise<Buffer>
}

export interface SchemaRegistry {
  /** For `decode: { value: registry.codec() }`; with a Standard Schema also checked, and typed by it. */
  codec<Type = unknown>(schema?: StandardSchema<Type>): Codec<Type>
  /** Inside a handler: a registry that cannot be asked is a RetryableError at once. */
  decode<Type = unknown>(bytes: Buffer): Promise<Type>
  serializer<Type = unknown>(options: SerializerOptions): Serializer<Type>
  /** Schemas that `codec()` then knows from the first record on: needed where `keyOf` reads decoded values. */
  preload(ids: readonly number[]): Promise<void>
}

const REFERENCES_MAX = 200
/** What is not there, or cannot be used, is not asked for again with every record that names it. */
const FAILURE_MS = 30_000
const BACKOFF_MS = 100
const BACKOFF_MAX_MS = 5_000

export class Registry implements SchemaRegistry {
  readonly #client: RegistryClient
  readonly #formats: ReadonlyMap<string, SchemaFormat>
  readonly #clock: Clock
  readonly #patienceMs: number
  readonly #schemasMax: number
  readonly #compiled: SharedWork<number, Compiled>
  readonly #failures: Map<number, { readonly error: unknown; readonly untilMs: number }> = new Map()
  readonly #waiting: Map<number, Promise<Compiled>> = new Map()

  constructor(options: SchemaRegistryOptions, clock: Clock) {
    const { formats, schemasMax = 1_000, patienceMs = 600_000 } = options
    if (!Array.isArray(formats) || formats.length === 0) {
      throw new OptionError('OPTION_INVALID', 'formats', "Option 'formats' must name at least one, e.g. [avro(avsc)].")
    }
    if (!(Number.isInteger(schemasMax) && schemasMax > 0)) {
      throw new OptionError('OPTION_INVALID', 'schemasMax', "Option 'schemasMax' must be a whole number above 0.")
    }
    if (!(patienceMs >= 0)) {
      throw new OptionError('OPTION_INVALID', 'patienceMs', "Option 'patienceMs' must be a number, 0 or above.")
    }
    this.#client = new RegistryClient(options)
    this.#formats = new Map(formats.map((format) => [format.type, format]))
    this.#clock = clock
    this.#patienceMs = patienceMs
    this.#schemasMax = schemasMax
    this.#compiled = new SharedWork(schemasMax)
  }

  codec<Type = unknown>(schema?: StandardSchema<Type>): Codec<Type> {
    const checked = (value: unknown): Type | Promise<Type> =>
      schema === undefined ? (value as Type) : validated(schema, value, 'SCHEMA_MISMATCH')
    return {
      decode: (bytes) => {
        const { id, payload } = unframed(bytes)
        const known = this.#compiled.peek(id)
        if (known !== undefined) return checked(decoded(known, id, payload))
        return this.#patiently(id).then((compiled) => checked(decoded(compiled, id, payload)))
      },
    }
  }

  async decode<Type = unknown>(bytes: Buffer): Promise<Type> {
    const { id, payload } = unframed(bytes)
    return decoded(await this.#byId(id), id, payload) as Type
  }

  async preload(ids: readonly number[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#byId(id)))
  }

  serializer<Type = unknown>(options: SerializerOptions): Serializer<Type> {
    const { subject, message } = options
    let ready: Promise<{ readonly id: number; readonly compiled: Compiled }> | null = null
    return {
      encode: async (value) => {
        ready ??= this.#registered(options)
        const mine = ready
        try {
          const { id, compiled } = await mine
          return framed(id, encoded(compiled, value, subject, message))
        } catch (error) {
          // What was refused or did not answer is asked again by the next one.
          if (ready === mine && !(await succeeded(mine))) ready = null
          throw error
        }
      },
    }
  }

  #byId(id: number): Promise<Compiled> {
    const failure = this.#failures.get(id)
    if (failure !== undefined && failure.untilMs > this.#clock.now()) return Promise.reject(failure.error)
    return this.#compiled.get(id, async () => {
      try {
        const compiled = await this.#compile(await this.#client.schema(id), `schema ${id}`)
        this.#failures.delete(id)
        return compiled
      } catch (error) {
        if (!(error instanceof RetryableError)) this.#remember(id, error)
        throw error
      }
    })
  }

  #remember(id: number, error: unknown): void {
    this.#failures.delete(id)
    this.#failures.set(id, { error, untilMs: this.#clock.now() + FAILURE_MS })
    if (this.#failures.size <= this.#schemasMax) return
    const [oldest] = this.#failures.keys()
    this.#failures.delete(oldest as number)
  }

  /** One that waits, for all records of this id. */
  #patiently(id: number): Promise<Compiled> {
    const under = this.#waiting.get(id)
    if (under !== undefined) return under
    const wait = this.#untilAnswered(id).finally(() => this.#waiting.delete(id))
    this.#waiting.set(id, wait)
    return wait
  }

  async #untilAnswered(id: number): Promise<Compiled> {
    const endMs = this.#clock.now() + this.#patienceMs
    for (let backoffMs = BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS)) {
      try {
        return await this.#byId(id)
      } catch (error) {
        if (!(error instanceof RetryableError) || this.#clock.now() + backoffMs > endMs) throw error
      }
      await pause(backoffMs)
    }
  }

  async #registered(options: SerializerOptions): Promise<{ readonly id: number; readonly compiled: Compiled }> {
    const { subject, type, references, register = true } = options
    const schema = typeof options.schema === 'string' ? options.schema : JSON.stringify(options.schema)
    const own: StoredSchema = {
      schema,
      ...(type === 'AVRO' ? {} : { schemaType: type }),
      ...(references === undefined ? {} : { references }),
    }
    // Compiled first: a schema that we cannot use is not registered.
    const compiled = await this.#compile(own, `the schema for '${subject}'`)
    return { id: await this.#client.idOf(subject, own, register), compiled }
  }

  async #compile(stored: StoredSchema, what: string): Promise<Compiled> {
    const { schema, schemaType: type = 'AVRO' } = stored
    const format = this.#formats.get(type)
    if (format === undefined) {
      throw new PermanentError(
        `${what} is ${type}: add that to 'formats' of the schema registry. ${HINTS[type] ?? ''}`,
        {
          code: 'SCHEMA_FORMAT_MISSING',
        },
      )
    }
    const references = await this.#resolved(stored, what)
    try {
      return format.compile({ schema, references })
    } catch (cause) {
      const message = `${what} (${type}) cannot be used: ${(cause as Error).message}. Fix it, or what it refers to, in the registry.`
      throw new PermanentError(message, { code: 'SCHEMA_UNUSABLE', cause })
    }
  }

  /** Everything it refers to, each after what it needs itself. */
  async #resolved(stored: StoredSchema, what: string): Promise<Schema['references']> {
    const found = new Map<string, string>()
    const seen = new Set<string>()
    const visit = async (references: readonly Reference[] = []): Promise<void> => {
      for (const { name, subject, version } of references) {
        if (seen.has(name)) continue
        seen.add(name)
        if (seen.size > REFERENCES_MAX) {
          throw new PermanentError(`${what} refers to more than ${REFERENCES_MAX} others.`, { code: 'SCHEMA_UNUSABLE' })
        }
        const reference = await this.#client.version(subject, version)
        await visit(reference.references)
        found.set(name, reference.schema)
      }
    }
    await visit(stored.references)
    return [...found].map(([name, schema]) => ({ name, schema }))
  }
}

const HINTS: Readonly<Record<string, string>> = {
  AVRO: 'formats: [avro(avsc)], with the package avsc.',
  PROTOBUF: 'formats: [protobuf(protobufjs)], with the package protobufjs.',
  JSON: 'formats: [jsonSchema(() => new Ajv({ strict: false }))], with the package ajv.',
}

function decoded(compiled: Compiled, id: number, payload: Buffer): unknown {
  try {
    return compiled.decode(payload)
  } catch (cause) {
    throw mismatch(`It does not fit schema ${id}`, cause)
  }
}

function encoded(compiled: Compiled, value: unknown, subject: string, message: string | undefined): Buffer {
  try {
    return compiled.encode(value, message)
  } catch (cause) {
    throw mismatch(`It does not fit the schema for '${subject}'`, cause)
  }
}

function mismatch(what: string, cause: unknown): FanlaneError {
  const said = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof FanlaneError ? cause.code : 'SCHEMA_MISMATCH'
  return new PermanentError(`${what}: ${said}`, { code, cause })
}

/** Keeps no process alive: after its consumer has closed, nobody needs what is waited for here. */
function pause(ms: number): Promise<void> {
  const over = AbortSignal.timeout(ms)
  return new Promise((resolve) => over.addEventListener('abort', () => resolve()))
}

async function succeeded(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}
