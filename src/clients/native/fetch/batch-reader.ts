/**
 * From the bytes of a fetch to batches of records that may be seen: checksums checked, transactions that were aborted left
 * out, markers and holes passed over, records below the position skipped.
 *
 * Aborted ones are told by the broker's list: a producer's records are skipped from its entry on until its ABORT marker. The
 * list may begin below our position, in an earlier answer, and may name transactions beyond what came.
 */
import { FanlaneError } from '../../../errors.ts'
import type { Epoch, Position } from '../../../kernel/ids.ts'
import { hashBytes, hashNone } from '../../../kernel/lane-hash.ts'
import { readMarker } from '../../../protocol/record-batch/control.ts'
import * as header from '../../../protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../protocol/record-batch/reader.ts'
import { type BatchColumns, layoutWidth, NativeBatch } from './native-batch.ts'

export interface Reading {
  readonly topic: string
  readonly partition: number
  readonly epoch: Epoch
  readonly position: number
  /** Up to where we may see. */
  readonly logEnd: number
  readonly aborted: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[] | null
}

export interface ReadBatches {
  readonly batches: NativeBatch[]
  /** Behind the last batch that came, whole; the old position: none did. */
  readonly nextPosition: number
  readonly leaderEpoch: number
}

/** A record that waits keeps about this much in memory. */
const pieceBytes = 16 * 1024
/** What a batch may become when it is unpacked. */
const unpackedBytesMax = 2 ** 30

/** Columns that grow as needed and are copied out at the end of each piece: made once, not for every answer. */
class Scratch {
  layout: Int32Array = new Int32Array(1024 * layoutWidth)
  offsets: Float64Array = new Float64Array(1024)
  timestamps: Float64Array = new Float64Array(1024)
  sizes: Int32Array = new Int32Array(1024)
  hashes: Int32Array = new Int32Array(2 * 1024)
  count = 0

  grow(): void {
    const grown = <A extends Int32Array | Float64Array>(from: A, to: A): A => {
      to.set(from)
      return to
    }
    this.layout = grown(this.layout, new Int32Array(this.layout.length * 2))
    this.offsets = grown(this.offsets, new Float64Array(this.offsets.length * 2))
    this.timestamps = grown(this.timestamps, new Float64Array(this.timestamps.length * 2))
    this.sizes = grown(this.sizes, new Int32Array(this.sizes.length * 2))
    this.hashes = grown(this.hashes, new Int32Array(this.hashes.length * 2))
  }
}

const scratch = new Scratch()
const cursor = new RecordCursor()

export function readBatches(bytes: Buffer, reading: Reading): ReadBatches {
  const { position } = reading
  const filter = new AbortedFilter(reading.aborted)
  const pieces = new Pieces(reading)
  let nextPosition = position
  let leaderEpoch = -1
  for (const at of eachBatch(bytes)) {
    const lastOffset = header.lastOffset(bytes, at)
    if (!header.crcMatches(bytes, at)) throw damaged(reading, header.baseOffset(bytes, at))
    const isSeen = filter.admits(bytes, at, lastOffset)
    if (lastOffset < position) continue
    leaderEpoch = header.partitionLeaderEpoch(bytes, at)
    nextPosition = lastOffset + 1
    if (!isSeen) continue
    cursor.reset(bytes, at, unpackedBytesMax)
    while (cursor.next()) if (cursor.offset >= position) pieces.add(leaderEpoch)
  }
  return { batches: pieces.finish(nextPosition), nextPosition, leaderEpoch }
}

/** Cuts what the cursor walks over into batches of their own. */
class Pieces {
  readonly #reading: Reading
  readonly #batches: NativeBatch[] = []
  /** What the open piece is cut from, and where. */
  #source: Buffer = cursor.bytes
  #start = 0
  #end = 0
  #leaderEpoch = -1

  constructor(reading: Reading) {
    this.#reading = reading
    // An answer that did not hold together may have left something behind.
    scratch.count = 0
  }

