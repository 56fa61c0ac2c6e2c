/**
 * A disk in memory, for a broker without a data directory. Appended buffers are kept as they are, without a copy, except
 * where keeping one would keep much more than itself alive (a small batch inside a large socket buffer): those are
 * copied once, small ones together into pages.
 * What always holds: a piece that was appended stays whole inside one chunk, so reading whole batches copies nothing.
 */
import { type Disk, type DiskFile, diskError, shortRead } from './disk.ts'

const pageBytes = 64 * 1_024
/** Smaller ones share a page: a buffer of its own costs about a hundred bytes. */
const smallBytes = 4 * 1_024

export class MemoryDisk implements Disk {
  readonly isVolatile: boolean = true
  readonly #files = new Map<string, MemoryFile>()
  readonly #directories = new Set<string>()

  open(path: string, mode: 'existing' | 'create'): DiskFile {
    const found = this.#files.get(path)
    if (found !== undefined) return found
    if (mode === 'existing') throw missing('open', path)
    const file = new MemoryFile(path)
    this.#files.set(path, file)
    return file
  }

  size(path: string): number {
    return this.#file('read the size of', path).size
  }

  readFile(path: string): Buffer | undefined {
    const file = this.#files.get(path)
    return file?.read(0, file.size)
  }

  makeDirectory(path: string): void {
    this.#directories.add(path)
  }

  list(directory: string): readonly string[] {
    const prefix = `${directory}/`
    return [...this.#files.keys(), ...this.#directories]
      .filter((path) => path.startsWith(prefix) && !path.includes('/', prefix.length))
      .map((path) => path.slice(prefix.length))
  }

  rename(from: string, to: string): void {
    if (this.#directories.delete(from)) {
      this.#directories.add(to)
      for (const [path, file] of [...this.#files]) {
        if (!path.startsWith(`${from}/`)) continue
        this.#files.delete(path)
        this.#files.set(to + path.slice(from.length), file)
      }
      return
    }
    const file = this.#file('rename', from)
    this.#files.delete(from)
    this.#files.set(to, file)
  }

  remove(path: string): void {
    this.#files.delete(path)
  }

  removeDirectory(path: string): void {
    for (const found of [...this.#files.keys(), ...this.#directories]) {
      if (found !== path && !found.startsWith(`${path}/`)) continue
      this.#files.delete(found)
      this.#directories.delete(found)
    }
  }

  syncDirectory(): void {
    // Nothing in here survives.
  }

  #file(deed: string, path: string): MemoryFile {
    const file = this.#files.get(path)
    if (file === undefined) throw missing(deed, path)
    return file
  }
}

class MemoryFile implements DiskFile {
  readonly #path: string
  #chunks: Buffer[] = []
  /** Where each chunk begins. */
  #starts: number[] = []
  #size = 0
  /** The last chunk is a page with room behind it: how much of it is used. */
  #page: { readonly buffer: Buffer; used: number } | undefined

  constructor(path: string) {
    this.#path = path
  }

  get size(): number {
    return this.#size
  }

  append(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      if (chunk.length === 0) continue
      if (chunk.length < smallBytes) this.#appendToPage(chunk)
      else {
        const pinsTooMuch = chunk.buffer.byteLength > 2 * chunk.length
        this.#push(pinsTooMuch ? copyOf(chunk) : chunk)
        this.#page = undefined
      }
    }
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#starts.push(this.#size)
    this.#size += chunk.length
  }

  #appendToPage(chunk: Buffer): void {
    const page = this.#page
    if (page === undefined || page.used + chunk.length > page.buffer.length) {
      // A small log stays small: pages double up to their full size.
      const buffer = Buffer.allocUnsafeSlow(Math.max(chunk.length, Math.min(pageBytes, 1_024 + this.#size)))
      chunk.copy(buffer, 0)
      this.#push(buffer.subarray(0, chunk.length))
      this.#page = { buffer, used: chunk.length }
      return
    }
    chunk.copy(page.buffer, page.used)
    page.used += chunk.length
    this.#chunks[this.#chunks.length - 1] = page.buffer.subarray(0, page.used)
    this.#size += chunk.length
  }

  read(at: number, length: number): Buffer {
    const pieces = this.view(at, length)
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length)
  }

  view(at: number, length: number): readonly Buffer[] {
    if (at + length > this.#size) throw shortRead(this.#path, at, length, Math.max(0, this.#size - at))
    const pieces: Buffer[] = []
    let left = length
    let from = at
    for (let index = this.#chunkAt(at); left > 0; index++) {
      const chunk = this.#chunks[index] as Buffer
      const skip = from - (this.#starts[index] as number)
      const take = Math.min(left, chunk.length - skip)
      pieces.push(take === chunk.length ? chunk : chunk.subarray(skip, skip + take))
      left -= take
      from += take
    }
    return pieces
  }

  overwrite(at: number, chunk: Buffer): void {
    let from = 0
    for (const piece of this.view(at, chunk.length)) {
      chunk.copy(piece, 0, from)
      from += piece.length
    }
  }

  truncate(size: number): void {
    const kept = this.view(0, size)
    this.#chunks = []
    this.#starts = []
    this.#size = 0
    this.#page = undefined
    for (const chunk of kept) this.#push(chunk)
  }

  sync(): void {
    // Nothing in here survives.
  }

  close(): void {
    // There is nothing to give back.
  }

  #chunkAt(position: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#starts[middle] as number) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}

function copyOf(chunk: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(chunk.length)
  chunk.copy(copy)
  return copy
}

const missing = (deed: string, path: string): Error =>
  diskError(deed, path, Object.assign(new Error('no such file'), { code: 'ENOENT' }))
