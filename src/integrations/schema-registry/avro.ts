/** Avro, by the package `avsc`, which you import: `avro(avsc)`. */
import type { Compiled, SchemaFormat } from './format.ts'

interface AvroType {
  fromBuffer(bytes: Buffer): unknown
  toBuffer(value: never): Buffer
}

/** What is needed of avsc. */
export interface Avsc {
  readonly Type: { forSchema(schema: never, options?: never): AvroType }
}

/** `options` go to avsc's `Type.forSchema`, e.g. logical types. */
export function avro(avsc: Avsc, options: Readonly<Record<string, unknown>> = {}): SchemaFormat {
  const typeOf = (schema: string, registry: Record<string, unknown>): AvroType =>
    avsc.Type.forSchema(JSON.parse(schema) as never, { ...options, registry } as never)
  return {
    type: 'AVRO',
    compile: ({ schema, references }): Compiled => {
      // Names that were defined by one schema are known to the next: that is all that a reference is.
      const registry: Record<string, unknown> = {}
      for (const reference of references) typeOf(reference.schema, registry)
      const type = typeOf(schema, registry)
      return { decode: (payload) => type.fromBuffer(payload), encode: (value) => type.toBuffer(value as never) }
    },
  }
}
