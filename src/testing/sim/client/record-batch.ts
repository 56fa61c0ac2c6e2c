/** From stored batches to what a reader may see of them. */
import type { Epoch, Position, TopicPartition } from '../../../kernel/ids.ts'
import type { OutgoingRecord, RawRecord, RecordBatch } from '../../../ports/log-client.ts'
import type { FetchResponse, LogBatch, LogRecord, ProducedRecord } from '../cluster/log-messages.ts'

type AbortedTransactions = FetchResponse['partitions'][number]['abortedTransactions']

/**
 * The records from `position` on that may be seen. Aborted ones are told by the broker's list: a producer's records are
 * skipped from its entry on until its ABORT marker. The list may begin below our position, in an earlier answer.
 */
export function visibleRecords(
  batches: readonly LogBatch[],
  position: number,
  abortedTransactions: AbortedTransactions,
): LogRecord[] {
  const upcoming = [...(abortedTransactions ?? [])].sort((a, b) => a.firstOffset - b.firstOffset)
  const aborting = new Set<number>()
  const visible: LogRecord[] = []
  for (const batch of batches) {
    for (let next = upcoming[0]; next !== undefined && next.firstOffset <= batch.lastOffset; next = upcoming[0]) {
      aborting.add(next.producerId)
      upcoming.shift()
    }
    if (batch.kind === 'control') {
      if (batch.type === 'ABORT') aborting.delete(batch.producerId)
      continue
    }
    if (batch.isTransactional && aborting.has(batch.producerId)) continue
    for (const record of batch.records) if (record.offset >= position) visible.push(record)
  }
  return visible
}

export interface BatchFrame extends TopicPartition {
  readonly epoch: Epoch
  readonly nextPosition: Position
  readonly logEnd: Position
  readonly leaderEpoch: number
}

export class SimRecordBatch implements RecordBatch {
  readonly epoch: Epoch
  readonly count: number
  readonly offsets: readonly number[]
  readonly keys: readonly (string | null)[]
  readonly sizes: readonly number[]
  readonly nextPosition: Position
  readonly logEnd: Position
  readonly leaderEpoch: number
  readonly #partition: TopicPartition
  readonly #records: readonly LogRecord[]

  constructor(frame: BatchFrame, records: readonly LogRecord[]) {
    this.epoch = frame.epoch
    this.count = records.length
    this.offsets = records.map(({ offset }) => offset)
    this.keys = records.map(({ key }) => key)
    this.sizes = records.map(({ size }) => size)
    this.nextPosition = frame.nextPosition
    this.logEnd = frame.logEnd
    this.leaderEpoch = frame.leaderEpoch
    this.#partition = { topic: frame.topic, partition: frame.partition }
    this.#records = records
  }

  record(index: number): RawRecord {
    const record = this.#records[index]
    if (record === undefined) throw new RangeError(`The batch has ${this.count} records, there is no ${index}.`)
    return {
      ...this.#partition,
      offset: record.offset,
      timestamp: record.timestamp,
      size: record.size,
      key: bytes(record.key),
      value: bytes(record.value),
      headers: (record.headers ?? []).map(({ key, value }) => ({ key, value: bytes(value) })),
    }
  }
}

/** The simulated log keeps bytes as latin1 strings, one character a byte, which are cheap to compare and to print. */
export function toProduced({ key, value, headers, timestamp, size }: OutgoingRecord): ProducedRecord {
  return {
    key: text(key),
    value: text(value),
    headers: headers.map((header) => ({ key: header.key, value: text(header.value) })),
    size,
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}

function text(value: Buffer | null): string | null {
  return value === null ? null : value.toString('latin1')
}

/** A workload may append other values than strings; a handler sees them as JSON. */
function bytes(value: unknown): Buffer | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(JSON.stringify(value))
}
