/**
 * Cuts a byte stream into frames: four bytes of length, then that many bytes. Nothing is allocated for a length that was
 * only announced: pieces are kept as they come and joined when the frame is whole.
 */
import { ProtocolError } from './protocol-error.ts'

const lengthBytes = 4

export class FrameReader {
  /** A longer frame is refused as soon as it is announced. */
  maxBytes: number
  #pieces: Buffer[] = []
  #available = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk)
    this.#available += chunk.length
  }

  /** The next whole frame without its length, or undefined. A view of the chunk where it came in one piece. */
  next(): Buffer | undefined {
    if (this.#available < lengthBytes) return undefined
    const length = this.#peekLength()
    if (length < 0) {
      throw new ProtocolError(
        'FRAME_LENGTH_INVALID',
        `a frame of ${length} bytes was announced; this is not the Kafka protocol`,
      )
    }
    if (length > this.maxBytes) {
      throw new ProtocolError(
        'FRAME_TOO_LARGE',
        `a frame of ${length} bytes was announced; at most ${this.maxBytes} are taken`,
      )
    }
    if (this.#available < lengthBytes + length) return undefined
    return this.#take(lengthBytes + length).subarray(lengthBytes)
  }

  #peekLength(): number {
    const first = this.#pieces[0]
    if (first !== undefined && first.length >= lengthBytes) return first.readInt32BE(0)
    let length = 0
    let seen = 0
    for (const piece of this.#pieces) {
      for (let i = 0; i < piece.length && seen < lengthBytes; i++, seen++) length = (length << 8) | (piece[i] ?? 0)
    }
    return length
  }

  #take(bytes: number): Buffer {
    const first = this.#pieces[0]
    if (first !== undefined && first.length >= bytes) {
      if (first.length === bytes) this.#pieces.shift()
      else this.#pieces[0] = first.subarray(bytes)
      this.#available -= bytes
      return first.subarray(0, bytes)
    }
    const taken: Buffer[] = []
    let missing = bytes
    let used = 0
    for (const piece of this.#pieces) {
      if (piece.length > missing) {
        taken.push(piece.subarray(0, missing))
        this.#pieces[used] = piece.subarray(missing)
        missing = 0
        break
      }
      taken.push(piece)
      missing -= piece.length
      used++
      if (missing === 0) break
    }
    this.#pieces.splice(0, used)
    this.#available -= bytes
    return Buffer.concat(taken, bytes)
  }
}
