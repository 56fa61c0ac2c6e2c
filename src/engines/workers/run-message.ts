/**
 * Calls on their way to a worker: one message for many, record after record, bytes copied once. Layout:
 *
 *   RUN, first number f64, calls i32, then for each call
 *     records i32 (0: a call of `handle` with one record), then for each record
 *       topic i32 [its name, if the number is new], partition i32, offset f64, timestamp f64, size i32, attempt i32,
 *       key bytes, value bytes, headers i32, for each header: name, bytes; in a batch also: has a lane u8 [lane]
 */
import type { Epoch, Offset, Position } from '../../kernel/ids.ts'
import type { Work } from '../../ports/engine.ts'
import type { Header, RawRecord, RecordBatch } from '../../ports/log-client.ts'
import { RUN } from './messages.ts'
import { type PackReader, PackWriter } from './pack.ts'

/** The numbers that topics have between one engine and one worker. Told with their first use. */
export type TopicNumbers = Map<string, number>

export interface OutgoingCall {
  readonly works: readonly Work[]
  readonly isBatch: boolean
}

/** What a record takes beside its bytes, about. */
const ROW_BYTES = 64

export function packRun(
  calls: readonly OutgoingCall[],
  firstSeq: number,
  topics: TopicNumbers,
  laneOf: (work: Work) => string | null,
  sizeBytes: number,
): Buffer {
  const writer = new PackWriter(sizeBytes + calls.length * ROW_BYTES)
  writer.u8(RUN)
  writer.f64(firstSeq)
  writer.i32(calls.length)
  for (const { works, isBatch } of calls) {
    writer.i32(isBatch ? works.length : 0)
    for (const work of works) {
      packRecord(writer, work, topics)
      if (isBatch) packLane(writer, laneOf(work))
    }
  }
  return writer.take()
}

function packRecord(writer: PackWriter, work: Work, topics: TopicNumbers): void {
  const { topic, partition, offset, timestamp, size, key, value, headers } = work.batch.record(work.index)
  const known = topics.get(topic)
  writer.i32(known ?? topics.size)
  if (known === undefined) {
    topics.set(topic, topics.size)
    writer.text(topic)
  }
  writer.i32(partition)
  writer.f64(offset)
  writer.f64(timestamp)
  writer.i32(size)
  writer.i32(work.attempt)
  writer.bytes(key)
  writer.bytes(value)
  packHeaders(writer, headers)
}

function packLane(writer: PackWriter, lane: string | null): void {
  writer.u8(lane === null ? 0 : 1)
  if (lane !== null) writer.text(lane)
}

export function packHeaders(writer: PackWriter, headers: readonly Header[]): void {
  writer.i32(headers.length)
  for (const header of headers) {
    writer.text(header.key)
    writer.bytes(bytesOf(header.value))
  }
}

/** Headers that are given as a list are not looked into before they get here. */
function bytesOf(value: unknown): Uint8Array | null {
  if (value === null || value instanceof Uint8Array) return value
  if (typeof value === 'string') return Buffer.from(value)
  throw new TypeError(`the value of a header is a ${typeof value}.`)
}

const NO_HEADERS: readonly Header[] = []

export function readHeaders(reader: PackReader): readonly Header[] {
  const count = reader.i32()
  if (count === 0) return NO_HEADERS
  return Array.from({ length: count }, () => ({ key: reader.text(), value: reader.bytes() }))
}

export interface IncomingCall {
  readonly seq: number
  readonly isBatch: boolean
  readonly works: readonly LaneWork[]
}

/** Work as the engine inside a worker sees it; the number of the record is its run. */
export interface LaneWork extends Work {
  readonly lane: string | null
}

/** Reads call after call, each when its turn has come. */
export class RunReader {
  readonly #reader: PackReader
  /** Topics by number; shared by all messages of a worker. */
  readonly #topics: string[]
  #seq: number
  #left: number

  constructor(reader: PackReader, topics: string[]) {
    this.#reader = reader
    this.#topics = topics
    this.#seq = reader.f64()
    this.#left = reader.i32()
  }

  /** The number of the next call. */
  get seq(): number {
    return this.#seq
  }

  next(): IncomingCall | null {
    if (this.#left === 0) return null
    this.#left--
    const seq = this.#seq
    const count = this.#reader.i32()
    if (count === 0) {
      this.#seq++
      return { seq, isBatch: false, works: [this.#work(seq, false)] }
    }
    const works: LaneWork[] = []
    for (let each = 0; each < count; each++) works.push(this.#work(this.#seq++, true))
    return { seq, isBatch: true, works }
  }

  #work(run: number, hasLane: boolean): LaneWork {
    const reader = this.#reader
    const number = reader.i32()
    if (number === this.#topics.length) this.#topics.push(reader.text())
    const topic = this.#topics[number] ?? ''
    const partition = reader.i32()
    const offset = reader.f64()
    const timestamp = reader.f64()
    const size = reader.i32()
    const attempt = reader.i32()
    const key = reader.bytes()
    const value = reader.bytes()
    const record = { topic, partition, offset, timestamp, size, key, value, headers: readHeaders(reader) }
    const lane = hasLane && reader.u8() === 1 ? reader.text() : null
    return new ReceivedWork(record, attempt, run, lane)
  }
}

class ReceivedWork implements LaneWork {
  readonly record: RawRecord
  readonly attempt: number
  readonly run: number
  readonly lane: string | null
  readonly index = 0

  constructor(record: RawRecord, attempt: number, run: number, lane: string | null) {
    this.record = record
    this.attempt = attempt
    this.run = run
    this.lane = lane
  }

  get topic(): string {
    return this.record.topic
  }

  get partition(): number {
    return this.record.partition
  }

  get offset(): Offset {
    return this.record.offset as Offset
  }

  /** Leases are not known in here; the engine outside puts its own back. */
  get epoch(): Epoch {
    return 0 as Epoch
  }

  get batch(): RecordBatch {
    return new BatchOfOne(this.record)
  }
}

class BatchOfOne implements RecordBatch {
  readonly epoch: Epoch = 0 as Epoch
  readonly count = 1
  readonly leaderEpoch = -1
  readonly #record: RawRecord

  constructor(record: RawRecord) {
    this.#record = record
  }

  get offsets(): readonly number[] {
    return [this.#record.offset]
  }

  get keys(): readonly (string | null)[] {
    return [this.#record.key?.toString('latin1') ?? null]
  }

  get sizes(): readonly number[] {
    return [this.#record.size]
  }

  get nextPosition(): Position {
    return (this.#record.offset + 1) as Position
  }

  get logEnd(): Position {
    return this.nextPosition
  }

  record(): RawRecord {
    return this.#record
  }
}
