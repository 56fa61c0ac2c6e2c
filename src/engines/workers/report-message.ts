/**
 * How calls ended, on the way back: one message for many. Layout:
 *
 *   REPORT, next number f64 (every call below it has been entered and left, at least as far as its first await),
 *   entered calls i32 and the microseconds they took until then f64, since the last report;
 *   records i32, then for each: its number f64, how it ended u8, and
 *     SENT: records i32, each topic, partition i32 (-1: none), timestamp f64 (-1: none), size i32, key, value, headers
 *     FAILED: the error
 */
import { PermanentError } from '../../errors.ts'
import type { Completion } from '../../ports/engine.ts'
import type { OutgoingRecord } from '../../ports/log-client.ts'
import { REPORT } from './messages.ts'
import { type PackReader, PackWriter } from './pack.ts'
import { packError, unpackError } from './portable-error.ts'
import { packHeaders, readHeaders } from './run-message.ts'

const DONE = 0
const SENT = 1
const FAILED = 2
const DEFERRED = 3
const RETURNED = 4

export type Result =
  | { readonly status: 'done'; readonly sends?: readonly OutgoingRecord[] }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'deferred' }
  | { readonly status: 'returned' }

export interface ReportHead {
  readonly nextSeq: number
  readonly calls: number
  readonly busyUs: number
}

/** Collects results until somebody asks for the message. The head is known last and stands first: results wait packed. */
export class ReportWriter {
  #rows: PackWriter = new PackWriter()
  #count = 0

  get count(): number {
    return this.#count
  }

  add(completion: Completion): void {
    const rows = this.#rows
    this.#count++
    // The number of the record is its run, see RunReader.
    rows.f64(completion.run as number)
    const mark = rows.mark
    try {
      this.#add(completion)
    } catch (cause) {
      // What users send may be anything. The record fails; the report goes out.
      rows.backTo(mark)
      rows.u8(FAILED)
      rows.bytes(packError(notPortable(cause)))
    }
  }

  #add(completion: Completion): void {
    const rows = this.#rows
    switch (completion.status) {
      case 'done':
        if (completion.sends === undefined || completion.sends.length === 0) return rows.u8(DONE)
        rows.u8(SENT)
        rows.i32(completion.sends.length)
        for (const send of completion.sends) packSend(rows, send)
        return
      case 'failed':
        rows.u8(FAILED)
        return rows.bytes(packError(completion.error))
      case 'deferred':
        return rows.u8(DEFERRED)
      case 'returned':
        return rows.u8(RETURNED)
    }
  }

  take({ nextSeq, calls, busyUs }: ReportHead): Buffer {
    const rows = this.#rows.take()
    const writer = new PackWriter(rows.length + 40)
    writer.u8(REPORT)
    writer.f64(nextSeq)
    writer.i32(calls)
    writer.f64(busyUs)
    writer.i32(this.#count)
    writer.packed(rows)
    this.#count = 0
    return writer.take()
  }
}

function notPortable(cause: unknown): PermanentError {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new PermanentError(
    `What the handler sent cannot leave its worker: ${said} Send strings and Buffers, headers with text as names.`,
    { code: 'SEND_NOT_PORTABLE', cause },
  )
}

export function readReport(reader: PackReader, each: (seq: number, result: Result) => void): ReportHead {
  const nextSeq = reader.f64()
  const calls = reader.i32()
  const busyUs = reader.f64()
  const count = reader.i32()
  for (let at = 0; at < count; at++) each(reader.f64(), readResult(reader))
  return { nextSeq, calls, busyUs }
}

const IS_DONE: Result = { status: 'done' }

function readResult(reader: PackReader): Result {
  switch (reader.u8()) {
    case SENT: {
      const count = reader.i32()
      return { status: 'done', sends: Array.from({ length: count }, () => readSend(reader)) }
    }
    case FAILED:
      return { status: 'failed', error: unpackError(reader.bytes() ?? Buffer.alloc(0)) }
    case DEFERRED:
      return { status: 'deferred' }
    case RETURNED:
      return { status: 'returned' }
    default:
      return IS_DONE
  }
}

function packSend(writer: PackWriter, send: OutgoingRecord): void {
  writer.text(send.topic)
  writer.i32(send.partition ?? -1)
  writer.f64(send.timestamp ?? -1)
  writer.i32(send.size)
  writer.bytes(send.key)
  writer.bytes(send.value)
  packHeaders(writer, send.headers)
}

function readSend(reader: PackReader): OutgoingRecord {
  const topic = reader.text()
  const partition = reader.i32()
  const timestamp = reader.f64()
  const size = reader.i32()
  return {
    topic,
    ...(partition === -1 ? {} : { partition }),
    ...(timestamp === -1 ? {} : { timestamp }),
    size,
    key: reader.bytes(),
    value: reader.bytes(),
    headers: readHeaders(reader),
  }
}
