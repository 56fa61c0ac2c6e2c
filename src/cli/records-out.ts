/** Records as text: for people, for programs, for those who look at bytes. */
import type { RawRecord } from '../ports/log-client.ts'
import { harmless, readable } from './output/harmless.ts'

export type RecordFormat = 'text' | 'json' | 'hex' | 'key=value'

export const recordFormats: readonly RecordFormat[] = ['text', 'json', 'hex', 'key=value']

/** On a terminal nothing of a record is obeyed; into a file or a pipe its bytes go as they are. */
export function written(record: RawRecord, format: RecordFormat, isTerminal: boolean): string | Buffer {
  const safe = isTerminal ? harmless : (text: string): string => text
  switch (format) {
    case 'json':
      return `${JSON.stringify(plain(record))}\n`
    case 'hex':
      return `${safe(place(record))}\n${dump(record.key, 'key')}${dump(record.value, 'value')}`
    case 'key=value':
      return `${safe(readable(record.key) ?? '')}=${safe(readable(record.value) ?? '')}\n`
    case 'text':
      if (isTerminal) return `${harmless(readable(record.value) ?? '')}\n`
      return Buffer.concat([record.value ?? Buffer.alloc(0), Buffer.from('\n')])
  }
}

function plain({ topic, partition, offset, timestamp, key, value, headers }: RawRecord): object {
  return {
    topic,
    partition,
    offset,
    timestamp,
    key: readable(key),
    value: readable(value),
    headers: headers.map((each) => ({ key: each.key, value: readable(each.value) })),
  }
}

function place({ topic, partition, offset, timestamp }: RawRecord): string {
  return `${topic}-${partition}@${offset} ${new Date(timestamp).toISOString()}`
}

const BYTES_PER_LINE = 16

function dump(bytes: Buffer | null, what: string): string {
  if (bytes === null) return `  ${what}: null\n`
  let text = `  ${what}: ${bytes.length} bytes\n`
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const part = bytes.subarray(at, at + BYTES_PER_LINE)
    const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    text += `  ${at.toString(16).padStart(8, '0')}  ${hex.padEnd(BYTES_PER_LINE * 3)} ${letters}\n`
  }
  return text
}
