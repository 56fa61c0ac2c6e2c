/**
 * A CloudEvent 1.0, and what makes one valid. Checked in both directions by the same rules: what we write, we can read.
 */
import { PermanentError } from '../../errors.ts'

export interface CloudEvent<Data = unknown> {
  readonly specversion: '1.0'
  readonly id: string
  /** Together with `id` it names the event. */
  readonly source: string
  readonly type: string
  readonly subject?: string
  /** RFC 3339. */
  readonly time?: string
  readonly datacontenttype?: string
  readonly dataschema?: string
  /** JSON as values, text as a string, anything else as bytes. */
  readonly data?: Data
  /** Extensions: names of lower-case letters and digits, values that are strings, whole numbers or booleans. */
  readonly [extension: string]: unknown
}

const REQUIRED: readonly string[] = ['id', 'source', 'type']
const TEXTS: readonly string[] = [...REQUIRED, 'subject', 'time', 'datacontenttype', 'dataschema']
const NAME = /^[a-z0-9]{1,64}$/
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const INTEGER_MAX = 2 ** 31 - 1

/** The attributes without the data. Throws with everything that is wrong, not only the first. */
export function checkAttributes(attributes: Readonly<Record<string, unknown>>): void {
  const wrong: string[] = []
  const { specversion } = attributes
  if (specversion !== '1.0') wrong.push(`specversion must be '1.0', it is ${shown(specversion)}`)
  for (const name of REQUIRED) if (attributes[name] === undefined) wrong.push(`'${name}' is missing`)
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'specversion' || value === undefined) continue
    const problem = TEXTS.includes(name) ? problemOfText(name, value) : problemOfExtension(name, value)
    if (problem !== null) wrong.push(problem)
  }
  if (wrong.length > 0) throw invalidEvent(`${wrong.join('; ')}.`)
}

export function invalidEvent(message: string, cause?: unknown): PermanentError {
  return new PermanentError(`Not a CloudEvent: ${message}`, { code: 'CLOUD_EVENT_INVALID', cause })
}

function problemOfText(name: string, value: unknown): string | null {
  if (typeof value !== 'string' || value === '')
    return `'${name}' must be text that is not empty, it is ${shown(value)}`
  if (name === 'time' && !(TIME.test(value) && Number.isFinite(Date.parse(value)))) {
    return `'time' must be like 2026-01-31T12:00:00Z, it is ${shown(value)}`
  }
  return null
}

function problemOfExtension(name: string, value: unknown): string | null {
  if (!NAME.test(name)) return `the attribute ${shown(name)} must have a name of lower-case letters and digits`
  const fits = typeof value === 'string' || typeof value === 'boolean' || isInteger(value)
  return fits ? null : `'${name}' must be a string, a whole number or a boolean, it is ${shown(value)}`
}

function isInteger(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= INTEGER_MAX
}

/** Of rubbish only so much that a log line stays one. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
