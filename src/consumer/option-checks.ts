/** How a single option is checked: null if it is fine, else what it must be, to be read after "must be". */
export type Check = (value: unknown) => string | null

export const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a non-empty string')

export const fn: Check = (value) => (typeof value === 'function' ? null : 'a function')

export const yesOrNo: Check = (value) => (typeof value === 'boolean' ? null : 'true or false')

export const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string) ? null : values.map((each) => `'${each}'`).join(' or ')

export const number =
  (min: number, max: number, whole = true): Check =>
  (value) => {
    const fits = typeof value === 'number' && value >= min && value <= max
    if (fits && (!whole || Number.isSafeInteger(value) || value === max)) return null
    const kind = whole ? 'a whole number' : 'a number'
    return max >= Number.MAX_SAFE_INTEGER ? `${kind} from ${min}` : `${kind} from ${min} to ${max}`
  }

export const either =
  (...checks: readonly Check[]): Check =>
  (value) => {
    const wanted = checks.map((check) => check(value))
    return wanted.includes(null) ? null : wanted.join(', or ')
  }

/** An object with these keys and no others. Inherited ones count too: what is read later must have been checked. */
export const shape =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value) => {
    const keys = `{ ${Object.keys(checks).join(', ')} }`
    if (!isRecord(value) || Array.isArray(value)) return keys
    for (const name in value) {
      if (!Object.hasOwn(checks, name)) return `${keys} without '${name}'`
      const each = value[name]
      const wanted = each === undefined ? null : (checks[name] as Check)(each)
      if (wanted !== null) return `${keys} where ${name} is ${wanted}`
    }
    const missing = required.find((name) => value[name] === undefined)
    return missing === undefined ? null : `${keys} with '${missing}'`
  }

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length === 0) return 'a list with at least one entry'
    for (const each of value) {
      const wanted = check(each)
      if (wanted !== null) return `a list where every entry is ${wanted}`
    }
    return null
  }

/** An object that somebody else looks into. */
export const object =
  (what: string): Check =>
  (value) =>
    isRecord(value) && !Array.isArray(value) ? null : what

/** An object with at least these methods. */
export const methods =
  (what: string, ...names: readonly string[]): Check =>
  (value) => {
    if (!isRecord(value)) return `${what} with the methods ${names.join(', ')}`
    const missing = names.find((name) => typeof value[name] !== 'function')
    return missing === undefined ? null : `${what} with the methods ${names.join(', ')} (there is no ${missing}())`
  }

export const codec: Check = (value) => {
  if (isRecord(value) && typeof value.decode === 'function') return null
  if (typeof value === 'function') return `a codec; call it: ${value.name || 'codec'}()`
  return 'a codec, e.g. json() or text(), or { decode: (bytes) => … }'
}

export const abortSignal: Check = (value) =>
  isRecord(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function'
    ? null
    : 'an AbortSignal, e.g. new AbortController().signal'

export const topics: Check = (value) => {
  if (typeof value === 'string' || value instanceof RegExp) return 'a list: write topics: […] around it'
  const fine = Array.isArray(value) && value.length > 0
  return fine && value.every((topic) => text(topic) === null || topic instanceof RegExp)
    ? null
    : 'a list of topic names or patterns with at least one entry'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
