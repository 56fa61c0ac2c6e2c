/**
 * What counts in the end: flags, then the environment, then the config file, then the defaults. Every value is checked with the
 * checks of `consume()`, and an error says where the value came from. Secrets are shown nowhere.
 */
import { nearest } from '../consumer/nearest.ts'
import { type Check, listOf, number, shape, text as someText, yesOrNo } from '../consumer/option-checks.ts'
import { CHECKS } from '../consumer/option-table.ts'
import { OptionError } from '../errors.ts'
import { readConfigFile } from './file.ts'
import { parse } from './parse.ts'
import { type Setting, settings } from './schema.ts'

export type Origin =
  | { readonly kind: 'flag'; readonly name: string }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'default' }

export interface Resolved {
  /** As the options of `consume()` are nested. Only what was said: defaults are those who read them. */
  readonly values: Readonly<Record<string, unknown>>
  readonly origins: ReadonlyMap<string, Origin>
  /** The config file, if there is one. */
  readonly path: string | null
  /** Names in the environment that look like settings and are none, with what may have been meant. */
  readonly strangers: readonly { readonly name: string; readonly meant: string }[]
}

export interface Sources {
  /** By the name of the flag, as text. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** A config file by name; default: the one in the directory. */
  readonly config?: string | undefined
  readonly directory: string
}

const MASK = '[redacted]'

export async function resolveConfig({ flags, env, config, directory }: Sources): Promise<Resolved> {
  const file = await readConfigFile(config, directory)
  const values = copied(file?.values ?? {})
  const origins = new Map<string, Origin>()
  for (const setting of settings) {
    const { name, flag } = setting
    const said = flag === null ? undefined : flags[flag]
    const variable = setting.env.find((each) => (env[each] ?? '') !== '')
    if (said !== undefined) {
      put(values, setting, parse(setting, said, `--${flag}`))
      origins.set(name, { kind: 'flag', name: `--${flag}` })
    } else if (variable !== undefined) {
      put(values, setting, parse(setting, env[variable] ?? '', variable))
      origins.set(name, { kind: 'environment', name: variable })
    } else if (file !== null && at(values, name) !== undefined) origins.set(name, { kind: 'file', path: file.path })
    else origins.set(name, { kind: 'default' })
    check(setting, values, origins.get(name))
  }
  return { values, origins, path: file?.path ?? null, strangers: strangersIn(env) }
}

/** Only near misses: FANLANE_… may be somebody else's name. */
function strangersIn(env: Sources['env']): Resolved['strangers'] {
  const known = settings.flatMap((each) => each.env)
  return Object.keys(env).flatMap((name) => {
    if (!/^(FANLANE|KAFKA)_/.test(name) || known.includes(name)) return []
    const meant = nearest(name, known)
    return meant === null ? [] : [{ name, meant }]
  })
}

/** What `fanlane config` shows: every setting, its value as text, and where it came from. */
export interface Shown {
  readonly name: string
  readonly value: string
  readonly from: string
}

export function shownSettings({ values, origins }: Resolved): readonly Shown[] {
  return settings.map(({ name, fallback, isSecret, kind }) => {
    const value = at(values, name)
    const origin = origins.get(name) ?? { kind: 'default' }
    const isHidden = isSecret || kind === 'file'
    return {
      name,
      value: origin.kind === 'default' || value === undefined ? fallback : isHidden ? MASK : plain(value),
      from: wordsFor(origin),
    }
  })
}

/** Texts that must not be printed, whoever prints them. */
export function secretsOf({ values }: Resolved): readonly string[] {
  const found = settings.filter(({ isSecret }) => isSecret).map(({ name }) => at(values, name))
  return found.filter((each): each is string => typeof each === 'string' && each.length > 3)
}

function wordsFor(origin: Origin): string {
  if (origin.kind === 'default') return 'default'
  return origin.kind === 'file' ? origin.path : origin.name
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(',')
  if (typeof value === 'object' && value !== null && !(value instanceof RegExp)) {
    if ('min' in value && 'max' in value) return `${String(value.min)}-${String(value.max)}`
    if ('timestamp' in value) return String(value.timestamp)
    if ('kind' in value) return String(value.kind)
    return 'set'
  }
  return typeof value === 'function' ? 'a function' : String(value)
}

/** A dashboard that is only described, without its port, is none yet. */
const others: Readonly<Record<string, Check>> = {
  dashboard: shape({
    port: number(0, 65_535),
    host: someText,
    allowActions: yesOrNo,
    token: someText,
    allowedHosts: listOf(someText),
    peers: listOf(someText),
    auditFile: someText,
  }),
}

function check({ name, isSecret }: Setting, values: Record<string, unknown>, origin: Origin | undefined): void {
  const [top = '', ...rest] = name.split('.')
  const value = at(values, name)
  if (value === undefined || origin === undefined || origin.kind === 'default') return
  const isElsewhere =
    top === 'decode' || (top === 'client' && (rest[0] === 'tls' || rest[0] === 'sasl')) || name === 'engine.workers'
  if (isElsewhere) return
  const wanted = (others[top] ?? CHECKS[top])?.(rest.length === 0 ? value : { [rest.join('.')]: value }) ?? null
  if (wanted === null) return
  const must = wanted.replace(/^\{.*\} where \S+ is /, '')
  const place = origin.kind === 'file' ? `${origin.path}: '${name}'` : wordsFor(origin)
  const shown = isSecret ? '' : `; it is ${typeof value === 'string' ? `'${value.slice(0, 80)}'` : plain(value)}`
  throw new OptionError('CONFIG_INVALID', name, `${place} must be ${must}${shown}.`)
}

function at(values: Readonly<Record<string, unknown>>, name: string): unknown {
  let value: unknown = values
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

function put(values: Record<string, unknown>, { name }: Setting, value: unknown): void {
  const parts = name.split('.')
  const last = parts.pop() ?? name
  let node = values
  for (const part of parts) {
    const inner = node[part]
    // `tls: false` is said on purpose, whatever certificates lie about.
    if (inner === false) return
    // `engine: 'threads'` and `engine.workers` are one option: the word becomes its kind. `tls: true` gives way to its parts.
    if (typeof inner !== 'object' || inner === null) node[part] = typeof inner === 'string' ? { kind: inner } : {}
    node = node[part] as Record<string, unknown>
  }
  // `tls: true` says nothing that its own parts do not say.
  if (value === true && typeof node[last] === 'object') return
  node[last] = value
}

/** Plain objects are copied, so that nothing is written into what the config file exported; the rest is handed on. */
function copied(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
      return [key, isPlain ? copied(value as Record<string, unknown>) : value]
    }),
  )
}
