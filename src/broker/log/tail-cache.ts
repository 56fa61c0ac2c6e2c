/**
 * The newest batches of all partitions, in memory, so that consumers that keep up never touch the disk. One bound for all
 * partitions together: whoever was appended longest ago goes first.
 * What always holds: a partition's window has no holes and reaches up to the last batch that was written.
 */
import { baseOffset, lastOffset } from '../../protocol/record-batch/header.ts'
import { Fifo } from './fifo.ts'

/** What a batch costs in memory beside its bytes. */
const overheadBytes = 160

export interface TailRead {
  readonly kind: 'batches'
  readonly chunks: readonly Buffer[]
  readonly bytes: number
  readonly nextOffset: number
}

export class TailWindow {
  readonly #batches = new Fifo<Buffer>()
  bytes = 0
  /** Batches that left by themselves and still have a place in the order of the cache. */
  gone = 0

  get firstOffset(): number {
    const first = this.#batches.first
    return first === undefined ? Number.POSITIVE_INFINITY : baseOffset(first, 0)
  }

  push(batch: Buffer): void {
    this.#batches.push(batch)
    this.bytes += batch.length + overheadBytes
  }

  shift(): number {
    const batch = this.#batches.shift()
    if (batch === undefined) return 0
    this.bytes -= batch.length + overheadBytes
    return batch.length + overheadBytes
  }

  get endsBefore(): number {
    const first = this.#batches.first
    return first === undefined ? Number.POSITIVE_INFINITY : lastOffset(first, 0)
  }

  /**
   * Whole batches from the one that holds `fromOffset` on, up to `limitOffset`; the first one even if it is larger than
   * `bytesMax`. undefined: that offset is not in here.
   */
  read(fromOffset: number, bytesMax: number, limitOffset: number): TailRead | undefined {
    if (this.firstOffset > fromOffset) return undefined
    let index = this.#indexOf(fromOffset)
    const chunks: Buffer[] = []
    let bytes = 0
    let nextOffset = fromOffset
    for (let batch = this.#batches.at(index); batch !== undefined; batch = this.#batches.at(++index)) {
      const last = lastOffset(batch, 0)
      if (last >= limitOffset || (bytes > 0 && bytes + batch.length > bytesMax)) break
      chunks.push(batch)
      bytes += batch.length
      nextOffset = last + 1
    }
    return { kind: 'batches', chunks, bytes, nextOffset }
  }

  /** The first batch that ends at or behind this offset. */
  #indexOf(offset: number): number {
    let low = 0
    let high = this.#batches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (lastOffset(this.#batches.at(middle) as Buffer, 0) < offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class TailCache {
  readonly #bytesMax: number
  #bytes = 0
  /** One place per batch, in the order of their arrival. */
  readonly #order = new Fifo<TailWindow>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(window: TailWindow, batch: Buffer): void {
    if (this.#bytesMax === 0) return
    window.push(batch)
    this.#order.push(window)
    this.#bytes += batch.length + overheadBytes
    while (this.#bytes > this.#bytesMax) this.#evict()
  }

  /** Batches that end before this offset go: compaction has replaced them, or they were deleted. */
  dropBefore(window: TailWindow, offset: number): void {
    while (window.endsBefore < offset) {
      this.#bytes -= window.shift()
      window.gone++
    }
  }

  #evict(): void {
    const window = this.#order.shift()
    if (window === undefined) return
    if (window.gone > 0) window.gone--
    else this.#bytes -= window.shift()
  }
}
