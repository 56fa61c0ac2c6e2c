/**
 * Errors as data, so that they cross the wall. What arrives has the same message, name, code, cause, stack and fields, and
 * is of the same class where the class is ours or the language's: `retry.isPermanent` decides on this side. A class of the
 * user's own stays in its worker.
 */
import { inspect } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { FanlaneError, PermanentError, RetryableError } from '../../errors.ts'

type Family = 'permanent' | 'retryable' | 'fanlane' | 'error' | 'value'

interface PortableError {
  readonly family: Family
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly code?: unknown
  readonly retriable?: boolean
  readonly retryAfterMs?: number | undefined
  readonly cause?: PortableError
  readonly fields?: readonly (readonly [string, unknown])[]
  /** What was thrown, if it was no error. */
  readonly value?: unknown
}

const CAUSES_MAX = 8
const FIELDS_MAX = 32
/** Said in other places. */
const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'message',
  'stack',
  'cause',
  'code',
  'retriable',
  'retryAfterMs',
  '__proto__',
])
const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
}

export function packError(error: unknown): Buffer {
  return serialize(toPortable(error, 0))
}

export function unpackError(bytes: Uint8Array): unknown {
  return fromPortable(deserialize(bytes) as PortableError)
}

/** What can be copied as it is; anything else as text. */
export function packValue(value: unknown): Buffer {
  try {
    return serialize(value)
  } catch {
    return serialize(inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY }))
  }
}

function toPortable(error: unknown, depth: number): PortableError {
  if (!(error instanceof Error)) {
    return { family: 'value', name: '', message: '', value: copyable(error) }
  }
  const { name, message, stack, cause } = error
  const { code, retriable, retryAfterMs } = error as Partial<RetryableError>
  return {
    family: familyOf(error),
    name: String(name),
    message: String(message),
    stack: typeof stack === 'string' ? stack : undefined,
    ...(code === undefined ? {} : { code: copyable(code) }),
    ...(typeof retriable === 'boolean' ? { retriable } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    ...(cause === undefined || depth >= CAUSES_MAX ? {} : { cause: toPortable(cause, depth + 1) }),
    fields: fieldsOf(error),
  }
}

function familyOf(error: Error): Family {
  if (error instanceof PermanentError) return 'permanent'
  if (error instanceof RetryableError) return 'retryable'
  return error instanceof FanlaneError ? 'fanlane' : 'error'
}

function fieldsOf(error: Error): readonly (readonly [string, unknown])[] {
  const fields: [string, unknown][] = []
  for (const [name, value] of Object.entries(error)) {
    if (fields.length < FIELDS_MAX && !KNOWN.has(name)) fields.push([name, copyable(value)])
  }
  return fields
}

function copyable(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol') return value
  if (value === null) return null
  try {
    serialize(value)
    return value
  } catch {
    return inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY })
  }
}

function fromPortable(portable: PortableError): unknown {
  if (portable.family === 'value') return portable.value
  const error = made(portable)
  if (error.name !== portable.name) define(error, 'name', portable.name)
  if (portable.stack !== undefined) define(error, 'stack', portable.stack)
  if (portable.code !== undefined) Object.assign(error, { code: portable.code })
  for (const [name, value] of portable.fields ?? []) Object.assign(error, { [name]: value })
  return error
}

function made({ family, name, message, code, retriable, retryAfterMs, cause: caused }: PortableError): Error {
  const cause = caused === undefined ? {} : { cause: fromPortable(caused) }
  const known = typeof code === 'string' ? { code } : {}
  switch (family) {
    case 'permanent':
      return new PermanentError(message, { ...known, ...cause })
    case 'retryable':
      return new RetryableError(message, {
        ...known,
        ...cause,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      })
    case 'fanlane':
      return new FanlaneError(String(code), message, { retriable: retriable ?? false, ...cause })
    default: {
      const error = Object.hasOwn(CLASSES, name) ? new (CLASSES[name] as typeof TypeError)(message) : new Error(message)
      if (caused !== undefined) define(error, 'cause', cause.cause)
      return error
    }
  }
}

function define(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false })
}
