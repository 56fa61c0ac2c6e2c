/**
 * The wire format of Confluent's serializers: a zero byte, the id of the schema in four bytes (big endian), the payload.
 * Protobuf payloads begin with the path of the message in its file: a count and so many indexes, zigzag varints; the usual
 * path [0] is written as a single zero byte.
 */
import { PermanentError } from '../../errors.ts'

export interface Frame {
  readonly id: number
  readonly payload: Buffer
}

const MAGIC = 0
const HEADER_BYTES = 5
/** Files have few messages, and they are not nested deeply: more than this is rubbish. */
const INDEXES_MAX = 100
const VARINT_BYTES_MAX = 5

export function framed(id: number, ...parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(id, 1)
  return Buffer.concat([header, ...parts])
}

export function unframed(bytes: Buffer): Frame {
  if (bytes.length < HEADER_BYTES || bytes[0] !== MAGIC) {
    const begin =
      bytes.length === 0 ? 'it is empty' : `it begins with ${bytes.subarray(0, HEADER_BYTES).toString('hex')}`
    throw invalidFrame(
      `Not in the wire format of a schema registry: ${begin}, not with 00 and four bytes of an id. If it was written without a registry, use another codec, e.g. json().`,
    )
  }
  return { id: bytes.readUInt32BE(1), payload: bytes.subarray(HEADER_BYTES) }
}

export function messageIndexes(path: readonly number[]): Buffer {
  if (path.length === 1 && path[0] === 0) return Buffer.from([0])
  return Buffer.concat([varint(path.length), ...path.map(varint)])
}

export function readMessageIndexes(payload: Buffer): { readonly path: readonly number[]; readonly message: Buffer } {
  let at = 0
  const next = (): number => {
    let raw = 0
    for (let byte = 0; byte < VARINT_BYTES_MAX; byte++) {
      const part = payload[at++]
      if (part === undefined) break
      raw += (part & 0x7f) * 2 ** (7 * byte)
      if (part < 0x80) return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2
    }
    throw invalidFrame('The path of the Protobuf message is cut off or no number.')
  }
  const count = next()
  if (count < 0 || count > INDEXES_MAX) throw invalidFrame(`The path of the Protobuf message has ${count} parts.`)
  const path = count === 0 ? [0] : Array.from({ length: count }, next)
  return { path, message: payload.subarray(at) }
}

export function invalidFrame(message: string): PermanentError {
  return new PermanentError(message, { code: 'SCHEMA_FRAME_INVALID' })
}

/** Zigzag: small numbers of either sign are short. */
function varint(value: number): Buffer {
  let raw = value >= 0 ? value * 2 : -value * 2 - 1
  const bytes: number[] = []
  while (raw >= 0x80) {
    bytes.push((raw % 0x80) | 0x80)
    raw = Math.floor(raw / 0x80)
  }
  return Buffer.from([...bytes, raw])
}
