/**
 * The log as a dead-letter queue: records that failed for good, as JSON lines for whoever collects stdout. The whole record
 * is in them: text as text, other bytes as base64. A record is over when its lines were taken, not before.
 *
 * No line is longer than its cap, because collectors cut longer ones: then the payload comes in several lines with the same
 * `id`. Join `payload_part` of part 1 to `parts`, and parse that as JSON.
 */
import { isUtf8 } from 'node:buffer'
import type { ExhaustedRecord } from '../ports/exit.ts'
import { codeOf, messageOf } from './error-text.ts'

/** What container runtimes take as one line, less some room for what they put around it. */
export const DEFAULT_LINE_MAX_BYTES = 16_000
/** Below this, a line could not even say where its record came from. */
export const LINE_MIN_BYTES = 4_000

/** Called back when the text was taken, or with the reason why it was not. */
export type Write = (text: string, taken: (error?: Error | null) => void) => void

export interface PoisonLines {
  readonly group: string
  readonly lineMaxBytes: number
  readonly nowMs: number
}

/** Resolves when the lines of this record were taken. */
export function writePoison(write: Write, exhausted: ExhaustedRecord, about: PoisonLines): Promise<void> {
  const lines = poisonLines(exhausted, about)
  return new Promise((resolve, reject) => {
    // One piece of text: nobody else's line comes in between.
    write(`${lines.join('\n')}\n`, (error) => {
      if (error === null || error === undefined) resolve()
      else reject(error)
    })
  })
}

export function poisonLines({ record, error, work }: ExhaustedRecord, about: PoisonLines): readonly string[] {
  const { topic, partition, offset, timestamp } = record
  const { group, lineMaxBytes, nowMs } = about
  const head = {
    severity: 'ERROR',
    event_type: 'POISON_PILL',
    time: new Date(nowMs).toISOString(),
    // The same record may be written twice, after a crash: the time tells the two apart when parts are joined.
    id: `${topic}-${partition}@${offset}/${nowMs}`,
    message: `${topic}-${partition}@${offset} failed for good`,
    source: { topic, partition, offset, timestamp },
    group,
    attempts: work.attempt,
    error: { code: codeOf(error), message: messageOf(error) },
  }
  const payload = {
    key: shown(record.key),
    value: shown(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, ...shown(value) })),
  }
  const whole = toLine({ ...head, payload })
  if (Buffer.byteLength(whole) <= lineMaxBytes) return [whole]
  // Numbers as long as any can get, so that no line grows beyond its cap by what is written into it.
  const room = lineMaxBytes - Buffer.byteLength(toLine({ ...head, part: 1e9, parts: 1e9, payload_part: '' }))
  const pieces = split(JSON.stringify(payload), Math.max(room, 1_000))
  return pieces.map((piece, at) => toLine({ ...head, part: at + 1, parts: pieces.length, payload_part: piece }))
}

/** Text where the bytes are text. */
function shown(bytes: Buffer | null): { readonly encoding: 'utf8' | 'base64' | null; readonly data: string | null } {
  if (bytes === null) return { encoding: null, data: null }
  return isUtf8(bytes)
    ? { encoding: 'utf8', data: bytes.toString('utf8') }
    : { encoding: 'base64', data: bytes.toString('base64') }
}

/** Control characters, also those that JSON leaves as they are: a value must not steer the terminal that shows it. */
function toLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escaped)
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Pieces that take at most so many bytes as JSON, none of which ends within a character. */
function split(text: string, maxBytes: number): readonly string[] {
  const pieces: string[] = []
  let from = 0
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number
    const cost = costOf(point)
    if (bytes + cost > maxBytes) {
      pieces.push(text.slice(from, at))
      from = at
      bytes = 0
    }
    bytes += cost
    at += point > 0xffff ? 2 : 1
  }
  pieces.push(text.slice(from))
  return pieces
}

/** Bytes of a character inside a JSON string; the text is JSON itself, so that it has no control characters below 32. */
function costOf(point: number): number {
  if (point === 0x22 || point === 0x5c) return 2
  if (point < 0x7f) return 1
  if (point <= 0x9f || point === 0x2028 || point === 0x2029) return 6
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}

let isGuarded = false

/**
 * The process's own stdout. A reader that has gone makes the stream emit 'error', which ends a process where nobody listens:
 * the record is what we care for, it stays pending and its lines are tried again.
 */
export function stdoutWriter(): Write {
  return (text, taken) => {
    if (!isGuarded) {
      isGuarded = true
      process.stdout.on('error', ignore)
    }
    process.stdout.write(text, taken)
  }
}

function ignore(): void {
  // Whoever wrote is told by the callback.
}
