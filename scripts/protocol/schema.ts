/**
 * Reads Kafka's message schemas (JSON with comment lines) into a shape that is easy to generate from.
 */
export interface Versions {
  readonly min: number
  readonly max: number
}

export const never: Versions = { min: 1, max: 0 }

export interface Field {
  readonly name: string
  /** Without the leading `[]`. */
  readonly type: string
  readonly isArray: boolean
  readonly isStruct: boolean
  readonly versions: Versions
  readonly nullable: Versions
  readonly tagged: Versions
  readonly tag: number
  readonly ignorable: boolean
  /** The client id in a request header is never compact, whatever the version. */
  readonly neverCompact: boolean
  readonly default: unknown
}

export interface Struct {
  readonly name: string
  readonly versions: Versions
  readonly fields: readonly Field[]
}

export interface Message {
  readonly kind: 'request' | 'response' | 'header' | 'data' | 'coordinator-key' | 'coordinator-value'
  readonly name: string
  readonly apiKey: number
  readonly versions: Versions
  /** The newest version that is not marked unstable. */
  readonly stableMax: number
  readonly flexible: Versions
  readonly root: Struct
  readonly structs: readonly Struct[]
}

type Json = { readonly [key: string]: unknown }

export function parseVersions(text: unknown, all?: Versions): Versions {
  if (text === undefined || text === 'none') return never
  const match = /^(\d+)(?:(\+)|-(\d+))?$/.exec(String(text))
  if (match === null) throw new Error(`unknown version range ${String(text)}`)
  const min = Number(match[1])
  const max = match[2] === '+' ? Number.POSITIVE_INFINITY : Number(match[3] ?? match[1])
  return all === undefined ? { min, max } : intersect({ min, max }, all)
}

export function intersect(a: Versions, b: Versions): Versions {
  const both = { min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) }
  return both.min > both.max ? never : both
}

export function parseMessage(text: string): Message {
  const json = JSON.parse(text.replace(/^\s*\/\/.*$/gm, '')) as Json
  const versions = parseVersions(json.validVersions)
  const structs: Struct[] = []
  const shared = (json.commonStructs ?? []) as Json[]
  const names = new Set<string>(shared.map((s) => String(s.name)))
  collectNames(json.fields as Json[], names)
  for (const s of shared) collectNames(s.fields as Json[], names)
  const parse = (fields: readonly Json[], within: Versions): Field[] =>
    fields.map((field) => {
      const parsed = parseField(field, within, names)
      if (field.fields !== undefined) {
        structs.push({
          name: parsed.type,
          versions: parsed.versions,
          fields: parse(field.fields as Json[], parsed.versions),
        })
      }
      return parsed
    })
  // Shared structs are compiled over the whole range: several fields of different versions use them.
  for (const s of shared) structs.push({ name: String(s.name), versions, fields: parse(s.fields as Json[], versions) })
  const name = String(json.name)
  return {
    kind: json.type as Message['kind'],
    name,
    apiKey: Number(json.apiKey ?? -1),
    versions,
    stableMax: json.latestVersionUnstable === true ? versions.max - 1 : versions.max,
    flexible: intersect(parseVersions(json.flexibleVersions), versions),
    root: { name, versions, fields: parse(json.fields as Json[], versions) },
    structs,
  }
}

function collectNames(fields: readonly Json[], names: Set<string>): void {
  for (const field of fields) {
    if (field.fields === undefined) continue
    names.add(String(field.type).replace(/^\[\]/, ''))
    collectNames(field.fields as Json[], names)
  }
}

function parseField(json: Json, within: Versions, structNames: ReadonlySet<string>): Field {
  const type = String(json.type)
  const element = type.replace(/^\[\]/, '')
  return {
    name: camel(String(json.name)),
    type: element,
    isArray: type.startsWith('[]'),
    isStruct: structNames.has(element),
    versions: parseVersions(json.versions ?? json.taggedVersions, within),
    nullable: intersect(parseVersions(json.nullableVersions), within),
    tagged: intersect(parseVersions(json.taggedVersions), within),
    tag: Number(json.tag ?? -1),
    ignorable: json.ignorable === true || json.ignorable === 'true',
    neverCompact: json.flexibleVersions === 'none',
    default: json.default,
  }
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}
