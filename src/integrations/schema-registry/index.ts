/** Avro, Protobuf and JSON Schema with a schema registry: `fanlane/schema-registry`. */
import { SystemClock } from '../../system-clock.ts'
import { Registry, type SchemaRegistry, type SchemaRegistryOptions } from './registry.ts'

export { type Avsc, avro } from './avro.ts'
export type { Reference, RegistryAddress } from './client.ts'
export type { Compiled, Schema, SchemaFormat, SchemaType } from './format.ts'
export { type AjvLike, jsonSchema } from './json-schema.ts'
export { type Protobufjs, type ProtobufOptions, protobuf } from './protobuf.ts'
export type { SchemaRegistry, SchemaRegistryOptions, Serializer, SerializerOptions } from './registry.ts'

export function schemaRegistry(options: SchemaRegistryOptions): SchemaRegistry {
  return new Registry(options, new SystemClock())
}
