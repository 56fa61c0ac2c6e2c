/**
 * Which files are open. Active segments stay open; closed ones are opened when somebody reads them and closed again when
 * too many others were read since, so the number of segments on disk is not bounded by the number of file descriptors.
 * What always holds: a file is not closed while anybody holds it, even if its name is gone from the directory.
 */
import type { Disk, DiskFile, Eventually } from './disk.ts'

export class OpenFiles {
  readonly disk: Disk
  readonly #idleMax: number
  /** Open and held by nobody, the longest unused first. */
  readonly #idle = new Set<PooledFile>()
  readonly #onError: (error: unknown) => void

  constructor(disk: Disk, idleMax: number, onError: (error: unknown) => void) {
    this.disk = disk
    this.#idleMax = idleMax
    this.#onError = onError
  }

  file(path: string): PooledFile {
    return new PooledFile(this, path)
  }

  hold(file: PooledFile): void {
    this.#idle.delete(file)
  }

  idle(file: PooledFile): void {
    this.#idle.add(file)
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#idleMax) return
      this.#idle.delete(oldest)
      this.close(oldest)
    }
  }

  close(file: PooledFile): void {
    const closing = file.close()
    if (closing instanceof Promise) closing.catch(this.#onError)
  }
}

export class PooledFile {
  readonly path: string
  readonly #pool: OpenFiles
  #file: DiskFile | undefined
  #opening: Promise<DiskFile> | undefined
  #holders = 0
  #isDiscarded = false

  constructor(pool: OpenFiles, path: string) {
    this.#pool = pool
    this.path = path
  }

  /** Open until `release`. */
  acquire(mode: 'existing' | 'create' = 'existing'): Eventually<DiskFile> {
    this.#holders++
    if (this.#file !== undefined) {
      this.#pool.hold(this)
      return this.#file
    }
    return this.#opening ?? this.#open(mode)
  }

  #open(mode: 'existing' | 'create'): Eventually<DiskFile> {
    try {
      const opened = this.#pool.disk.open(this.path, mode)
      if (!(opened instanceof Promise)) {
        this.#file = opened
        return opened
      }
      this.#opening = opened.then(
        (file) => {
          this.#opening = undefined
          this.#file = file
          return file
        },
        (error: unknown) => {
          this.#opening = undefined
          this.#holders = 0
          throw error
        },
      )
      return this.#opening
    } catch (error) {
      this.#holders--
      throw error
    }
  }

  release(): void {
    this.#holders--
    if (this.#holders > 0 || this.#file === undefined) return
    if (this.#isDiscarded) this.#pool.close(this)
    else this.#pool.idle(this)
  }

  /** Nobody will ask for it again. */
  discard(): void {
    this.#isDiscarded = true
    if (this.#holders > 0 || this.#file === undefined) return
    this.#pool.hold(this)
    this.#pool.close(this)
  }

  close(): Eventually<void> {
    const file = this.#file
    this.#file = undefined
    return file?.close()
  }
}
