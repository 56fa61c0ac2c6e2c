/** What an error says, for headers, lines and pictures: redacted, bounded, whatever it was that somebody threw. */
import { redact } from './redact.ts'

const CODE_MAX_CHARS = 200
const MESSAGE_MAX_CHARS = 1_000

/** Its `code`, else its name. */
export function codeOf(error: unknown): string {
  const code = read(() => (error as { readonly code?: unknown } | null | undefined)?.code)
  const name = read(() => (error as { readonly name?: unknown } | null | undefined)?.name)
  const found = [code, name].find((each) => (typeof each === 'string' && each !== '') || typeof each === 'number')
  return String(found ?? 'UNKNOWN').slice(0, CODE_MAX_CHARS)
}

export function messageOf(error: unknown): string {
  const text = read(() => (error instanceof Error ? error.message : error))
  const shown = typeof text === 'string' ? text : read(() => String(text))
  return cut(redact(typeof shown === 'string' ? shown : 'an error that cannot be shown'), MESSAGE_MAX_CHARS)
}

/** Not through the middle of a character: half of one is not UTF-8. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const last = text.charCodeAt(maxChars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars)
}

/** Users throw all kinds of things: an object whose `message` throws must not keep its record from leaving. */
function read(get: () => unknown): unknown {
  try {
    return get()
  } catch {
    return undefined
  }
}
