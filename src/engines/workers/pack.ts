/**
 * Bytes in and out, for messages to and from workers. A message is one piece of memory of its own: a thread is handed it
 * without a copy, a process gets it as one frame. The first four bytes are its length, whoever carries it.
 */

const FIRST_BYTES = 512
const LENGTH_BYTES = 4
const NULL = -1

export class PackWriter {
  #bytes: Buffer
  #at = LENGTH_BYTES

  constructor(sizeBytes: number = FIRST_BYTES) {
    this.#bytes = own(sizeBytes + LENGTH_BYTES)
  }

  u8(value: number): void {
    this.#need(1)
    this.#bytes[this.#at++] = value
  }

  i32(value: number): void {
    this.#need(4)
    this.#at = this.#bytes.writeInt32LE(value, this.#at)
  }

  f64(value: number): void {
    this.#need(8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  text(value: string): void {
    // A UTF-16 unit is at most three bytes of UTF-8.
    this.#need(4 + value.length * 3)
    const length = this.#bytes.write(value, this.#at + 4)
    this.#bytes.writeInt32LE(length, this.#at)
    this.#at += 4 + length
  }

  bytes(value: Uint8Array | null): void {
    if (value === null) return this.i32(NULL)
    this.#need(4 + value.length)
    this.#bytes.writeInt32LE(value.length, this.#at)
    this.#bytes.set(value, this.#at + 4)
    this.#at += 4 + value.length
  }

  /** To come back to, if what follows cannot be written. */
  get mark(): number {
    return this.#at
  }

  backTo(mark: number): void {
    this.#at = mark
  }

  /** What another writer wrote, without the length in front. */
  packed(message: Buffer): void {
    const body = message.subarray(LENGTH_BYTES)
    this.#need(body.length)
    this.#bytes.set(body, this.#at)
    this.#at += body.length
  }

  /** The message. The writer is empty afterwards, with memory of its own again. */
  take(): Buffer {
    const message = this.#bytes.subarray(0, this.#at)
    message.writeUInt32LE(this.#at - LENGTH_BYTES, 0)
    this.#bytes = own(FIRST_BYTES)
    this.#at = LENGTH_BYTES
    return message
  }

  #need(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const wider = own(Math.max(this.#bytes.length * 2, this.#at + more))
    this.#bytes.copy(wider, 0, 0, this.#at)
    this.#bytes = wider
  }
}

export class PackReader {
  readonly #bytes: Buffer
  #at: number

  /** A whole message, with its length in front. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#at = LENGTH_BYTES
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#at++)
  }

  i32(): number {
    const value = this.#bytes.readInt32LE(this.#at)
    this.#at += 4
    return value
  }

  f64(): number {
    const value = this.#bytes.readDoubleLE(this.#at)
    this.#at += 8
    return value
  }

  text(): string {
    const length = this.i32()
    const value = this.#bytes.toString('utf8', this.#at, this.#at + length)
    this.#at += length
    return value
  }

  /** A view of the message, not a copy. */
  bytes(): Buffer | null {
    const length = this.i32()
    if (length === NULL) return null
    const value = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return value
  }
}

/** Not from Node's pool: memory that is handed to a thread is gone here, and the pool is everybody's. */
function own(sizeBytes: number): Buffer {
  return Buffer.allocUnsafeSlow(sizeBytes)
}
