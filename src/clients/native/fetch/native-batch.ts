/**
 * Fetched records, column by column. No object is made for a record before it is run: only where its parts lie, its offset,
 * its size and its key.
 *
 * The bytes are the batch's own, and few: an answer of megabytes is cut into pieces when it is read. So a record that waits
 * for a retry, or that a handler keeps, keeps its piece in memory and not the whole answer. (A copy for each record would
 * not be better: Node takes small ones from a pool, and they keep each other.)
 */
import type { Epoch, Position } from '../../../kernel/ids.ts'
import type { Header, RawRecord, RecordBatch } from '../../../ports/log-client.ts'
import { headersAt } from '../../../protocol/record-batch/reader.ts'

/** Of the layout, for each record: where the key begins, its length, the same of the value, where headers begin, how many. */
export const layoutWidth: number = 6

export interface BatchColumns {
  readonly topic: string
  readonly partition: number
  readonly epoch: Epoch
  readonly leaderEpoch: number
  readonly bytes: Buffer
  readonly layout: Int32Array
  readonly offsets: Float64Array
  readonly timestamps: Float64Array
  readonly sizes: Int32Array
  /** Two numbers for each record. */
  readonly hashes: Int32Array
}

export class NativeBatch implements RecordBatch {
  readonly epoch: Epoch
  readonly count: number
  readonly offsets: Float64Array
  readonly hashes: Int32Array
  readonly sizes: Int32Array
  readonly leaderEpoch: number
  /** Set when the batch behind it is known. */
  nextPosition: Position
  readonly logEnd: Position
  /** What it keeps in memory. */
  readonly bytes: number
  readonly #columns: BatchColumns
  #keys: readonly (string | null)[] | null = null

  constructor(columns: BatchColumns, logEnd: number) {
    this.epoch = columns.epoch
    this.count = columns.offsets.length
    this.offsets = columns.offsets
    this.hashes = columns.hashes
    this.sizes = columns.sizes
    this.leaderEpoch = columns.leaderEpoch
    this.nextPosition = ((columns.offsets.at(-1) ?? 0) + 1) as Position
    this.logEnd = logEnd as Position
    this.bytes = columns.bytes.length
    this.#columns = columns
  }

  /** Made when somebody looks: lanes are found by their hash. */
  get keys(): readonly (string | null)[] {
    this.#keys ??= Array.from({ length: this.count }, (_, index) => this.#keyAt(index * layoutWidth))
    return this.#keys
  }

  keyAt(index: number): string | null {
    return this.#keyAt(index * layoutWidth)
  }

  timestampAt(index: number): number {
    return this.#columns.timestamps[index] ?? 0
  }

  #keyAt(at: number): string | null {
    const { bytes, layout } = this.#columns
    const start = layout[at] ?? 0
    const length = layout[at + 1] ?? -1
    return length < 0 ? null : bytes.toString('latin1', start, start + length)
  }

  record(index: number): RawRecord {
    const { topic, partition, layout, timestamps } = this.#columns
    const offset = this.offsets[index]
    const timestamp = timestamps[index]
    if (offset === undefined || timestamp === undefined) {
      throw new RangeError(`The batch has ${this.count} records, there is no ${index}.`)
    }
    const at = index * layoutWidth
    return {
      topic,
      partition,
      offset,
      timestamp,
      size: this.sizes[index] ?? 0,
      key: this.#slice(layout[at] ?? 0, layout[at + 1] ?? -1),
      value: this.#slice(layout[at + 2] ?? 0, layout[at + 3] ?? -1),
      headers: this.#headers(at),
    }
  }

  #headers(at: number): readonly Header[] {
    const { bytes, layout } = this.#columns
    const count = layout[at + 5] ?? 0
    if (count === 0) return noHeaders
    const found = headersAt(bytes, layout[at + 4] ?? 0, count)
    return found.map(([key, value]) => ({ key, value }))
  }

  #slice(start: number, length: number): Buffer | null {
    return length < 0 ? null : this.#columns.bytes.subarray(start, start + length)
  }
}

/** No records: the log has nothing for us up to there. */
export function emptyBatch(epoch: Epoch, nextPosition: number, logEnd: number, leaderEpoch: number): RecordBatch {
  return {
    epoch,
    count: 0,
    offsets: [],
    keys: [],
    sizes: [],
    nextPosition: nextPosition as Position,
    logEnd: logEnd as Position,
    leaderEpoch,
    record: (index) => {
      throw new RangeError(`The batch has no records, there is no ${index}.`)
    },
  }
}

const noHeaders: readonly Header[] = []
