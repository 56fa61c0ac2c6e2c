/** From text, as it stands in the environment or on the command line, to a value. What is no such value is refused, not guessed. */
import { readFileSync } from 'node:fs'
import { OptionError } from '../errors.ts'
import type { Kind, Setting } from './schema.ts'

/** `from` is what to call it in an error: a flag, or a name of the environment. */
export function parse({ name, kind, isSecret }: Setting, text: string, from: string): unknown {
  const value = typeof kind === 'string' ? parsers[kind](text) : oneOf(kind, text)
  if (value !== undefined) return value
  const shown = isSecret ? '' : `; it is '${text.slice(0, 80)}'`
  if (kind === 'file') {
    throw new OptionError('CONFIG_INVALID', name, `${from} must be a file that can be read${shown}.`)
  }
  throw new OptionError('CONFIG_INVALID', name, `${from} must be ${wantedBy(kind)}${shown}.`)
}

const yes: readonly string[] = ['true', 'yes', '1', 'on']
const no: readonly string[] = ['false', 'no', '0', 'off']

const parsers: Readonly<Record<Extract<Kind, string>, (text: string) => unknown>> = {
  text: (text) => (text === '' ? undefined : text),
  number: numberOf,
  'yes-no': (text) => (yes.includes(text.toLowerCase()) ? true : no.includes(text.toLowerCase()) ? false : undefined),
  list: listOf,
  range: (text) => {
    const ends = /^(\d+)-(\d+)$/.exec(text.trim())
    return ends === null ? numberOf(text) : { min: Number(ends[1]), max: Number(ends[2]) }
  },
  start: (text) => (['earliest', 'latest', 'fail'].includes(text) ? text : timeOf(text)),
  topics: (text) => listOf(text)?.map((each) => patternOf(each) ?? each),
  file: contentOf,
}

/** Digits and nothing else: `Number('')` is 0 and `Number('0x10')` is 16, and neither was meant. */
function numberOf(text: string): number | undefined {
  const plain = text.trim().replaceAll('_', '')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined
}

function listOf(text: string): string[] | undefined {
  const list = text.split(',').map((each) => each.trim())
  return list.every((each) => each !== '') ? list : undefined
}

function patternOf(text: string): RegExp | undefined {
  const body = /^\/(.+)\/$/.exec(text)?.[1]
  if (body === undefined) return undefined
  try {
    return new RegExp(body)
  } catch (error) {
    throw new OptionError('CONFIG_INVALID', 'topics', `'${text}' is no pattern: ${(error as Error).message}.`)
  }
}

/** Milliseconds since 1970, or a date as ISO 8601 writes it. */
function timeOf(text: string): { timestamp: number } | undefined {
  const timestamp = /^\d{10,}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(text)
      : Number.NaN
  return Number.isSafeInteger(timestamp) ? { timestamp } : undefined
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Said by the caller, who knows where the path came from.
    return undefined
  }
}

/** Kafka writes SCRAM-SHA-256 and READ_COMMITTED as often as not. */
function oneOf(words: readonly string[], text: string): string | undefined {
  return words.find((each) => each.toLowerCase() === text.trim().toLowerCase())
}

function wantedBy(kind: Kind): string {
  if (typeof kind !== 'string') return kind.map((each) => `'${each}'`).join(' or ')
  return wanted[kind]
}

const wanted: Readonly<Record<Extract<Kind, string>, string>> = {
  text: 'a text that is not empty',
  number: 'a number',
  'yes-no': 'true or false',
  list: 'a list with commas',
  range: 'a number, or two of them: 10-200',
  start: "'earliest', 'latest', 'fail', or a time: 2026-01-31T12:00:00Z",
  topics: 'a list of topics with commas',
  file: 'a file',
}
