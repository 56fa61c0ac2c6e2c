/**
 * Protobuf, by the package `protobufjs`, which you import: `protobuf(protobufjs)`. The registry keeps the text of `.proto`
 * files; which message of the file it is comes with every payload.
 */
import { PermanentError } from '../../errors.ts'
import type { Compiled, Schema, SchemaFormat } from './format.ts'
import { messageIndexes, readMessageIndexes } from './frame.ts'

interface Message {
  readonly fullName: string
  readonly nestedArray: readonly unknown[]
  decode(bytes: Uint8Array): unknown
  encode(message: never): { finish(): Uint8Array }
  fromObject(value: never): unknown
  toObject(message: never, options?: never): Record<string, unknown>
}

interface Namespace {
  readonly nestedArray: readonly unknown[]
}

interface Root extends Namespace {
  addJSON(json: never): unknown
  lookup(path: string): unknown
  lookupType(path: string): Message
  resolveAll(): unknown
}

/** What is needed of protobufjs. */
export interface Protobufjs {
  readonly Root: new () => Root
  readonly Type: new (name: string) => unknown
  parse(
    source: string,
    root: never,
    options?: never,
  ): { readonly package?: string | undefined; readonly imports?: readonly string[] | undefined }
  readonly common: { get(file: string): { readonly nested?: unknown } | null }
}

/** Like JSON: 64-bit numbers and enums as text, fields that are not set with their defaults. */
const PLAIN: Readonly<Record<string, unknown>> = { longs: String, enums: String, defaults: true, oneofs: true }

export interface ProtobufOptions {
  /** Fields as they are called in the file: `order_id`. Default false: `orderId`, as protobufjs does. */
  readonly keepCase?: boolean
  /** Anything else goes to `toObject` of protobufjs. */
  readonly [option: string]: unknown
}

export function protobuf(protobufjs: Protobufjs, options: ProtobufOptions = {}): SchemaFormat {
  const { keepCase = false, ...more } = options
  const plain = { ...PLAIN, ...more }
  const isMessage = (each: unknown): each is Message => each instanceof protobufjs.Type
  const messagesIn = ({ nestedArray }: Namespace): readonly Message[] => nestedArray.filter(isMessage)
  return {
    type: 'PROTOBUF',
    compile: (schema): Compiled => {
      const root = rootOf(protobufjs, schema, keepCase)
      // The file alone tells the order of its own messages; the root has those of its references as well.
      const file = new protobufjs.Root()
      const { package: name } = protobufjs.parse(schema.schema, file as never)
      const top = name === undefined ? file : (file.lookup(name) as Namespace)
      const find = (path: readonly number[]): Message => root.lookupType(nameAt(messagesIn, top, path))
      const known = new Map<string, Message>()
      return {
        decode: (payload) => {
          const { path, message } = readMessageIndexes(payload)
          const type = known.get(String(path)) ?? find(path)
          // As many as the file has messages: others were not found.
          known.set(String(path), type)
          return type.toObject(type.decode(message) as never, plain as never)
        },
        encode: (value, message) => {
          const path = message === undefined ? [0] : pathOf(messagesIn, top, message)
          const type = find(path)
          const bytes = type.encode(type.fromObject(value as never) as never).finish()
          return Buffer.concat([messageIndexes(path), bytes])
        },
      }
    },
  }
}

function rootOf(protobufjs: Protobufjs, { schema, references }: Schema, keepCase: boolean): Root {
  const root = new protobufjs.Root()
  const brought = new Set(references.map(({ name }) => name))
  for (const source of [...references.map((each) => each.schema), schema]) {
    const { imports = [] } = protobufjs.parse(source, root as never, { keepCase } as never)
    // Google's own files come with protobufjs; they are in no registry.
    for (const file of imports.filter((each) => !brought.has(each))) {
      const common = protobufjs.common.get(file)
      if (common?.nested !== undefined) root.addJSON(common.nested as never)
      brought.add(file)
    }
  }
  root.resolveAll()
  return root
}

type MessagesIn = (space: Namespace) => readonly Message[]

function nameAt(messagesIn: MessagesIn, top: Namespace, path: readonly number[]): string {
  let space: Namespace = top
  for (const index of path) {
    const message = messagesIn(space)[index]
    if (message === undefined) throw noMessage(`There is no message [${path.join(', ')}] in the file of this schema.`)
    space = message
  }
  return (space as Message).fullName
}

function pathOf(messagesIn: MessagesIn, top: Namespace, name: string): readonly number[] {
  const search = (space: Namespace, path: readonly number[]): readonly number[] | null => {
    for (const [index, message] of messagesIn(space).entries()) {
      if (message.fullName === `.${name}`) return [...path, index]
      const deeper = search(message, [...path, index])
      if (deeper !== null) return deeper
    }
    return null
  }
  const found = search(top, [])
  if (found !== null) return found
  throw noMessage(`There is no message '${name}' in the file of this schema: give its full name, e.g. shop.Order.`)
}

function noMessage(message: string): PermanentError {
  return new PermanentError(message, { code: 'SCHEMA_MISMATCH' })
}
