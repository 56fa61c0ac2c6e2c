/**
 * The dead letter of a record: key and value as they were, its own headers, and ours, which say where it came from and why.
 *
 * A letter that fails again, when somebody consumes the dead-letter topic, does not pile headers up: ours are replaced, and
 * where it came from first is kept once, as `fanlane-origin-…`.
 */
import type { ExhaustedRecord } from '../ports/exit.ts'
import type { Header, OutgoingRecord, RawRecord } from '../ports/log-client.ts'
import { codeOf, messageOf } from './error-text.ts'

const SOURCE = 'fanlane-source-'
const ORIGIN = 'fanlane-origin-'
const PLACE = ['topic', 'partition', 'offset', 'timestamp'] as const

export const OURS: ReadonlySet<string> = new Set([
  ...PLACE.map((part) => `${SOURCE}${part}`),
  ...PLACE.map((part) => `${ORIGIN}${part}`),
  'fanlane-error-code',
  'fanlane-error-message',
  'fanlane-attempts',
  'fanlane-group',
])

export function toDeadLetter(exhausted: ExhaustedRecord, topic: string, group: string): OutgoingRecord {
  const { record, error, work } = exhausted
  const headers: Header[] = [
    ...record.headers.filter(({ key }) => !OURS.has(key)),
    ...PLACE.map((part) => header(`${SOURCE}${part}`, record[part])),
    header('fanlane-error-code', codeOf(error)),
    header('fanlane-error-message', messageOf(error)),
    header('fanlane-attempts', work.attempt),
    header('fanlane-group', group),
    ...originOf(record),
  ]
  let size = record.size
  for (const each of headers) size += each.key.length + (each.value?.length ?? 0) + 4
  return { topic, key: record.key, value: record.value, headers, size }
}

export function deadLetterTopic(record: RawRecord): string {
  return `${record.topic}.dlq`
}

/** Where a letter that failed again came from first; nothing for a record that is no letter. */
function originOf({ headers }: RawRecord): readonly Header[] {
  const last = new Map(headers.map((each) => [each.key, each.value]))
  const from = last.has(`${ORIGIN}topic`) ? ORIGIN : SOURCE
  return PLACE.flatMap((part) => {
    const value = last.get(`${from}${part}`)
    return value === undefined ? [] : [{ key: `${ORIGIN}${part}`, value }]
  })
}

function header(key: string, value: string | number): Header {
  return { key, value: Buffer.from(String(value)) }
}
