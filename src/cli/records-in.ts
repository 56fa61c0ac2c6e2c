/** From lines of input to records: text with or without a key, or JSON. What cannot be read says in which line. */
import { FanlaneError } from '../errors.ts'
import type { ProducerRecord } from '../producer/index.ts'

export interface Recipe {
  readonly topic: string
  readonly format: 'text' | 'json'
  /** Text: what stands between key and value; null: lines are values. */
  readonly separator: string | null
  /** For all records that bring none. */
  readonly key: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly partition: number | null
  /** Text: an empty value is a tombstone. */
  readonly isEmptyNull: boolean
}

export function toRecord(line: Buffer, number: number, recipe: Recipe): ProducerRecord {
  return recipe.format === 'json' ? fromJson(line, number, recipe) : fromText(line, number, recipe)
}

function fromText(line: Buffer, number: number, recipe: Recipe): ProducerRecord {
  const { separator } = recipe
  if (separator === null) return record(recipe, recipe.key, contentOf(line, recipe))
  const at = line.indexOf(separator)
  if (at < 0) throw bad(number, `has no '${separator}' between key and value: change --key-separator, or leave it out`)
  return record(recipe, line.subarray(0, at), contentOf(line.subarray(at + Buffer.byteLength(separator)), recipe))
}

function contentOf(bytes: Buffer, { isEmptyNull }: Recipe): Buffer | null {
  return bytes.length === 0 && isEmptyNull ? null : bytes
}

function record(recipe: Recipe, key: string | Buffer | null, value: string | Buffer | null): ProducerRecord {
  const { topic, headers, partition } = recipe
  return {
    topic,
    key,
    value,
    ...(headers.length === 0 ? {} : { headers }),
    ...(partition === null ? {} : { partition }),
  }
}

const KNOWN: readonly string[] = ['key', 'value', 'headers', 'partition', 'timestamp', 'topic', 'offset']

/** As `fanlane consume --format json` writes them; topic and offset of there are not looked at. */
function fromJson(line: Buffer, number: number, recipe: Recipe): ProducerRecord {
  const parsed = parsedLine(line, number)
  const unknown = Object.keys(parsed).find((each) => !KNOWN.includes(each))
  if (unknown !== undefined) throw bad(number, `has an unknown field '${unknown}': known are ${KNOWN.join(', ')}`)
  if (!('value' in parsed)) throw bad(number, 'has no "value"; null is a tombstone')
  const { partition, timestamp } = parsed
  return {
    ...record(recipe, asBytes(parsed.key) ?? recipe.key, asBytes(parsed.value)),
    headers: [...recipe.headers, ...headersOf(parsed.headers, number)],
    ...(typeof partition === 'number' && recipe.partition === null ? { partition } : {}),
    ...(typeof timestamp === 'number' ? { timestamp } : {}),
  }
}

function parsedLine(line: Buffer, number: number): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.toString('utf8'))
  } catch {
    throw bad(number, 'is no JSON')
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  throw bad(number, 'is no object: { "key": "a", "value": "b" }')
}

/** Text as it is, `base64:…` as bytes, anything else as JSON. */
function asBytes(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.startsWith('base64:') ? Buffer.from(value.slice('base64:'.length), 'base64') : value
}

function headersOf(headers: unknown, number: number): (readonly [string, string | Buffer | null])[] {
  if (headers === undefined || headers === null) return []
  if (Array.isArray(headers)) {
    return headers.map((each: unknown) => {
      const { key, value } = (each ?? {}) as { readonly key?: unknown; readonly value?: unknown }
      if (typeof key !== 'string') throw bad(number, 'has headers that are no list of { "key", "value" }')
      return [key, asBytes(value)] as const
    })
  }
  if (typeof headers !== 'object') throw bad(number, 'has headers that are no object')
  return Object.entries(headers).map(([key, value]) => [key, asBytes(value)] as const)
}

function bad(number: number, what: string): FanlaneError {
  return new FanlaneError('INPUT_INVALID', `Line ${number} ${what}.`)
}
