/**
 * What an engine and its workers say to each other: one format for threads and processes. Whatever there is one of for
 * each record is packed (run-message.ts, report-message.ts); the rest is rare and travels as structured data.
 *
 * A call is one run of a handler, for one record or for a batch. Calls are numbered by the engine, for each worker from 0;
 * the records of a batch have consecutive numbers, and the call has that of its first record. Calls begin in that order.
 */
import { deserialize, serialize } from 'node:v8'
import type { AbortReason } from '../../kernel/events.ts'
import { PackReader, PackWriter } from './pack.ts'

/** Codecs that are known by name on both sides of the wall. */
export type PortableCodec = 'text' | 'json'

export interface WorkerSetup {
  /** The URL of the handler module. */
  readonly handler: string
  /** Its `handleBatch` is called, not its default export. */
  readonly isBatch: boolean
  readonly decode: { readonly key?: PortableCodec; readonly value?: PortableCodec }
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type ToWorker =
  /** First of all: load this. Answered by `ready` or `refused`. */
  | { readonly kind: 'start'; readonly setup: WorkerSetup }
  /** Calls, to be read by `readRun`. */
  | { readonly kind: 'run'; readonly reader: PackReader }
  /** Tell these calls to stop; they still end by themselves. Answered by `heard`, which a blocked worker does not say. */
  | { readonly kind: 'abort'; readonly seqs: readonly number[]; readonly reason: AbortReason }
  /** End: what runs is told to stop, the module is closed. */
  | { readonly kind: 'stop' }

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: Uint8Array }
  /** How calls ended, to be read by `readReport`. */
  | { readonly kind: 'report'; readonly reader: PackReader }
  | { readonly kind: 'heard' }
  | {
      readonly kind: 'log'
      readonly level: LogLevel
      /** Which record it is about. */
      readonly bound: Uint8Array | null
      readonly fields: Uint8Array
      readonly message: string | undefined
    }
  /** The last words: nobody caught this error, and the worker ends. */
  | { readonly kind: 'crashed'; readonly error: Uint8Array }

const PLAIN = 0
export const RUN = 1
export const REPORT = 2

type Plain = Exclude<ToWorker, { readonly kind: 'run' }> | Exclude<FromWorker, { readonly kind: 'report' }>

export function packPlain(message: Plain): Buffer {
  const body = serialize(message)
  const writer = new PackWriter(body.length + 5)
  writer.u8(PLAIN)
  writer.bytes(body)
  return writer.take()
}

export function readToWorker(bytes: Buffer): ToWorker {
  const reader = new PackReader(bytes)
  return reader.u8() === RUN ? { kind: 'run', reader } : (plain(reader) as ToWorker)
}

export function readFromWorker(bytes: Buffer): FromWorker {
  const reader = new PackReader(bytes)
  return reader.u8() === REPORT ? { kind: 'report', reader } : (plain(reader) as FromWorker)
}

function plain(reader: PackReader): unknown {
  return deserialize(reader.bytes() ?? Buffer.alloc(0))
}