  /** The record at the cursor. */
  add(leaderEpoch: number): void {
    const { bytes, start, size, keyStart, keyLength } = cursor
    const isElsewhere = bytes !== this.#source || leaderEpoch !== this.#leaderEpoch
    if (isElsewhere || start + size - this.#start > pieceBytes || scratch.count === 0) {
      this.#cut()
      this.#source = bytes
      this.#start = start
      this.#leaderEpoch = leaderEpoch
    }
    this.#end = start + size
    const index = scratch.count++
    if (index === scratch.offsets.length) scratch.grow()
    scratch.offsets[index] = cursor.offset
    scratch.timestamps[index] = cursor.timestamp
    scratch.sizes[index] = size
    const to = index * layoutWidth
    const { layout } = scratch
    layout[to] = keyStart - this.#start
    layout[to + 1] = keyLength
    layout[to + 2] = cursor.valueStart - this.#start
    layout[to + 3] = cursor.valueLength
    layout[to + 4] = cursor.headersStart - this.#start
    layout[to + 5] = cursor.headerCount
    if (keyLength < 0) hashNone(scratch.hashes, index * 2)
    else hashBytes(bytes, keyStart, keyStart + keyLength, scratch.hashes, index * 2)
  }

  /** Every batch goes on where the next one begins, the last one behind the holes and markers at the end. */
  finish(nextPosition: number): NativeBatch[] {
    this.#cut()
    let following = nextPosition
    for (let index = this.#batches.length - 1; index >= 0; index--) {
      const batch = this.#batches[index]
      if (batch === undefined) break
      batch.nextPosition = following as Position
      following = batch.offsets[0] ?? following
    }
    return this.#batches
  }

  #cut(): void {
    const { count } = scratch
    if (count === 0) return
    const { topic, partition, epoch, logEnd } = this.#reading
    const columns = copied(this.#source, this.#start, this.#end)
    this.#batches.push(new NativeBatch({ topic, partition, epoch, leaderEpoch: this.#leaderEpoch, ...columns }, logEnd))
    scratch.count = 0
  }
}

/** A piece and its columns, in one allocation: that is what a piece costs. */
function copied(
  source: Buffer,
  start: number,
  end: number,
): Pick<BatchColumns, 'bytes' | 'layout' | 'offsets' | 'timestamps' | 'sizes' | 'hashes'> {
  const { count } = scratch
  const columnBytes = count * (2 * 8 + (layoutWidth + 3) * 4)
  const { buffer } = Buffer.allocUnsafeSlow(columnBytes + end - start)
  const offsets = new Float64Array(buffer, 0, count)
  const timestamps = new Float64Array(buffer, count * 8, count)
  const sizes = new Int32Array(buffer, count * 16, count)
  const hashes = new Int32Array(buffer, count * 20, count * 2)
  const layout = new Int32Array(buffer, count * 28, count * layoutWidth)
  const bytes = Buffer.from(buffer, columnBytes, end - start)
  offsets.set(scratch.offsets.subarray(0, count))
  timestamps.set(scratch.timestamps.subarray(0, count))
  sizes.set(scratch.sizes.subarray(0, count))
  hashes.set(scratch.hashes.subarray(0, count * 2))
  layout.set(scratch.layout.subarray(0, count * layoutWidth))
  source.copy(bytes, 0, start, end)
  return { bytes, layout, offsets, timestamps, sizes, hashes }
}

class AbortedFilter {
  readonly #upcoming: { readonly producerId: number; readonly firstOffset: number }[]
  readonly #aborting: Set<number> = new Set()
  #next = 0

  constructor(aborted: Reading['aborted']) {
    const list = (aborted ?? []).map((each) => ({
      producerId: Number(each.producerId),
      firstOffset: Number(each.firstOffset),
    }))
    this.#upcoming = list.sort((a, b) => a.firstOffset - b.firstOffset)
  }

  /** Called for every batch, in order. */
  admits(bytes: Buffer, at: number, lastOffset: number): boolean {
    for (let next = this.#upcoming[this.#next]; next !== undefined; next = this.#upcoming[++this.#next]) {
      if (next.firstOffset > lastOffset) break
      this.#aborting.add(next.producerId)
    }
    if (header.isControl(bytes, at)) {
      if (this.#aborting.size > 0 && readMarker(bytes, at)?.kind === 'abort') {
        this.#aborting.delete(header.producerId(bytes, at))
      }
      return false
    }
    return !(header.isTransactional(bytes, at) && this.#aborting.has(header.producerId(bytes, at)))
  }
}

function damaged({ topic, partition }: Reading, offset: number): FanlaneError {
  return new FanlaneError(
    'BATCH_DAMAGED',
    `${topic}-${partition}: the batch at offset ${offset} does not match its checksum. If it stays that way after it is read ` +
      'again, it is damaged on the disk of the broker: restore the log from another replica, or seek past it.',
    { retriable: true },
  )
}
