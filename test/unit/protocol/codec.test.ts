/**
 * The generated codec over all schemas and all versions: what is written is read back, what is cut short or lies about its
 * lengths is refused with an error, and nothing is allocated for a length that was only announced.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Field, type Message, parseMessage, type Struct, type Versions } from '../../../scripts/protocol/schema.ts'
import { apis } from '../../../src/protocol/generated/apis.ts'
import { ProtocolError } from '../../../src/protocol/protocol-error.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import { Writer } from '../../../src/protocol/writer.ts'

type Value = { [field: string]: unknown }
type Read = (reader: Reader, version: number) => object
type Write = (writer: Writer, value: object, version: number) => void

const folder = new URL('../../../vendor/kafka-messages/', import.meta.url)
const messages = readdirSync(folder)
  .filter((f) => f.endsWith('.json'))
  .map((f) => parseMessage(readFileSync(new URL(f, folder), 'utf8')))

/** Every message with its codec: requests and responses from the table, the others from their own files. */
async function codecs(): Promise<{ message: Message; read: Read; write: Write }[]> {
  const all: { message: Message; read: Read; write: Write }[] = []
  for (const message of messages) {
    const api = apis.find((a) => a.key === message.apiKey)
    if (message.kind === 'request' && api !== undefined)
      all.push({ message, read: api.readRequest, write: api.writeRequest as Write })
    else if (message.kind === 'response' && api !== undefined)
      all.push({ message, read: api.readResponse, write: api.writeResponse as Write })
    else {
      const file = message.name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
      const module = (await import(`../../../src/protocol/generated/${file}.ts`)) as Record<string, unknown>
      all.push({ message, read: module[`read${message.name}`] as Read, write: module[`write${message.name}`] as Write })
    }
  }
  return all
}

/** A small generator of random numbers with a seed, so that a failure repeats. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

const within = (versions: Versions, version: number): boolean => version >= versions.min && version <= versions.max

class Maker {
  readonly #message: Message
  readonly #version: number
  readonly #chance: () => number

  constructor(message: Message, version: number, chance: () => number) {
    this.#message = message
    this.#version = version
    this.#chance = chance
  }

  struct(struct: Struct, depth = 0): Value {
    const value: Value = {}
    for (const field of struct.fields)
      if (within(field.versions, this.#version)) value[field.name] = this.#field(field, depth)
    if (within(this.#message.flexible, this.#version) && this.#chance() < 0.1)
      value.unknownTags = [{ tag: 4_711, bytes: Buffer.from('later') }]
    return value
  }

  #field(field: Field, depth: number): unknown {
    if (within(field.nullable, this.#version) && this.#chance() < 0.3) return null
    if (!field.isArray) return this.#one(field, depth)
    const count = depth > 3 ? 1 : Math.floor(this.#chance() * 3)
    return Array.from({ length: count }, () => this.#one(field, depth + 1))
  }

  #one(field: Field, depth: number): unknown {
    if (field.isStruct) {
      const struct = this.#message.structs.find((s) => s.name === field.type)
      assert(struct !== undefined)
      return this.struct(struct, depth + 1)
    }
    const chance = this.#chance()
    const integer = (bits: number): number => Math.floor((chance - 0.5) * 2 ** bits)
    switch (field.type) {
      case 'bool':
        return chance < 0.5
      case 'int8':
        return integer(8)
      case 'int16':
        return integer(16)
      case 'uint16':
        return Math.floor(chance * 2 ** 16)
      case 'int32':
        return integer(32)
      case 'uint32':
        return Math.floor(chance * 2 ** 32)
      case 'int64':
        return (BigInt(integer(32)) << 31n) + BigInt(integer(16))
      case 'float64':
        return chance * 1e9
      case 'uuid':
        return Buffer.from(Array.from({ length: 16 }, () => Math.floor(this.#chance() * 256))).toString('base64url')
      case 'string':
        return ['', 'a', 'orders', 'żółć', '漢字', 'x'.repeat(300)][Math.floor(chance * 6)]
      default:
        return Buffer.alloc(Math.floor(chance * (chance < 0.9 ? 40 : 5_000)), 7)
    }
  }
}

function encode(write: Write, value: object, version: number): Buffer {
  const writer = new Writer()
  write(writer, value, version)
  return writer.toBuffer()
}

/** Fields that a version does not have come back with their defaults: compare what was put in. */
function assertHolds(actual: unknown, expected: unknown, where: string): void {
  if (Array.isArray(expected)) {
    assert(Array.isArray(actual) && actual.length === expected.length, `${where}: length`)
    for (const [i, element] of expected.entries()) assertHolds(actual[i], element, `${where}[${i}]`)
  } else if (expected !== null && typeof expected === 'object' && !Buffer.isBuffer(expected)) {
    for (const [name, inner] of Object.entries(expected))
      assertHolds((actual as Value)[name], inner, `${where}.${name}`)
  } else assert.deepEqual(actual, expected, where)
}

