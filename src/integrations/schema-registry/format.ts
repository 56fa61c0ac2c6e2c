/** What the registry needs of a kind of schema. A format of your own plugs in the same way as the three that are here. */

export type SchemaType = 'AVRO' | 'PROTOBUF' | 'JSON' | (string & Record<never, never>)

/** A schema with everything that it refers to, in an order in which each comes after what it needs. */
export interface Schema {
  readonly schema: string
  readonly references: readonly { readonly name: string; readonly schema: string }[]
}

export interface Compiled {
  /** The payload after the id. Throws if it does not fit the schema. */
  decode(payload: Buffer): unknown
  /** The payload after the id. `message`: which one of a Protobuf file; default the first. */
  encode(value: unknown, message?: string): Buffer
}

export interface SchemaFormat {
  readonly type: SchemaType
  compile(schema: Schema): Compiled
}
