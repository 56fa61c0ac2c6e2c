/**
 * State as a log: every change is a keyed record in a partition of its own, the latest record of a key counts, and at start
 * the whole log is read again. Offsets and groups, transactions, and the broker's own metadata are kept this way.
 *
 * A record that belongs to a transaction counts only once the transaction's marker is in the log too; until then a reader is
 * told about it as pending.
 */

import { batchSize, isControl, isTransactional, producerId } from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { encodeBatch } from '../../protocol/record-batch/writer.ts'
import type { BrokerClock } from '../clock.ts'
import { markerKind } from '../log/marker.ts'
import type { PartitionLog } from '../log/partition-log.ts'

export interface StateRecord {
  readonly key: Buffer
  readonly value: Buffer | null
}

export interface StateReader {
  record(key: Buffer, value: Buffer | null): void
  pending(producerId: number, key: Buffer, value: Buffer | null): void
  complete(producerId: number, outcome: 'commit' | 'abort'): void
}

const readBytes = 4 * 2 ** 20
/** The log wrote these batches itself: no compression, so no bound is needed beyond the batch. */
const maxRecordBytes = 64 * 2 ** 20

export class StateLog {
  readonly #log: PartitionLog
  readonly #clock: BrokerClock

  constructor(log: PartitionLog, clock: BrokerClock) {
    this.#log = log
    this.#clock = clock
  }

  get endOffset(): number {
    return this.#log.logEndOffset
  }

  /** In the order of the calls; resolves when the records are durable. */
  async append(
    records: readonly StateRecord[],
    producer?: { readonly id: number; readonly epoch: number },
  ): Promise<void> {
    if (records.length === 0) return
    const timestampMs = this.#clock.now()
    const batch = encodeBatch({
      records: records.map(({ key, value }) => ({ key, value, timestampMs })),
      ...(producer === undefined
        ? {}
        : { producerId: producer.id, producerEpoch: producer.epoch, transactional: true }),
    })
    const result = this.#log.append(batch, 'coordinator')
    if (result.kind === 'refused') throw new Error(`the state log refused a record with error ${result.error}`)
    await this.#log.whenDurable(result.lastOffset + 1)
  }

  async replay(reader: StateReader): Promise<void> {
    const cursor = new RecordCursor()
    let offset = this.#log.logStartOffset
    while (offset < this.#log.logEndOffset) {
      await this.#log.whenWritten(this.#log.logEndOffset)
      const read = await this.#log.read(offset, readBytes, 'log-end')
      if (read.kind === 'damaged') throw read.error
      if (read.kind === 'out-of-range') break
      if (read.nextOffset <= offset) break
      for (const chunk of read.chunks) {
        for (let at = 0; at < chunk.length; at += batchSize(chunk, at)) readBatch(cursor, chunk, at, reader)
      }
      offset = read.nextOffset
    }
  }
}

function readBatch(cursor: RecordCursor, chunk: Buffer, at: number, reader: StateReader): void {
  const producer = producerId(chunk, at)
  cursor.reset(chunk, at, maxRecordBytes)
  while (cursor.next()) {
    const key = cursor.key()
    if (key === null) continue
    if (isControl(chunk, at)) reader.complete(producer, markerKind(key))
    else if (isTransactional(chunk, at)) reader.pending(producer, Buffer.from(key), copy(cursor.value()))
    else reader.record(Buffer.from(key), copy(cursor.value()))
  }
}

/** What is kept must not keep the buffer of the whole read. */
function copy(bytes: Buffer | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes)
}
