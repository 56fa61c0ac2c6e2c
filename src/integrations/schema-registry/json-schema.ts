/**
 * JSON Schema, by the package `ajv`, which you import: `jsonSchema(() => new Ajv({ strict: false }))`. Not strict, because
 * serializers put keywords of their own into the schemas that they register.
 */
import { PermanentError } from '../../errors.ts'
import type { Compiled, SchemaFormat } from './format.ts'

interface Validate {
  (value: unknown): unknown
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null
}

/** What is needed of an Ajv. */
export interface AjvLike {
  addSchema(schema: never, key: string): unknown
  compile(schema: never): Validate
}

/** A new Ajv for each schema: versions of one schema have the same `$id`, and an Ajv takes each only once. */
export function jsonSchema(ajv: () => AjvLike): SchemaFormat {
  return {
    type: 'JSON',
    compile: ({ schema, references }): Compiled => {
      const own = ajv()
      for (const reference of references) own.addSchema(JSON.parse(reference.schema) as never, reference.name)
      const validate = own.compile(JSON.parse(schema) as never)
      const checked = (value: unknown): unknown => {
        if (validate(value) === true) return value
        throw new PermanentError(`It does not pass its schema: ${inWords(validate)}.`, { code: 'SCHEMA_MISMATCH' })
      }
      return {
        decode: (payload) => checked(JSON.parse(payload.toString('utf8'))),
        encode: (value) => Buffer.from(JSON.stringify(checked(value))),
      }
    },
  }
}

function inWords({ errors }: Validate): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message ?? ''}`.trim()).join('; ')
}
