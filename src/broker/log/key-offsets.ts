/**
 * The latest offset of every key in a stretch of a log: what compaction goes by. Its memory is bounded: where it is full,
 * compaction goes only that far and does the rest the next time.
 */
import { createHash } from 'node:crypto'

/** Longer keys are known by a hash: 160 bits do not collide. */
const plainKeyBytesMax = 48
/** What an entry costs beside the characters of its key. */
const entryBytes = 96

export class KeyOffsets {
  readonly #offsets = new Map<string, number>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax
  }

  /** Offsets rise from call to call. */
  put(key: Buffer, offset: number): void {
    const name = nameOf(key)
    if (!this.#offsets.has(name)) this.#bytes += entryBytes + name.length
    this.#offsets.set(name, offset)
  }

  /** −1: the key does not occur. */
  latest(key: Buffer): number {
    return this.#offsets.get(nameOf(key)) ?? -1
  }
}

/** Every byte one character. The mark in front of a hash is none that a byte can be. */
function nameOf(key: Buffer): string {
  if (key.length <= plainKeyBytesMax) return key.toString('latin1')
  return `\u0100${createHash('sha1').update(key).digest('base64')}`
}
