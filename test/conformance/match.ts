/** Filling references into requests, and comparing answers with what a script expects. */
import { isDeepStrictEqual } from 'node:util'
import type { AnyOrder, Ref, Save, StartsWith } from './script.ts'

export type Variables = Map<string, unknown>

type Marker = Ref | Save | AnyOrder<unknown> | StartsWith<unknown>

function markerOf(value: unknown): Marker | null {
  if (typeof value !== 'object' || value === null || !('$' in value)) return null
  return value as Marker
}

function lookUp(ref: Ref, variables: Variables): unknown {
  if (!variables.has(ref.name)) throw new Error(`${ref.name} was never saved: fix the script`)
  const value = variables.get(ref.name)
  return ref.plus === 0 ? value : (value as number) + ref.plus
}

export function fill(template: unknown, variables: Variables): unknown {
  const marker = markerOf(template)
  if (marker?.$ === 'ref') return lookUp(marker, variables)
  if (marker !== null) throw new Error(`a request cannot contain ${marker.$}`)
  if (Array.isArray(template)) return template.map((item) => fill(item, variables))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, variables)]))
}

/** What differs, as a readable path; null if nothing does. Saves what is to be saved on the way. */
export function difference(expected: unknown, actual: unknown, variables: Variables, path = ''): string | null {
  const marker = markerOf(expected)
  if (marker?.$ === 'save') {
    variables.set(marker.name, actual)
    return null
  }
  if (marker?.$ === 'ref') return difference(lookUp(marker, variables), actual, variables, path)
  if (marker?.$ === 'anyOrder') return differenceInAnyOrder(marker.items, actual, variables, path)
  if (marker?.$ === 'startsWith') {
    const enough = Array.isArray(actual) ? actual.slice(0, marker.items.length) : actual
    return difference(marker.items, enough, variables, path)
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return told(path, expected, actual)
    if (actual.length !== expected.length) return told(`${path}.length`, expected.length, actual.length)
    return first(expected.map((item, i) => () => difference(item, actual[i], variables, `${path}[${i}]`)))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return told(path, expected, actual)
    const fields = actual as Record<string, unknown>
    return first(
      Object.entries(expected).map(
        ([key, value]) =>
          () =>
            difference(value, fields[key], variables, `${path}.${key}`),
      ),
    )
  }
  return isDeepStrictEqual(expected, actual) ? null : told(path, expected, actual)
}

/** Each expected item takes the first actual one that fits; good enough where items name themselves. */
function differenceInAnyOrder(items: readonly unknown[], actual: unknown, variables: Variables, path: string) {
  if (!Array.isArray(actual) || actual.length !== items.length) return told(path, items, actual)
  const rest = [...(actual as unknown[])]
  for (const item of items) {
    const at = rest.findIndex((candidate) => difference(item, candidate, new Map(variables)) === null)
    if (at < 0) return told(path, item, rest)
    difference(item, rest[at], variables)
    rest.splice(at, 1)
  }
  return null
}

function first(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const found = check()
    if (found !== null) return found
  }
  return null
}

function told(path: string, expected: unknown, actual: unknown): string {
  return `${path || 'answer'}: expected ${show(expected)}, got ${show(actual)}`
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
