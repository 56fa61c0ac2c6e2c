/** The dead-letter topic as a way out: the record as it was, with headers that say where it came from and why. */
import type { ExhaustedRecord } from '../ports/exit.ts'
import type { Header, OutgoingRecord, RawRecord } from '../ports/log-client.ts'

const MESSAGE_MAX_CHARS = 1_000

export function toDeadLetter(exhausted: ExhaustedRecord, topic: string, group: string): OutgoingRecord {
  const { record, error, work } = exhausted
  const headers: Header[] = [
    ...record.headers,
    header('fanlane-source-topic', record.topic),
    header('fanlane-source-partition', record.partition),
    header('fanlane-source-offset', record.offset),
    header('fanlane-source-timestamp', record.timestamp),
    header('fanlane-error-code', codeOf(error)),
    header('fanlane-error-message', messageOf(error).slice(0, MESSAGE_MAX_CHARS)),
    header('fanlane-attempts', work.attempt),
    header('fanlane-group', group),
  ]
  let size = record.size
  for (const each of headers) size += each.key.length + (each.value?.length ?? 0) + 4
  return { topic, key: record.key, value: record.value, headers, size }
}

export function deadLetterTopic(record: RawRecord): string {
  return `${record.topic}.dlq`
}

function header(key: string, value: string | number): Header {
  return { key, value: Buffer.from(String(value)) }
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | null)?.code ?? (error as Error | null)?.name ?? 'UNKNOWN')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
