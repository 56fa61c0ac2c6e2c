/**
 * Programs from Debian's packages without root and without touching the system: what is not installed is downloaded and unpacked
 * into .cache/servers/, once. A folder appears under its name only when it is complete, and using it needs no network.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../files.ts'

/** The server cannot run here, for the reason in the message. */
export class ServerUnavailable extends Error {
  readonly code = 'SERVER_UNAVAILABLE'
}

export interface Installed {
  /** The directory with the programs. */
  readonly bin: string
  /** What they need around them. */
  readonly env: Readonly<Record<string, string>>
}

const run = promisify(execFile)
const cache = join(root, '.cache', 'servers')
const downloadTimeoutMs = 120_000

/** Where `program` is: on the PATH, in one of these directories, in the cache, or unpacked now. */
export async function findOrUnpack(program: string, packageName: string, binPattern: RegExp): Promise<Installed> {
  const onPath = [...(process.env.PATH ?? '').split(delimiter), ...postgresDirectories('/')]
  const bin = onPath.find((directory) => existsSync(join(directory, program)))
  if (bin !== undefined) return { bin, env: {} }
  const folder = await unpackOnce(packageName)
  const found = binDirectory(folder, program, binPattern)
  if (found === undefined) throw new ServerUnavailable(`Debian's package ${packageName} has no ${program}`)
  return { bin: found, env: { LD_LIBRARY_PATH: libraries(folder).join(delimiter) } }
}

/** The folder of a package in the cache, unpacked now if it is not there yet. */
export async function unpackOnce(packageName: string): Promise<string> {
  const folder = join(cache, packageName)
  if (!existsSync(folder)) await unpack(packageName, folder)
  return folder
}

function postgresDirectories(prefix: string): string[] {
  const versions = join(prefix, 'usr/lib/postgresql')
  if (!existsSync(versions)) return []
  return readdirSync(versions)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(versions, version, 'bin'))
}

function binDirectory(folder: string, program: string, pattern: RegExp): string | undefined {
  const candidates = [join(folder, 'usr/bin'), ...postgresDirectories(folder)]
  return candidates.find((directory) => pattern.test(directory) && existsSync(join(directory, program)))
}

function libraries(folder: string): string[] {
  const base = join(folder, 'usr/lib')
  if (!existsSync(base)) return []
  return readdirSync(base)
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(base, name))
}

async function unpack(packageName: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const unfinished = `${folder}.${process.pid}`
  const downloads = `${unfinished}.deb`
  try {
    mkdirSync(downloads, { recursive: true })
    mkdirSync(unfinished, { recursive: true })
    await run('apt-get', ['download', ...(await missingPackages(packageName))], {
      cwd: downloads,
      timeout: downloadTimeoutMs,
    })
    for (const file of readdirSync(downloads)) await run('dpkg-deb', ['-x', join(downloads, file), unfinished])
    renameSync(unfinished, folder)
  } catch (error) {
    // Two processes may unpack at once: the first to finish wins, and its folder is as good as ours.
    if (existsSync(folder)) return
    const said = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error)
    throw new ServerUnavailable(`${packageName} is not installed and cannot be downloaded by apt-get: ${said}`)
  } finally {
    for (const directory of [unfinished, downloads]) rmSync(directory, { recursive: true, force: true })
  }
}

/** The package and everything it needs that this system does not have. */
async function missingPackages(packageName: string): Promise<string[]> {
  // What apt would install, without the alternatives that it would not choose. It may refuse where packages are held back.
  const planned = await run('apt-get', ['--simulate', 'install', '--no-install-recommends', packageName]).then(
    ({ stdout }) => stdout.split('\n').flatMap((line) => /^Inst (\S+)/.exec(line)?.[1] ?? []),
    (): string[] => [],
  )
  if (planned.includes(packageName)) return planned
  const quiet = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`)
  const { stdout } = await run('apt-cache', ['depends', '--recurse', ...quiet, packageName], { maxBuffer: 16 << 20 })
  const wanted = new Set(stdout.split('\n').filter((line) => /^[a-z0-9]/.test(line)))
  const { stdout: here } = await run('dpkg', ['--get-selections'], { maxBuffer: 16 << 20 })
  for (const line of here.split('\n')) if (/\sinstall$/.test(line)) wanted.delete(line.split(/[:\s]/)[0] as string)
  return [...wanted]
}
