/**
 * Reading whole batches out of one segment, as a step-by-step plan: it says which bytes it wants next and is fed them, so
 * that memory can answer at once and a disk later, with the same code.
 *
 * What always holds: nothing leaves it that did not pass the checks (checksum, place in the log, leader epoch) since
 * the start, unless memory answered. What it gives out are views of what it was fed, no copies.
 */
import { lastOffset, logOverhead, partitionLeaderEpoch } from '../../protocol/record-batch/header.ts'
import { isSound, plausibleSize, safeBaseOffset } from './batch-check.ts'
import type { LeaderEpochs } from './leader-epochs.ts'
import type { Segment } from './segment.ts'

/** One read from disk is at most this long, unless a single batch is longer. */
const readBytesMax = 4 * 1_048_576
const readBytesMin = 4_096

export interface Wanted {
  readonly fromOffset: number
  /** The first batch comes even if it is larger. */
  readonly bytesMax: number
  /** Batches from here on are not given out. */
  readonly limitOffset: number
}

/** Where reading begins, and what is known of the batch there. */
export type Start =
  /** A batch begins here whose base offset is at least (in a log without holes: is) this one. */
  | { readonly kind: 'batch'; readonly position: number; readonly offset: number }
  /** The index claims that a batch begins here whose last offset is this one. */
  | { readonly kind: 'hint'; readonly position: number; readonly lastOffset: number }

export type Progress = 'more' | 'done' | 'index-wrong' | 'damaged'

export class SegmentRead {
  readonly chunks: Buffer[] = []
  bytes = 0
  position: number
  /** How many bytes it wants from `position` on. */
  length = 0
  /** The offset that follows the last batch that was given out or passed over. */
  nextOffset: number
  readonly #segment: Segment
  readonly #wanted: Wanted
  readonly #end: number
  readonly #dense: boolean
  readonly #epochs: LeaderEpochs | undefined
  /** Last offset that the index promised for the first batch; -1 once it was seen, or if there was no promise. */
  #promised: number
  #verified = false

  /** Without `epochs` nothing is checked: the bytes come from memory. */
  constructor(segment: Segment, start: Start, wanted: Wanted, dense: boolean, epochs: LeaderEpochs | undefined) {
    this.#segment = segment
    this.#wanted = wanted
    this.#end = segment.written
    this.#dense = dense
    this.#epochs = epochs
    this.position = start.position
    this.nextOffset = start.kind === 'batch' ? start.offset : segment.baseOffset
    this.#promised = start.kind === 'hint' ? start.lastOffset : -1
    const skip = start.kind === 'hint' ? segment.indexIntervalBytes : 0
    this.#want(Math.min(wanted.bytesMax + skip, readBytesMax))
  }

  get isAtEnd(): boolean {
    return this.position >= this.#end
  }

  /** The bytes it wanted, in one piece or, where they lie in memory, in several. */
  feed(pieces: readonly Buffer[]): Progress {
    const from = this.position
    this.#verified = this.#epochs === undefined || this.#segment.isVerified(from, from + this.length)
    let progress: Progress = 'more'
    for (const piece of pieces) {
      progress = this.#walk(piece)
      if (progress !== 'more') break
    }
    if (!this.#verified) this.#segment.markVerified(from, this.position)
    if (progress !== 'more') return progress
    if (this.bytes > 0 || this.isAtEnd) return 'done'
    this.#want(this.length)
    return 'more'
  }

  #want(length: number): void {
    this.length = Math.min(this.#end - this.position, Math.max(readBytesMin, length))
  }

  #walk(piece: Buffer): Progress {
    const { fromOffset, bytesMax, limitOffset } = this.#wanted
    let start = -1
    let at = 0
    let progress: Progress = 'more'
    while (at < piece.length && progress === 'more') {
      const left = piece.length - at
      const size = plausibleSize(piece, at)
      if (left < logOverhead || size > left) {
        progress = this.#wantWhole(size)
        break
      }
      if (!this.#passes(piece, at)) {
        progress = this.#unsound()
        break
      }
      const last = lastOffset(piece, at)
      if (last >= limitOffset) progress = 'done'
      else if (last >= fromOffset) {
        if (this.bytes > 0 && this.bytes + size > bytesMax) progress = 'done'
        else {
          if (start < 0) start = at
          this.bytes += size
        }
      }
      if (progress !== 'more') break
      this.nextOffset = last + 1
      this.position += size
      at += size
    }
    if (start >= 0) this.chunks.push(start === 0 && at === piece.length ? piece : piece.subarray(start, at))
    return progress
  }

  /** A batch goes on behind the bytes that were read. */
  #wantWhole(size: number): Progress {
    if (this.bytes > 0) return 'done'
    if (this.position + Math.max(size, logOverhead) > this.#end) return this.#unsound()
    this.#want(size)
    return 'more'
  }

  #passes(piece: Buffer, at: number): boolean {
    const promised = this.#promised
    if (!this.#verified) {
      const expected = { offset: this.nextOffset, dense: this.#dense && promised < 0 }
      if (!isSound(piece, at, expected)) return false
      const epoch = this.#epochs?.epochAt(safeBaseOffset(piece, at)) ?? -1
      if (epoch >= 0 && epoch !== partitionLeaderEpoch(piece, at)) return false
    }
    if (promised >= 0 && lastOffset(piece, at) !== promised) return false
    this.#promised = -1
    return true
  }

  #unsound(): Progress {
    if (this.bytes > 0) return 'done'
    return this.#promised >= 0 ? 'index-wrong' : 'damaged'
  }
}
