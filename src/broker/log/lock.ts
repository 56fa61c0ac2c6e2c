/**
 * Keeps a second process out of a data directory: a file that can be created only once, with the owner's identity in it.
 *
 * A lock whose owner is provably dead is taken over at once, one whose owner is provably alive is refused at once. A
 * process id alone proves neither: ids are used again, in a container the first process always has the same one, and
 * another container or host on the same volume cannot be seen at all. So the file also names boot, pid namespace and start
 * time of its owner, and the owner touches it now and then. Where nothing can be proved, the file is watched for a while:
 * if it is not touched, its owner is gone.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { FanlaneError } from '../../errors.ts'
import { diskError } from './disk.ts'

const lockName = 'lock'
const touchMs = 2_000
/** Three touches missed. */
const watchMs = 7_000
const attemptsMax = 100
const retryMs = 20

export interface DirectoryLock {
  release(): Promise<void>
}

export interface LockOptions {
  /** Somebody else took the lock although we live: stop at once. Only after seconds in which this process stood still. */
  readonly onLost?: (error: FanlaneError) => void
  /** For tests: how long an owner that cannot be seen is watched. */
  readonly watchMs?: number
}

interface Owner {
  readonly token: string
  readonly pid: number
  readonly host: string
  /** '' where the system does not tell. */
  readonly boot: string
  readonly pidNamespace: string
  readonly startedAt: string
}

export async function lockDirectory(directory: string, options: LockOptions = {}): Promise<DirectoryLock> {
  const path = `${directory}/${lockName}`
  const owner = identity()
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    if (await create(path, owner)) return new HeldLock(path, owner, options.onLost)
    const holder = await readOwner(path)
    if (holder === undefined) continue
    const alive = isAlive(holder) ?? (await isTouched(path, options.watchMs ?? watchMs))
    if (alive) throw inUse(directory, holder)
    if (!(await removeDead(path, holder, owner))) await pause(retryMs)
  }
  throw new FanlaneError(
    'DATA_DIRECTORY_IN_USE',
    `${directory} could not be locked: several processes try at the same time. Start one of them, or choose another directory.`,
  )
}

/**
 * Whoever removes a dead lock holds a second one meanwhile and looks again first. Otherwise: two processes find the same
 * dead lock; one removes it and makes its own; the other removes that one.
 */
async function removeDead(path: string, dead: Owner, owner: Owner): Promise<boolean> {
  const guard = `${path}.takeover`
  if (!(await create(guard, owner))) {
    const other = await readOwner(guard)
    // It died within the few moments that this takes.
    if (other !== undefined && isAlive(other) === false) await rm(guard, { force: true })
    return false
  }
  try {
    if ((await readOwner(path))?.token === dead.token) await rm(path, { force: true })
    return true
  } finally {
    await rm(guard, { force: true })
  }
}

class HeldLock implements DirectoryLock {
  readonly #path: string
  readonly #owner: Owner
  readonly #onLost: ((error: FanlaneError) => void) | undefined
  readonly #timer: NodeJS.Timeout

  constructor(path: string, owner: Owner, onLost: ((error: FanlaneError) => void) | undefined) {
    this.#path = path
    this.#owner = owner
    this.#onLost = onLost
    this.#timer = setInterval(() => void this.#touch(), touchMs)
    this.#timer.unref()
  }

  async #touch(): Promise<void> {
    try {
      const holder = await readOwner(this.#path)
      if (holder?.token === this.#owner.token) {
        const now = new Date()
        await utimes(this.#path, now, now)
        return
      }
      this.#lost(undefined)
    } catch (error) {
      this.#lost(error)
    }
  }

  #lost(cause: unknown): void {
    clearInterval(this.#timer)
    const message = `${this.#path} is no longer ours: another process has taken the data directory. This one must stop: give each broker a directory of its own.`
    this.#onLost?.(new FanlaneError('DATA_DIRECTORY_LOST', message, { cause }))
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    const holder = await readOwner(this.#path)
    if (holder?.token === this.#owner.token) await rm(this.#path, { force: true })
  }
}

/** False: there is one already. */
async function create(path: string, owner: Owner): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(owner)}\n`)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw diskError('create', path, error)
  }
}

/** undefined: there is no lock any more. An unreadable one counts as one whose owner is unknown. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    try {
      return { ...nobody, ...(JSON.parse(text) as Owner) }
    } catch {
      // Being written just now, or its owner died while writing it.
      return nobody
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw diskError('read', path, error)
  }
}

const nobody: Owner = { token: '', pid: 0, host: '', boot: '', pidNamespace: '', startedAt: '' }

/** undefined: it cannot be told from here. */
function isAlive(holder: Owner): boolean | undefined {
  const self = identity()
  const isVisible =
    holder.pid > 0 &&
    holder.boot === self.boot &&
    holder.pidNamespace === self.pidNamespace &&
    (self.boot !== '' || holder.host === self.host)
  if (!isVisible) return undefined
  if (!isRunning(holder.pid)) return false
  const startedAt = startOf(holder.pid)
  // The same id, another start: it is used again by somebody else.
  if (startedAt !== '' && holder.startedAt !== '') return startedAt === holder.startedAt
  return undefined
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It belongs to another user, and lives.
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Its owner touches it from time to time; a change within this time is a sign of life. */
async function isTouched(path: string, watchForMs: number): Promise<boolean> {
  const before = await touchedAt(path)
  await pause(watchForMs)
  return before !== (await touchedAt(path))
}

async function touchedAt(path: string): Promise<string> {
  try {
    const { mtimeNs, ino } = await stat(path, { bigint: true })
    return `${mtimeNs}/${ino}`
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return ''
    throw diskError('look at', path, error)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function identity(): Owner {
  return {
    token: randomUUID(),
    pid: process.pid,
    host: hostname(),
    boot: told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: told(() => readlinkSync('/proc/self/ns/pid')),
    startedAt: startOf(process.pid),
  }
}

/** Field 22 of /proc/<pid>/stat, counted behind the name, which may contain anything. */
function startOf(pid: number): string {
  return told(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  })
}

/** '' where the system has no such file. */
function told(ask: () => string): string {
  try {
    return ask()
  } catch {
    return ''
  }
}

function inUse(directory: string, { pid, host }: Owner): FanlaneError {
  const who = pid > 0 ? `process ${pid} on ${host}` : 'another process'
  return new FanlaneError(
    'DATA_DIRECTORY_IN_USE',
    `${directory} is in use by ${who}. Stop that broker first, or give this one a data directory of its own.`,
  )
}
