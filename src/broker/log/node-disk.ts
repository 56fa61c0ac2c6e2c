/**
 * The real disk. Files are readable by their owner alone (0600, directories 0700).
 * Callbacks of node:fs are used where many calls happen; appends go out as one writev, however many batches wait.
 */
import {
  type BigIntStats,
  close,
  constants,
  fdatasync,
  fstat,
  fsync,
  ftruncate,
  type NoParamCallback,
  open,
  read,
  write,
  writev,
  writevSync,
} from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, type DiskFile, diskError, shortRead } from './disk.ts'

const fileMode = 0o600
const directoryMode = 0o700
/** Linux takes at most 1,024 pieces in one call. */
const piecesMax = 1_024
/** Many small pieces cost more as pieces than copied together. */
const smallPieceBytes = 2_048
const copyBytesMax = 256 * 1_024
/** Up to this much is written without another thread. */
const atOnceBytesMax = 128 * 1_024

export class NodeDisk implements Disk {
  readonly isVolatile: boolean = false

  async open(path: string, mode: 'existing' | 'create'): Promise<DiskFile> {
    const flags = constants.O_RDWR | (mode === 'create' ? constants.O_CREAT : 0)
    const fd = await new Promise<number>((resolve, reject) => {
      open(path, flags, fileMode, (error, opened) => {
        if (error === null) resolve(opened)
        else reject(diskError('open', path, error))
      })
    })
    try {
      const { size } = await done<BigIntStats>('read the size of', path, (callback) => {
        fstat(fd, { bigint: true }, callback)
      })
      return new NodeFile(path, fd, Number(size))
    } catch (error) {
      await done('close', path, (callback) => close(fd, callback))
      throw error
    }
  }

  async size(path: string): Promise<number> {
    return (await attempt('read the size of', path, stat(path))).size
  }

  async readFile(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(path)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw diskError('read', path, error)
    }
  }

  async makeDirectory(path: string): Promise<void> {
    await attempt('create the directory', path, makeWithParents(path))
  }

  async list(directory: string): Promise<readonly string[]> {
    try {
      return await readdir(directory)
    } catch (error) {
      if (isMissing(error)) return []
      throw diskError('list', directory, error)
    }
  }

  async rename(from: string, to: string): Promise<void> {
    await attempt('rename', from, rename(from, to))
  }

  async remove(path: string): Promise<void> {
    try {
      await unlink(path)
    } catch (error) {
      if (!isMissing(error)) throw diskError('remove', path, error)
    }
  }

  async removeDirectory(path: string): Promise<void> {
    await attempt('remove', path, rm(path, { recursive: true, force: true }))
  }

  async syncDirectory(path: string): Promise<void> {
    // Windows has no such thing: its file systems keep the names by themselves.
    if (process.platform === 'win32') return
    const fd = await new Promise<number>((resolve, reject) => {
      open(path, constants.O_RDONLY, (error, opened) => {
        if (error === null) resolve(opened)
        else reject(diskError('open', path, error))
      })
    })
    try {
      await done('sync', path, (callback) => fsync(fd, callback))
    } finally {
      await done('close', path, (callback) => close(fd, callback))
    }
  }
}

class NodeFile implements DiskFile {
  readonly #path: string
  readonly #fd: number
  #size: number

  constructor(path: string, fd: number, size: number) {
    this.#path = path
    this.#fd = fd
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  append(chunks: readonly Buffer[]): Promise<void> | undefined {
    const pieces = gathered(chunks)
    const rest = this.#writeAtOnce(pieces)
    if (rest.length === 0) return undefined
    return new Promise((resolve, reject) => {
      this.#write(rest, 0, this.#size, (error) => {
        if (error !== null) reject(diskError('write to', this.#path, error))
        else resolve()
      })
    })
  }

  /**
   * A little is copied into the page cache faster than another thread is woken for it, and then woken again for the sync.
   * Returns what is still to be written.
   */
  #writeAtOnce(pieces: readonly Buffer[]): readonly Buffer[] {
    let bytes = 0
    for (const piece of pieces) bytes += piece.length
    if (bytes > atOnceBytesMax || pieces.length > piecesMax) return pieces
    try {
      const written = writevSync(this.#fd, pieces, this.#size)
      this.#size += written
      return written === bytes ? [] : [Buffer.concat(pieces, bytes).subarray(written)]
    } catch (error) {
      throw diskError('write to', this.#path, error)
    }
  }

  /** One call takes at most `piecesMax` pieces and may write less than it was given: on with the rest. */
  #write(chunks: readonly Buffer[], from: number, at: number, callback: NoParamCallback): void {
    if (from === chunks.length) {
      this.#size = at
      callback(null)
      return
    }
    const pieces = chunks.slice(from, from + piecesMax)
    writev(this.#fd, pieces, at, (error, written) => {
      if (error !== null) return callback(error)
      let left = written
      let next = from
      for (let piece = chunks[next]; piece !== undefined && left >= piece.length; piece = chunks[next]) {
        left -= piece.length
        next++
      }
      const part = chunks[next]
      if (left === 0 || part === undefined) return this.#write(chunks, next, at + written, callback)
      this.#write([part.subarray(left), ...chunks.slice(next + 1)], 0, at + written, callback)
    })
  }

  read(at: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(length)
    return new Promise((resolve, reject) => {
      const more = (have: number): void => {
        read(this.#fd, buffer, have, length - have, at + have, (error, got) => {
          if (error !== null) reject(diskError('read', this.#path, error))
          else if (have + got === length) resolve(buffer)
          else if (got === 0) reject(shortRead(this.#path, at, length, have))
          else more(have + got)
        })
      }
      if (length === 0) resolve(buffer)
      else more(0)
    })
  }

  async overwrite(at: number, chunk: Buffer): Promise<void> {
    for (let from = 0; from < chunk.length; ) {
      from += await done<number>('write to', this.#path, (callback) => {
        write(this.#fd, chunk, from, chunk.length - from, at + from, callback)
      })
    }
  }

  async truncate(size: number): Promise<void> {
    await done('shorten', this.#path, (callback) => ftruncate(this.#fd, size, callback))
    this.#size = size
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#fd, (error) => {
        if (error === null) resolve()
        else reject(diskError('sync', this.#path, error))
      })
    })
  }

  async close(): Promise<void> {
    await done('close', this.#path, (callback) => close(this.#fd, callback))
  }
}

function gathered(chunks: readonly Buffer[]): readonly Buffer[] {
  if (chunks.length < 8) return chunks
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  return bytes <= copyBytesMax && bytes <= chunks.length * smallPieceBytes ? [Buffer.concat(chunks, bytes)] : chunks
}

function done<T = void>(
  deed: string,
  path: string,
  call: (callback: (error: NodeJS.ErrnoException | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error === null || error === undefined) resolve(value as T)
      else reject(diskError(deed, path, error))
    })
  })
}

async function attempt<T>(deed: string, path: string, outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    throw diskError(deed, path, error)
  }
}

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT'

/** Not `recursive` of node:fs: where a parent is there but takes no directories (/proc), that never returns. */
async function makeWithParents(path: string): Promise<void> {
  if ((await made(path)) !== 'no-parent') return
  const parent = dirname(path)
  if (parent !== path) await makeWithParents(parent)
  // The parent is there now, made here or by somebody else at the same time. If this fails again, it will always fail.
  if ((await made(path)) === 'no-parent') await mkdir(path)
}

async function made(path: string): Promise<'made' | 'no-parent'> {
  try {
    await mkdir(path, { mode: directoryMode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'no-parent'
    if (code !== 'EEXIST') throw error
  }
  return 'made'
}
