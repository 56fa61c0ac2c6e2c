/**
 * Records of one partition that travel together. Records are encoded when they come, straight into the batch's buffer;
 * whose they are is kept beside them. Closed once, when it is first sent; after that only its stamp changes (producer,
 * epoch, sequence), and each time in a copy: the bytes of an earlier try may still be on their way to a socket.
 */
import type { FanlaneError } from '../errors.ts'
import { computeCrc } from '../protocol/record-batch/header.ts'
import { RecordCursor } from '../protocol/record-batch/reader.ts'
import { BatchBuilder } from '../protocol/record-batch/writer.ts'
import type { ProducerIdentity } from './identity.ts'
import { type Outgoing, sizeOf } from './record.ts'
import type { Ticket } from './ticket.ts'

export interface BatchSettings {
  /** Before compression. */
  readonly maxBytes: number
  /** A number of `compressionTypes`. */
  readonly compression: number
  readonly isTransactional: boolean
}

const noSequence = -1

export class Batch {
  readonly deadlineMs: number
  readonly lingerUntilMs: number
  /** What its records count in the buffer. */
  cost = 0
  count = 0
  /** Nothing more goes in. */
  isClosed = false
  /** Its callers were told that it took too long. It is kept for the sequence numbers alone. */
  isAbandoned = false
  isSent = false
  /** Nothing of an earlier batch was unanswered when it was sent: then a gap in the sequence is no passing matter. */
  wasFirst = false
  /** A try met with silence: it may be in the log. */
  isUncertain = false
  tries = 0
  /** Which batch of its lane it is. */
  ordinal = -1
  /** Which number its first record ought to have. */
  sequence: number = noSequence
  readonly #settings: BatchSettings
  readonly #builder: BatchBuilder
  #tickets: Ticket[] = []
  #slots: number[] = []
  #bytes: Buffer | null = null
  #rawBytes = 0
  #stampedFor: ProducerIdentity | null = null
  #stampedSequence: number = noSequence

  constructor(settings: BatchSettings, deadlineMs: number, lingerUntilMs: number, expectedBytes: number) {
    this.#settings = settings
    this.deadlineMs = deadlineMs
    this.lingerUntilMs = lingerUntilMs
    this.#builder = new BatchBuilder({ initialBytes: expectedBytes })
  }

  /** Bytes so far; after compression once it is closed. */
  get size(): number {
    return this.#bytes === null ? this.#builder.size : this.#bytes.length
  }

  get rawBytes(): number {
    return this.#rawBytes
  }

  hasRoomFor(record: Outgoing): boolean {
    return !this.isClosed && (this.count === 0 || this.#builder.size + record.cost <= this.#settings.maxBytes)
  }

  append(record: Outgoing, ticket: Ticket, slot: number): void {
    this.#builder.append(record)
    this.#tickets.push(ticket)
    this.#slots.push(slot)
    this.count++
    this.cost += record.cost
    if (this.#builder.size >= this.#settings.maxBytes) this.isClosed = true
  }

  /** The bytes to send, as this producer's and with the sequence that the batch ought to have. */
  bytesFor(identity: ProducerIdentity | null): Buffer {
    if (this.#bytes === null) this.#bytes = this.#close(identity)
    else if (this.#stampedFor !== identity || this.#stampedSequence !== this.sequence) {
      this.#bytes = restamped(this.#bytes, identity, this.sequence)
    }
    this.#stampedFor = identity
    this.#stampedSequence = this.sequence
    return this.#bytes
  }

  #close(identity: ProducerIdentity | null): Buffer {
    const { compression, isTransactional } = this.#settings
    this.isClosed = true
    this.#rawBytes = this.#builder.size
    return this.#builder.close({
      compression,
      transactional: isTransactional,
      producerId: identity?.producerId ?? -1,
      producerEpoch: identity?.producerEpoch ?? -1,
      baseSequence: this.sequence,
    })
  }

  /** It is in the log from this offset on; −1: nobody knows where. `complete` hears of tickets whose last record this was. */
  delivered(partition: number, baseOffset: number, complete: (ticket: Ticket) => void): void {
    const tickets = this.#tickets
    for (let index = 0; index < tickets.length; index++) {
      const ticket = tickets[index] as Ticket
      const offset = baseOffset < 0 ? -1 : baseOffset + index
      if (ticket.delivered(this.#slots[index] as number, partition, offset)) complete(ticket)
    }
    this.#forget()
  }

  failed(error: FanlaneError, complete: (ticket: Ticket) => void): void {
    const tickets = this.#tickets
    for (let index = 0; index < tickets.length; index++) {
      const ticket = tickets[index] as Ticket
      if (ticket.failed(this.#slots[index] as number, error)) complete(ticket)
    }
    this.#forget()
  }

  failedAt(index: number, error: FanlaneError, complete: (ticket: Ticket) => void): void {
    const ticket = this.#tickets[index]
    if (ticket?.failed(this.#slots[index] as number, error) === true) complete(ticket)
  }

  /**
   * The same records in several batches, in order: `partOf` says for each record where it goes; −1: nowhere. Only for a
   * batch that was sent and is certainly not in the log.
   */
  divided(partOf: (index: number) => number): Batch[] {
    if (this.#bytes === null) return [this]
    const parts: Batch[] = []
    const cursor = new RecordCursor().reset(this.#bytes, 0, this.#rawBytes)
    for (let index = 0; cursor.next(); index++) {
      const part = partOf(index)
      if (part < 0) continue
      parts[part] ??= new Batch(this.#settings, this.deadlineMs, 0, this.#rawBytes)
      const { timestamp: timestampMs } = cursor
      const [key, value] = [cursor.key(), cursor.value()]
      const headers = cursor.headers()
      const cost = costOf(key, value) + sizeOf(headers)
      const record = { topic: '', partition: null, key, value, timestampMs, cost }
      parts[part].append(
        headers.length === 0 ? record : { ...record, headers },
        this.#tickets[index] as Ticket,
        this.#slots[index] as number,
      )
    }
    const found = parts.filter((part) => part !== undefined)
    for (const part of found) part.isClosed = true
    return found
  }

  #forget(): void {
    this.#tickets = []
    this.#slots = []
  }
}

/** Unlike `Outgoing.cost` without the fixed part: what was counted once is not counted higher in pieces. */
function costOf(key: Uint8Array | null, value: Uint8Array | null): number {
  return (key?.length ?? 0) + (value?.length ?? 0)
}

function restamped(bytes: Buffer, identity: ProducerIdentity | null, sequence: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeBigInt64BE(BigInt(identity?.producerId ?? -1), 43)
  copy.writeInt16BE(identity?.producerEpoch ?? -1, 51)
  copy.writeInt32BE(sequence, 53)
  copy.writeUInt32BE(computeCrc(copy, 0), 17)
  return copy
}
