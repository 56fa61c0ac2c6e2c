/**
 * Reads Kafka's primitive types from a buffer. Every length and every count is checked against the bytes that are left
 * before anything is allocated for it: a count of two billion in a frame of forty bytes is an error, not an allocation.
 * The elements of all arrays together have a bound of their own: in a large frame fifty million empty names do fit, and as
 * objects they take a hundred times the memory.
 */
import { ProtocolError } from './protocol-error.ts'
import type { UnknownTag, Uuid } from './types.ts'

const maxVarintBytes = 5
const elementsMaxDefault = 10_000_000

export class Reader {
  readonly buffer: Buffer
  readonly end: number
  position: number
  #elementsLeft: number

  constructor(buffer: Buffer, start = 0, end: number = buffer.length, elementsMax: number = elementsMaxDefault) {
    this.buffer = buffer
    this.position = start
    this.end = end
    this.#elementsLeft = elementsMax
  }

  get remaining(): number {
    return this.end - this.position
  }

  #take(bytes: number): number {
    const at = this.position
    if (bytes > this.end - at) throw truncated(bytes, this.end - at)
    this.position = at + bytes
    return at
  }

  bool(): boolean {
    return this.buffer[this.#take(1)] !== 0
  }

  int8(): number {
    return this.buffer.readInt8(this.#take(1))
  }

  int16(): number {
    return this.buffer.readInt16BE(this.#take(2))
  }

  uint16(): number {
    return this.buffer.readUInt16BE(this.#take(2))
  }

  int32(): number {
    return this.buffer.readInt32BE(this.#take(4))
  }

  uint32(): number {
    return this.buffer.readUInt32BE(this.#take(4))
  }

  int64(): bigint {
    return this.buffer.readBigInt64BE(this.#take(8))
  }

  float64(): number {
    return this.buffer.readDoubleBE(this.#take(8))
  }

  uuid(): Uuid {
    const at = this.#take(16)
    return this.buffer.toString('base64url', at, at + 16)
  }

  uvarint(): number {
    let value = 0
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = this.buffer[this.#take(1)] ?? 0
      if (i === maxVarintBytes - 1 && byte > 0x0f) break
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) return value
    }
    throw new ProtocolError('VARINT_OVERLONG', 'a variable-length number has more than 32 bits')
  }

  /** The length of a string, of bytes, or −1 for null; never more than what is left. */
  #length(compact: boolean, short: boolean): number {
    const length = compact ? this.uvarint() - 1 : short ? this.int16() : this.int32()
    if (length < -1) throw new ProtocolError('LENGTH_INVALID', `a length of ${length} makes no sense`)
    if (length > this.remaining) throw truncated(length, this.remaining)
    return length
  }

  string(compact: boolean): string {
    return this.nullableString(compact) ?? notNull('a string')
  }

  nullableString(compact: boolean): string | null {
    const length = this.#length(compact, true)
    if (length < 0) return null
    const at = this.#take(length)
    return this.buffer.toString('utf8', at, at + length)
  }

  /** A view of the buffer, not a copy: whoever keeps it copies it. */
  bytes(compact: boolean): Buffer {
    return this.nullableBytes(compact) ?? notNull('a byte field')
  }

  nullableBytes(compact: boolean): Buffer | null {
    const length = this.#length(compact, false)
    if (length < 0) return null
    const at = this.#take(length)
    return this.buffer.subarray(at, at + length)
  }

  /** The number of elements of an array, or −1 for null; `minimumBytes` is the least that one element takes. */
  count(compact: boolean, minimumBytes: number): number {
    const count = compact ? this.uvarint() - 1 : this.int32()
    if (count < -1) throw new ProtocolError('COUNT_INVALID', `an array of ${count} elements makes no sense`)
    if (count * minimumBytes > this.remaining) {
      throw new ProtocolError(
        'COUNT_INVALID',
        `${count} elements cannot fit into the ${this.remaining} bytes that are left`,
      )
    }
    this.#takeElements(count)
    return count
  }

  #takeElements(count: number): void {
    this.#elementsLeft -= Math.max(0, count)
    if (this.#elementsLeft < 0) throw new ProtocolError('COUNT_INVALID', 'the arrays have too many elements in all')
  }

  /** The size of a tagged field; returns where it ends. */
  tagEnd(): number {
    const size = this.uvarint()
    if (size > this.remaining) throw truncated(size, this.remaining)
    return this.position + size
  }

  unknownTag(tag: number, end: number, known: UnknownTag[] | undefined): UnknownTag[] {
    this.#takeElements(1)
    const bytes = this.buffer.subarray(this.position, end)
    this.position = end
    if (known === undefined) return [{ tag, bytes }]
    known.push({ tag, bytes })
    return known
  }

  closeTag(end: number): void {
    if (this.position !== end) throw new ProtocolError('TAG_SIZE_WRONG', 'a tagged field is not as long as it says')
  }
}

export type ReadStruct<T> = (reader: Reader, version: number) => T
export type ReadScalar<T> = (reader: Reader, compact: boolean) => T

export function readStructs<T>(
  reader: Reader,
  version: number,
  compact: boolean,
  minimumBytes: number,
  read: ReadStruct<T>,
): T[] {
  return readNullableStructs(reader, version, compact, minimumBytes, read) ?? notNull('an array')
}

export function readNullableStructs<T>(
  reader: Reader,
  version: number,
  compact: boolean,
  minimumBytes: number,
  read: ReadStruct<T>,
): T[] | null {
  const count = reader.count(compact, minimumBytes)
  if (count < 0) return null
  const all: T[] = []
  for (let i = 0; i < count; i++) all.push(read(reader, version))
  return all
}

export function readScalars<T>(reader: Reader, compact: boolean, minimumBytes: number, read: ReadScalar<T>): T[] {
  return readNullableScalars(reader, compact, minimumBytes, read) ?? notNull('an array')
}

export function readNullableScalars<T>(
  reader: Reader,
  compact: boolean,
  minimumBytes: number,
  read: ReadScalar<T>,
): T[] | null {
  const count = reader.count(compact, minimumBytes)
  if (count < 0) return null
  const all: T[] = []
  for (let i = 0; i < count; i++) all.push(read(reader, compact))
  return all
}

/** A struct that may be missing has a byte before it: −1 missing, anything else present. */
export function readNullableStruct<T>(reader: Reader, version: number, read: ReadStruct<T>): T | null {
  return reader.int8() < 0 ? null : read(reader, version)
}

export const scalar = {
  bool: (r: Reader): boolean => r.bool(),
  int8: (r: Reader): number => r.int8(),
  int16: (r: Reader): number => r.int16(),
  uint16: (r: Reader): number => r.uint16(),
  int32: (r: Reader): number => r.int32(),
  uint32: (r: Reader): number => r.uint32(),
  int64: (r: Reader): bigint => r.int64(),
  float64: (r: Reader): number => r.float64(),
  uuid: (r: Reader): Uuid => r.uuid(),
  string: (r: Reader, compact: boolean): string => r.string(compact),
  bytes: (r: Reader, compact: boolean): Buffer => r.bytes(compact),
}

function truncated(wanted: number, left: number): ProtocolError {
  return new ProtocolError('FRAME_TRUNCATED', `${wanted} bytes are needed, ${left} are left`)
}

function notNull(what: string): never {
  throw new ProtocolError('NULL_NOT_ALLOWED', `${what} is null where null is not allowed`)
}
