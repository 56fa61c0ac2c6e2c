/**
 * One partition: batches in offset order, between where the log starts and where it ends. There is one replica, so the
 * high watermark is the log end. Holes are ordinary: a marker takes an offset, compaction takes records.
 */
import type { IsolationLevel, LogBatch, LogRecord, ProducedRecord } from '../log-messages.ts'
import { LeaderEpochs } from './leader-epochs.ts'
import { Producers } from './producers.ts'

/** A batch header on the wire. */
const HEADER_BYTES = 61

export interface NewBatch {
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly isTransactional: boolean
  readonly records: readonly ProducedRecord[]
}

interface Aborted {
  readonly producerId: number
  readonly firstOffset: number
  /** The offset of the marker. */
  readonly lastOffset: number
}

export function sizeOf(records: readonly ProducedRecord[]): number {
  return records.reduce((size, record) => size + record.size, HEADER_BYTES)
}

export class PartitionLog {
  readonly epochs: LeaderEpochs
  #batches: LogBatch[] = []
  #aborted: Aborted[] = []
  #producers = new Producers()
  #start: number
  #end: number

  constructor(startsAt: number) {
    this.#start = startsAt
    this.#end = startsAt
    this.epochs = new LeaderEpochs(startsAt)
  }

  get start(): number {
    return this.#start
  }

  get end(): number {
    return this.#end
  }

  get producers(): Producers {
    return this.#producers
  }

  get lastStableOffset(): number {
    return this.#producers.firstOpenOffset() ?? this.#end
  }

  visibleEnd(isolationLevel: IsolationLevel): number {
    return isolationLevel === 'read_committed' ? this.lastStableOffset : this.#end
  }

  append(nowMs: number, batch: NewBatch): number {
    const baseOffset = this.#end
    const { producerId, producerEpoch, baseSequence, isTransactional } = batch
    const records: LogRecord[] = []
    for (const record of batch.records) {
      records.push({ ...record, offset: baseOffset + records.length, timestamp: record.timestamp ?? nowMs })
    }
    this.#push({
      kind: 'data',
      baseOffset,
      lastOffset: baseOffset + records.length - 1,
      leaderEpoch: this.epochs.current,
      producerId,
      producerEpoch,
      baseSequence,
      isTransactional,
      size: sizeOf(batch.records),
      records,
    })
    return baseOffset
  }

  appendMarker(producerId: number, producerEpoch: number, type: 'COMMIT' | 'ABORT'): void {
    const offset = this.#end
    this.#push({
      kind: 'control',
      type,
      baseOffset: offset,
      lastOffset: offset,
      leaderEpoch: this.epochs.current,
      producerId,
      producerEpoch,
      baseSequence: -1,
      isTransactional: true,
      size: HEADER_BYTES,
    })
  }

  /** From the batch that holds `fetchOffset` on, as many as fit; at least one if `atLeastOne`. */
  read(fetchOffset: number, isolation: IsolationLevel, bytesMax: number, atLeastOne: boolean): readonly LogBatch[] {
    const visibleEnd = this.visibleEnd(isolation)
    const first = this.#indexAt(fetchOffset)
    let index = first
    let bytes = 0
    for (; index < this.#batches.length; index++) {
      const batch = this.#batches[index]
      if (batch === undefined || batch.baseOffset >= visibleEnd) break
      bytes += batch.size
      if (bytes > bytesMax && !(atLeastOne && index === first)) break
    }
    return this.#batches.slice(first, index)
  }

  /**
   * Aborted transactions that end at or after this offset. As in Kafka, also such that begin after what is read: a reader
   * must look at the first offset of each.
   */
  abortedSince(fetchOffset: number): readonly { producerId: number; firstOffset: number }[] {
    const found: { producerId: number; firstOffset: number }[] = []
    for (const { producerId, firstOffset, lastOffset } of this.#aborted) {
      if (lastOffset >= fetchOffset) found.push({ producerId, firstOffset })
    }
    return found
  }

  /**
   * Compaction: the records go, their batch keeps its offsets. A batch with nothing left goes as a whole, unless it is
   * its producer's last, whose sequence number is still needed, or the last of the log, by which readers find its end.
   */
  removeRecords(offsets: ReadonlySet<number>): void {
    const lastOf = new Map<number, LogBatch>()
    for (const batch of this.#batches) if (batch.kind === 'data') lastOf.set(batch.producerId, batch)
    this.#batches = this.#batches.flatMap((batch): LogBatch[] => {
      if (batch.kind === 'control') return [batch]
      const records = batch.records.filter((record) => !offsets.has(record.offset))
      if (records.length === batch.records.length) return [batch]
      const isNeeded = batch.producerId >= 0 && lastOf.get(batch.producerId) === batch
      return records.length > 0 || isNeeded || batch.lastOffset === this.#end - 1 ? [{ ...batch, records }] : []
    })
  }

  /** The log starts later, perhaps inside a batch, which stays readable as a whole. */
  deleteBefore(offset: number): void {
    this.#start = Math.max(this.#start, Math.min(offset, this.#end))
    this.#batches = this.#batches.filter((batch) => batch.lastOffset >= this.#start)
  }

  /** An unclean election: what came after is lost, whatever was acknowledged. Cuts at a batch boundary at or below. */
  truncate(offset: number): void {
    const kept = this.#batches.filter((batch) => batch.lastOffset < offset)
    this.#batches = []
    this.#aborted = []
    this.#producers = new Producers()
    this.#end = this.#start
    for (const batch of kept) this.#push(batch)
    this.epochs.raise(this.#end)
  }

  #push(batch: LogBatch): void {
    const previous = this.#batches.at(-1)
    if (previous?.kind === 'data' && previous.records.length === 0 && previous.producerId < 0) this.#batches.pop()
    this.#batches.push(batch)
    this.#end = batch.lastOffset + 1
    if (batch.producerId < 0) return
    if (batch.kind === 'data') {
      const count = batch.lastOffset - batch.baseOffset + 1
      this.#producers.appended({ ...batch, count }, batch.baseOffset, batch.isTransactional)
      return
    }
    const firstOffset = this.#producers.ended(batch.producerId, batch.producerEpoch)
    if (firstOffset !== null && batch.type === 'ABORT') {
      this.#aborted.push({ producerId: batch.producerId, firstOffset, lastOffset: batch.baseOffset })
    }
  }

  /** The first batch that ends at or after this offset. */
  #indexAt(offset: number): number {
    let low = 0
    let high = this.#batches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#batches[middle]?.lastOffset ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