test('every message of every schema in every version is read back as it was written', async () => {
  let trials = 0
  for (const { message, read, write } of await codecs()) {
    for (let version = message.versions.min; version <= message.versions.max; version++) {
      for (let seed = 1; seed <= 8; seed++) {
        const value = new Maker(message, version, random(seed * 7_919 + version)).struct(message.root)
        const bytes = encode(write, value, version)
        const reader = new Reader(bytes)
        const back = read(reader, version)
        assert.equal(reader.remaining, 0, `${message.name} v${version} left bytes unread`)
        assertHolds(back, value, `${message.name} v${version} seed ${seed}`)
        assert.deepEqual(encode(write, back, version), bytes, `${message.name} v${version} written again`)
        trials++
      }
    }
  }
  assert(trials > 3_000)
})

test('a message that is cut short at any byte is refused, and a flipped byte never does worse than an error', async () => {
  for (const { message, read, write } of await codecs()) {
    const version = message.versions.max
    const value = new Maker(message, version, random(42)).struct(message.root)
    const bytes = encode(write, value, version)
    const tolerant = (input: Buffer): void => {
      try {
        read(new Reader(input), version)
      } catch (error) {
        assert(error instanceof ProtocolError, `${message.name}: ${String(error)}`)
      }
    }
    const step = Math.max(1, Math.floor(bytes.length / 150))
    for (let length = 0; length < bytes.length; length += step) {
      assert.throws(
        () => read(new Reader(bytes.subarray(0, length)), version),
        ProtocolError,
        `${message.name} cut at ${length}`,
      )
    }
    for (let at = 0; at < bytes.length; at += step) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ flip
        tolerant(damaged)
      }
    }
  }
})

test('a count that cannot fit into the bytes that are left is refused before anything is allocated', () => {
  const metadata = apis.find((a) => a.name === 'Metadata')!
  const hostile = Buffer.alloc(8)
  hostile.writeInt32BE(2 ** 31 - 1, 0)
  assert.throws(() => metadata.readRequest(new Reader(hostile), 1), { code: 'COUNT_INVALID' })
  const overlong = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
  assert.throws(() => metadata.readRequest(new Reader(overlong), 12), { code: 'VARINT_OVERLONG' })
  const negative = Buffer.alloc(8)
  negative.writeInt32BE(-2, 0)
  assert.throws(() => metadata.readRequest(new Reader(negative), 1), { code: 'COUNT_INVALID' })
})

test('null where a field must not be null is refused in both directions', () => {
  const heartbeat = apis.find((a) => a.name === 'Heartbeat')!
  const bytes = Buffer.alloc(16)
  bytes.writeInt16BE(-1, 0)
  assert.throws(() => heartbeat.readRequest(new Reader(bytes), 0), { code: 'NULL_NOT_ALLOWED' })
})

test('a value that a version has no field for is refused, unless the schema says that it may be dropped', () => {
  const join = apis.find((a) => a.name === 'JoinGroup')!
  const writer = new Writer()
  assert.throws(() => join.writeRequest(writer, { groupInstanceId: 'me' } as object, 2), { code: 'FIELD_UNSUPPORTED' })
})
