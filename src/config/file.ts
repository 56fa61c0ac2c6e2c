/**
 * The config file: found in the working directory, or named. It is a program, or JSON; what it says is checked key by key
 * before anything reads it, so a key that nobody knows, or that would reach into a prototype, ends here.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nearest } from '../consumer/nearest.ts'
import { FanlaneError, OptionError } from '../errors.ts'
import { notFlat, settings } from './schema.ts'

export const configNames: readonly string[] = [
  'fanlane.config.ts',
  'fanlane.config.mts',
  'fanlane.config.js',
  'fanlane.config.mjs',
  'fanlane.config.json',
]

export interface ConfigFile {
  readonly path: string
  /** Checked: no key that nobody knows. */
  readonly values: Readonly<Record<string, unknown>>
}

/** null: none is named, and there is none. */
export async function readConfigFile(named: string | undefined, directory: string): Promise<ConfigFile | null> {
  const path = named === undefined ? found(directory) : resolve(directory, named)
  if (path === null) return null
  if (!existsSync(path)) {
    throw new FanlaneError('CONFIG_NOT_FOUND', `There is no config file ${path}: check --config, or leave it out.`)
  }
  const values = path.endsWith('.json') ? fromJson(path) : await fromModule(path)
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new FanlaneError(
      'CONFIG_INVALID',
      `${path} must have an object: ${path.endsWith('.json') ? '{ "group": "billing" }' : "export default defineConfig({ group: 'billing' })"}.`,
    )
  }
  checkKeys(values as Record<string, unknown>, '', path)
  return { path, values: values as Record<string, unknown> }
}

function found(directory: string): string | null {
  const name = configNames.find((each) => existsSync(resolve(directory, each)))
  return name === undefined ? null : resolve(directory, name)
}

function fromJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    // Node quotes the text around the mistake, which may be a password.
    throw new FanlaneError('CONFIG_INVALID', `${path} is no JSON: check it with any JSON tool.`, {
      cause: cause instanceof SyntaxError ? undefined : cause,
    })
  }
}

async function fromModule(path: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown }
    return module.default
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new FanlaneError('CONFIG_LOAD_FAILED', `${path} cannot be loaded: ${said.replace(/\.?$/, '.')}`, { cause })
  }
}

/** Objects whose keys are those of the schema; what is in others (codecs, stores, options of node:tls) is theirs. */
const nodes: ReadonlyMap<string, readonly string[]> = nodesOf()

function nodesOf(): Map<string, string[]> {
  const children = new Map<string, string[]>([['', Object.keys(notFlat)]])
  for (const { name } of settings) {
    const parts = name.split('.')
    for (const [depth, part] of parts.entries()) {
      const parent = parts.slice(0, depth).join('.')
      const known = children.get(parent) ?? []
      if (!known.includes(part)) known.push(part)
      children.set(parent, known)
    }
  }
  // Single functions beside the words.
  children.get('retry')?.push('isPermanent')
  children.get('deadLetter')?.push('topic')
  children.get('engine')?.push('kind', 'maxRecordsPerWorker', 'memoryMb', 'affinity', 'execArgv')
  children.get('client')?.push('sessionTimeout')
  // Options of node:tls, of codecs, of a login with tokens.
  for (const open of ['client.tls', 'client.sasl', 'decode']) children.delete(open)
  return children
}

const reaching: readonly string[] = ['__proto__', 'constructor', 'prototype']

function checkKeys(values: Record<string, unknown>, prefix: string, path: string): void {
  const known = nodes.get(prefix)
  for (const key of Object.keys(values)) {
    const name = prefix === '' ? key : `${prefix}.${key}`
    if (reaching.includes(key)) {
      throw new OptionError('CONFIG_UNKNOWN', name, `${path}: '${name}' is no setting: remove it.`)
    }
    if (known !== undefined && !known.includes(key)) {
      const close = nearest(key, known)
      const hint = close === null ? `Known ones: ${known.join(', ')}.` : `Did you mean '${close}'?`
      throw new OptionError('CONFIG_UNKNOWN', name, `${path}: unknown setting '${name}'. ${hint}`)
    }
    const value = values[key]
    if (typeof value === 'object' && value !== null && isPlain(value)) {
      checkKeys(value as Record<string, unknown>, name, path)
    }
  }
}

/** An engine or a store is somebody's object: its own business. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown
  return prototype === Object.prototype || prototype === null
}
