/** Bit strings, most significant bit first. Values may be up to 53 bits wide, so no operator here is 32-bit only. */

export class BitWriter {
  /** Above this many bits the caller has lost to a shorter encoding, or to the size limit: it may stop. */
  readonly maxBits: number
  #bytes: Uint8Array = new Uint8Array(64)
  #length = 0

  constructor(maxBits: number) {
    this.maxBits = maxBits
  }

  get length(): number {
    return this.#length
  }

  get overflowed(): boolean {
    return this.#length > this.maxBits
  }

  /** Zero-filled up to a whole byte. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, (this.#length + 7) >>> 3)
  }

  reader(): BitReader {
    return new BitReader(this.bytes, this.#length)
  }

  bit(bit: number): void {
    const at = this.#length >>> 3
    if (at === this.#bytes.length) this.#grow()
    if (bit !== 0) this.#bytes[at] = (this.#bytes[at] ?? 0) | (0x80 >>> (this.#length & 7))
    this.#length++
  }

  bits(value: number, width: number): void {
    // Two halves of at most 32 bits, because shifts see no more.
    if (width > 32) this.bits(Math.floor(value / 0x1_0000_0000), width - 32)
    const low = value >>> 0
    for (let shift = Math.min(width, 32) - 1; shift >= 0; shift--) this.bit((low >>> shift) & 1)
  }

  /** `count` equal bits. */
  fill(bit: number, count: number): void {
    for (let i = 0; i < count; i++) this.bit(bit)
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

export class BitReader {
  readonly #bytes: Uint8Array
  /** Where the bits end. Past it `bit` answers 0: the range decoder reads ahead of what it needs. */
  readonly length: number
  #at = 0

  constructor(bytes: Uint8Array, length: number) {
    this.#bytes = bytes
    this.length = length
  }

  get left(): number {
    return Math.max(0, this.length - this.#at)
  }

  bit(): number {
    const at = this.#at++
    if (at >= this.length) return 0
    return ((this.#bytes[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1
  }

  skip(width: number): void {
    this.#at += width
  }

  bits(width: number): number {
    let value = 0
    for (let i = 0; i < width; i++) value = value * 2 + this.bit()
    return value
  }
}

/** 0 for 0, else the place of the leading one. */
export function bitWidth(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / 2 ** 32))
}
