/** The way out for a record that failed for good: dead-letter topic, log line, or the user's function. */
import type { Output, WorkId } from '../kernel/events.ts'
import type { RawRecord } from './log-client.ts'

export interface ExhaustedRecord {
  readonly work: WorkId
  readonly record: RawRecord
  readonly error: unknown
}

/** Resolves when the record is safe there; a rejection keeps it pending and it is tried again. */
export type RecordExit = (exhausted: ExhaustedRecord) => Promise<{ readonly sends?: readonly Output[] }>
