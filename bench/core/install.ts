/** The packages of this folder: installed on first use, so that the root install knows nothing of them. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { command } from '../../test/support/command.ts'

const folder = join(import.meta.dirname, '..')
const require = createRequire(join(folder, 'package.json'))
const installTimeoutMs = 600_000

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const read = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest

/** The version that a contender would load; null: none. */
export function versionOf(name: string): string | null {
  for (const base of require.resolve.paths(name) ?? []) {
    const file = join(base, name, 'package.json')
    if (existsSync(file)) return read(file).version
  }
  return null
}

/** Name → why it cannot run here; one that can is not in it. */
export async function missing(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { dependencies, optionalDependencies } = read(join(folder, 'package.json'))
  const wanted: Readonly<Record<string, string>> = { ...dependencies, ...optionalDependencies }
  const isThere = (name: string): boolean => versionOf(name) === wanted[name]
  // Of this lockfile: another one is installed again, and one that has failed is not tried again and again.
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const mark = join(folder, 'node_modules', '.installed')
  const isInstalled = existsSync(mark) && readFileSync(mark, 'utf8') === lock
  if (!names.every(isThere) && !isInstalled) {
    console.log('installing the other clients (npm ci in bench/) …')
    const npm = process.env.npm_execpath
    const [file, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    const options = ['--prefix', folder, '--no-audit', '--no-fund']
    const { code, stderr } = await command(file, [...args, 'ci', ...options], { timeoutMs: installTimeoutMs })
    if (code === 0) writeFileSync(mark, lock)
    else console.error(`npm ci in bench/ ended with ${code}: ${stderr.trim().slice(-500)}`)
  }
  const absent = new Map<string, string>()
  for (const name of names) {
    if (!isThere(name)) absent.set(name, `${name} does not install here`)
    else if (!(await loads(name))) absent.set(name, `${name} is installed and does not load here`)
  }
  return absent
}

/** An addon may be installed and yet not be for this Node. */
async function loads(name: string): Promise<boolean> {
  const path = require.resolve(name)
  const program = `await import(${JSON.stringify(path)})`
  const flags = ['--input-type=module', '--eval', `${program}; process.exit(0)`]
  return (await command(process.execPath, flags, { timeoutMs: 30_000 })).code === 0
}
