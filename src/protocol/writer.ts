/**
 * Writes Kafka's primitive types. Small values are gathered in one growing buffer; large byte fields (record batches) are
 * kept by reference, so that they travel from the log to the socket without a copy.
 */
import { ProtocolError } from './protocol-error.ts'
import type { Input, UnknownTag, Uuid } from './types.ts'

/** From this size on a reference is cheaper than a copy. */
const copyBelowBytes = 2048
const initialBytes = 256

export class Writer {
  #buffer: Buffer
  #start = 0
  #position = 0
  readonly #chunks: Buffer[] = []
  #chunkBytes = 0

  constructor(capacity: number = initialBytes) {
    this.#buffer = Buffer.allocUnsafe(capacity)
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#chunkBytes + this.#position - this.#start
  }

  /** Everything written, in pieces. The writer is done after this. */
  chunks(): Buffer[] {
    this.#closeChunk()
    return this.#chunks
  }

  toBuffer(): Buffer {
    const chunks = this.chunks()
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  }

  #closeChunk(): void {
    if (this.#position === this.#start) return
    this.#chunks.push(this.#buffer.subarray(this.#start, this.#position))
    this.#chunkBytes += this.#position - this.#start
    this.#start = this.#position
  }

  #room(bytes: number): number {
    const at = this.#position
    if (at + bytes > this.#buffer.length) return this.#grow(bytes)
    this.#position = at + bytes
    return at
  }

  #grow(bytes: number): number {
    const used = this.#position - this.#start
    const larger = Buffer.allocUnsafe(Math.max(2 * (used + bytes), initialBytes))
    this.#buffer.copy(larger, 0, this.#start, this.#position)
    this.#buffer = larger
    this.#start = 0
    this.#position = used + bytes
    return used
  }

  bool(value: boolean): void {
    const at = this.#room(1)
    this.#buffer[at] = value ? 1 : 0
  }

  int8(value: number): void {
    const at = this.#room(1)
    this.#buffer.writeInt8(value, at)
  }

  int16(value: number): void {
    const at = this.#room(2)
    this.#buffer.writeInt16BE(value, at)
  }

  uint16(value: number): void {
    const at = this.#room(2)
    this.#buffer.writeUInt16BE(value, at)
  }

  int32(value: number): void {
    const at = this.#room(4)
    this.#buffer.writeInt32BE(value, at)
  }

  uint32(value: number): void {
    const at = this.#room(4)
    this.#buffer.writeUInt32BE(value, at)
  }

  int64(value: bigint): void {
    const at = this.#room(8)
    this.#buffer.writeBigInt64BE(value, at)
  }

  float64(value: number): void {
    const at = this.#room(8)
    this.#buffer.writeDoubleBE(value, at)
  }

  uuid(value: Uuid): void {
    const at = this.#room(16)
    if (value.length !== 22 || this.#buffer.write(value, at, 16, 'base64url') !== 16) {
      throw new ProtocolError('VALUE_OUT_OF_RANGE', `'${value}' is not an id of 16 bytes in base64url`)
    }
  }

  uvarint(value: number): void {
    let rest = value >>> 0
    while (rest > 0x7f) {
      const at = this.#room(1)
      this.#buffer[at] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    const last = this.#room(1)
    this.#buffer[last] = rest
  }

  string(value: string | null, compact: boolean): void {
    if (value === null) {
      if (compact) this.uvarint(0)
      else this.int16(-1)
      return
    }
    const length = Buffer.byteLength(value)
    if (compact) this.uvarint(length + 1)
    else if (length > 32_767) {
      throw new ProtocolError('VALUE_OUT_OF_RANGE', `a string of ${length} bytes is longer than the 32767 that fit`)
    } else this.int16(length)
    const at = this.#room(length)
    this.#buffer.write(value, at, length)
  }

  bytes(value: Input<Buffer> | null, compact: boolean): void {
    if (value === null) {
      if (compact) this.uvarint(0)
      else this.int32(-1)
      return
    }
    let length = 0
    if (Buffer.isBuffer(value)) length = value.length
    else for (const piece of value) length += piece.length
    if (compact) this.uvarint(length + 1)
    else this.int32(length)
    if (Buffer.isBuffer(value)) this.raw(value)
    else for (const piece of value) this.raw(piece)
  }

  raw(piece: Buffer): void {
    if (piece.length < copyBelowBytes) {
      const at = this.#room(piece.length)
      piece.copy(this.#buffer, at)
      return
    }
    this.#closeChunk()
    this.#chunks.push(piece)
    this.#chunkBytes += piece.length
  }

  count(count: number, compact: boolean): void {
    if (compact) this.uvarint(count + 1)
    else this.int32(count)
  }

  /** One tagged field: its tag, its size, its bytes. */
  tagged(tag: number, content: Writer): void {
    this.uvarint(tag)
    this.uvarint(content.length)
    for (const piece of content.chunks()) this.raw(piece)
  }

  /** The unknown fields of `tags` below `before`, from the `from`-th on; returns how many have been written in all. */
  unknownTags(tags: readonly UnknownTag[] | undefined, from: number, before: number): number {
    let next = from
    for (; tags !== undefined && next < tags.length; next++) {
      const field = tags[next]
      if (field === undefined || field.tag >= before) break
      this.uvarint(field.tag)
      this.uvarint(field.bytes.length)
      this.raw(field.bytes)
    }
    return next
  }
}
