/** From bytes to what handlers see. */
import type { Codec } from '../engines/handler.ts'
import { PermanentError } from '../errors.ts'

/** The part of Standard Schema (zod, valibot, arktype … implement it) that is needed to validate. */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** Codecs that a worker can make for itself: all that has to travel is the name. */
export type PortableCodecName = 'text' | 'json'

/** Beside the codecs, not in them: whoever copies one and changes it has another one. */
const portable: WeakMap<Codec<unknown>, PortableCodecName> = new WeakMap()

export function portableName(codec: Codec<unknown>): PortableCodecName | undefined {
  return portable.get(codec)
}

/** UTF-8 text. */
export function text(): Codec<string> {
  const codec: Codec<string> = { decode: (bytes) => bytes.toString('utf8') }
  portable.set(codec, 'text')
  return codec
}

/** JSON, checked by a schema if one is given. What does not parse or does not pass is a permanent failure of its record. */
export function json<Type = unknown>(schema?: StandardSchema<Type>): Codec<Type> {
  const codec: Codec<Type> = {
    decode: (bytes) => {
      const value = parse(bytes)
      if (schema === undefined) return value as Type
      const result = schema['~standard'].validate(value)
      return result instanceof Promise ? result.then(accept) : accept(result)
    },
  }
  if (schema === undefined) portable.set(codec, 'json')
  return codec
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new PermanentError(`Not JSON: ${(cause as Error).message}.`, { code: 'DECODE_FAILED', cause })
  }
}

function accept<Type>(result: StandardResult<Type>): Type {
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) =>
    path?.length ? `${path.map(String).join('.')}: ${message}` : message,
  )
  throw new PermanentError(`It does not pass its schema: ${issues.join('; ')}.`, { code: 'DECODE_FAILED' })
}
