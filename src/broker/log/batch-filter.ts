/**
 * What compaction leaves of a batch, as in Apache Kafka's log cleaner.
 *
 * A record stays if no later one has its key. A tombstone stays longer than that, until the delete horizon of its batch:
 * the compaction that first meets it sets the horizon, so that readers have `deleteRetentionMs` to see it. Aborted data
 * goes at once; the marker of a transaction goes when nothing is left of it and its own horizon has passed.
 * What always holds: offsets, and the last offset of a batch, never change; of each producer that is still known the last
 * batch stays, if need be without records, because its sequence number or epoch is needed after a restart.
 */
import * as header from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { type BatchFields, type BatchRecord, encodeBatch } from '../../protocol/record-batch/writer.ts'
import type { DecidedTransactions } from './decided-transactions.ts'
import type { KeyOffsets } from './key-offsets.ts'
import type { LastOfProducer } from './producer-state.ts'

export interface FilterOptions {
  readonly keys: KeyOffsets
  /** The last offset that `keys` knows of: what comes later stays as it is. */
  readonly mappedTo: number
  /** Where this compaction ends. The batch before it stays, if need be without records: the log must not shrink. */
  readonly endOffset: number
  readonly transactions: DecidedTransactions
  readonly lastOf: (producerId: number) => LastOfProducer | undefined
  readonly deleteRetentionMs: number
  readonly nowMs: number
  readonly maxDecompressedBytes: number
}

/** What may become of a batch: gone at once, gone if no record stays, there in any case. */
type Retention = 'delete' | 'deleteIfEmpty' | 'keepEmpty'

interface Kept {
  readonly records: readonly BatchRecord[]
  readonly isWhole: boolean
  readonly hasTombstones: boolean
}

export class BatchFilter {
  readonly #options: FilterOptions
  readonly #cursor = new RecordCursor()

  constructor(options: FilterOptions) {
    this.#options = options
  }

  /** The batch itself if nothing changes; null if nothing is left. Batches come in offset order, from the log's start. */
  filter(batch: Buffer): Buffer | null {
    const { transactions, nowMs, deleteRetentionMs } = this.#options
    const isControl = header.isControl(batch, 0)
    const horizonMs = horizonOf(batch)
    const isDiscarded = isControl ? transactions.endsNothing(batch) : transactions.isAborted(batch)
    const dropsRecords = isControl ? isDiscarded && horizonMs !== undefined && horizonMs <= nowMs : isDiscarded
    const retention = this.#retentionOf(batch, isControl, dropsRecords)
    if (retention === 'delete') return null
    const kept = dropsRecords ? nothing : this.#keep(batch, isControl, horizonMs)
    if (kept.records.length === 0) return retention === 'keepEmpty' ? emptied(batch) : null
    const needsHorizon = horizonMs === undefined && (kept.hasTombstones || (isControl && isDiscarded))
    if (kept.isWhole && !needsHorizon) return batch
    return rebuilt(batch, kept.records, needsHorizon ? nowMs + deleteRetentionMs : horizonMs)
  }

  #retentionOf(batch: Buffer, isControl: boolean, dropsRecords: boolean): Retention {
    const last = this.#options.lastOf(header.producerId(batch, 0))
    const isLast =
      last?.kind === 'data'
        ? last.lastOffset === header.lastOffset(batch, 0)
        : last !== undefined && isControl && last.producerEpoch === header.producerEpoch(batch, 0)
    if (isLast || header.lastOffset(batch, 0) + 1 === this.#options.endOffset) return 'keepEmpty'
    return dropsRecords ? 'delete' : 'deleteIfEmpty'
  }

  #keep(batch: Buffer, isControl: boolean, horizonMs: number | undefined): Kept {
    const cursor = this.#cursor.reset(batch, 0, this.#options.maxDecompressedBytes)
    const baseOffset = header.baseOffset(batch, 0)
    const mayDropTombstones = horizonMs !== undefined && horizonMs <= this.#options.nowMs
    const records: BatchRecord[] = []
    let isWhole = true
    let hasTombstones = false
    while (cursor.next()) {
      if (!isControl && !this.#staysWith(cursor, mayDropTombstones)) {
        isWhole = false
        continue
      }
      hasTombstones ||= cursor.valueLength < 0
      records.push({
        key: cursor.key(),
        value: cursor.value(),
        ...(cursor.headerCount > 0 ? { headers: cursor.headers() } : {}),
        timestampMs: cursor.timestamp,
        offsetDelta: cursor.offset - baseOffset,
      })
    }
    return { records, isWhole, hasTombstones }
  }

  #staysWith(cursor: RecordCursor, mayDropTombstones: boolean): boolean {
    const { keys, mappedTo } = this.#options
    if (cursor.offset > mappedTo) return true
    const key = cursor.key()
    if (key === null || cursor.offset < keys.latest(key)) return false
    return cursor.valueLength >= 0 || !mayDropTombstones
  }
}

const nothing: Kept = { records: [], isWhole: false, hasTombstones: false }

/** undefined: no compaction has met a tombstone, or the end of an emptied transaction, in it yet. */
function horizonOf(batch: Buffer): number | undefined {
  return header.hasDeleteHorizon(batch, 0) ? header.baseTimestamp(batch, 0) : undefined
}

/** The fields of the head that a batch keeps. */
function fieldsOf(batch: Buffer): BatchFields {
  const isAppendTime = header.isLogAppendTime(batch, 0)
  return {
    baseOffset: header.baseOffset(batch, 0),
    partitionLeaderEpoch: header.partitionLeaderEpoch(batch, 0),
    producerId: header.producerId(batch, 0),
    producerEpoch: header.producerEpoch(batch, 0),
    baseSequence: header.baseSequence(batch, 0),
    transactional: header.isTransactional(batch, 0),
    control: header.isControl(batch, 0),
    lastOffsetDelta: header.lastOffsetDelta(batch, 0),
    ...(isAppendTime ? { logAppendTimeMs: header.maxTimestamp(batch, 0) } : {}),
  }
}

function rebuilt(batch: Buffer, records: readonly BatchRecord[], deleteHorizonMs: number | undefined): Buffer {
  return encodeBatch({
    ...fieldsOf(batch),
    compression: header.compressionType(batch, 0),
    ...(deleteHorizonMs === undefined ? {} : { deleteHorizonMs }),
    records,
  })
}

function emptied(batch: Buffer): Buffer {
  if (header.recordCount(batch, 0) === 0) return batch
  return encodeBatch({ ...fieldsOf(batch), maxTimestampMs: header.maxTimestamp(batch, 0), records: [] })
}
