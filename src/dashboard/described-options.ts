/** The options of a consumer, for people: secrets are not shown, functions by their kind, long values cut. */
import type { ConfigAnswer } from './frames.ts'

const VALUE_MAX_CHARS = 300
const SECRET = /sasl|pass|secret|token|credential|private|^(tls|ssl|cert|ca|pfx)$/i
const SECRET_PLACES = /^client\.(tls|sasl)\.(?!mechanism$|username$)/
/** Objects with a life of their own: that they are given is all there is to say. */
const OPAQUE: ReadonlySet<string> = new Set(['log', 'logger', 'metrics', 'tracing', 'signal', 'dedup', 'decode'])

export interface KnownSetting {
  /** Its place: `limits.records`. */
  readonly name: string
  readonly fallback: string
  readonly about: string
  readonly isSecret: boolean
}

export function describedOptions(
  given: Readonly<Record<string, unknown>>,
  settings: readonly KnownSetting[],
): ConfigAnswer {
  const known = settings.map(({ name, fallback, about, isSecret }) => {
    const value = at(given, name)
    const isDefault = value === undefined
    const text = isDefault ? fallback : isSecret ? '[redacted]' : shown(name, value)
    return { name, value: text, isDefault, about }
  })
  const roots = new Set(settings.map(({ name }) => name.split('.')[0]))
  const others = Object.keys(given)
    .filter((name) => !roots.has(name) && given[name] !== undefined)
    .map((name) => ({ name, value: shown(name, given[name]), isDefault: false, about: '' }))
  return { options: [...known, ...others] }
}

function at(given: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = given
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

function shown(name: string, value: unknown): string {
  if (typeof value === 'object' && OPAQUE.has(name)) return 'given'
  const safe = plain(name, value)
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe, plain) ?? typeof safe)
  return text.length > VALUE_MAX_CHARS ? `${text.slice(0, VALUE_MAX_CHARS)}…` : text
}

function plain(name: string, value: unknown): unknown {
  const isSecret = SECRET.test(name.split('.').at(-1) ?? '') || SECRET_PLACES.test(name)
  if (isSecret && typeof value !== 'boolean' && value !== null) return '[redacted]'
  if (typeof value === 'function') return 'a function'
  if (value instanceof RegExp) return String(value)
  if (value instanceof URL) return value.href
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'bigint') return String(value)
  return value
}
