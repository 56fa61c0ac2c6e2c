/** Messages out of a stream of bytes. Each message has its length in its first four bytes, see pack.ts. */
const LENGTH_BYTES = 4

export class FrameReader {
  readonly #onFrame: (frame: Buffer) => void
  /** What has come of the next frame. */
  #parts: Buffer[] = []
  #size = 0

  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#size += chunk.length
    for (;;) {
      const wanted = this.#wanted()
      if (wanted === null || this.#size < wanted) return
      this.#onFrame(this.#take(wanted))
    }
  }

  /** The whole length of the next frame, if that much is known. */
  #wanted(): number | null {
    if (this.#size < LENGTH_BYTES) return null
    let first = this.#parts[0] as Buffer
    if (first.length < LENGTH_BYTES) {
      first = Buffer.concat(this.#parts)
      this.#parts = [first]
    }
    return LENGTH_BYTES + first.readUInt32LE(0)
  }

  /** Joined once, when all of it is here: a large frame comes in many small pieces. */
  #take(bytes: number): Buffer {
    const all = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
    const rest = all.subarray(bytes)
    this.#parts = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    return all.subarray(0, bytes)
  }
}
