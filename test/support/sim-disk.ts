/**
 * A disk that can crash. Every operation is told to an observer before it takes effect; at any such moment `capture()`
 * keeps the whole disk as it is, and from a capture every state can be built that a crash could leave behind:
 *
 * - the process dies: the system keeps what was written so far, a write may be torn after any byte;
 * - the machine dies: of everything that was not synced any part is lost, file contents by blocks of 512 bytes, names
 *   in directories one by one. A name survives without the bytes of its file, bytes survive without a name.
 *
 * A failed sync is as treacherous as on Linux: the bytes can still be read, the system believes them written, the next
 * sync succeeds, and a crash of the machine loses them all the same.
 * Contents are never changed in place, so captures share them.
 */
import { type Disk, type DiskFile, diskError, type Eventually, shortRead } from '../../src/broker/log/disk.ts'

export const blockBytes = 512

export type Operation =
  | { readonly kind: 'append' | 'overwrite'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'sync' | 'create' | 'remove' | 'syncDirectory' | 'rename' | 'read'; readonly path: string }

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }

interface Inode {
  /** As the running system sees it. */
  content: Buffer
  /** As it is on the platter. */
  durable: Buffer
  /** What the system will write one day, or with the next sync. */
  pending: readonly Change[]
}

interface Directory {
  /** The directory above it was synced since this one was made. */
  isDurable: boolean
  names: ReadonlyMap<string, Inode>
  durable: ReadonlyMap<string, Inode>
  pending: readonly NameChange[]
}

/** null: the name is gone. A rename is two of them that happen together. */
type NameChange = readonly (readonly [name: string, inode: Inode | null])[]

type State = Map<string, Directory>

export interface SimDiskHooks {
  /** Before the operation takes effect. Throwing is an error of the disk; `bytesDone` in it tells how far a write got. */
  before?(operation: Operation): void
  /** Present: operations end when this calls back, in any order. Absent: at once. */
  later?(end: () => void): void
}

const nothing = Buffer.alloc(0)

export class SimDisk implements Disk {
  readonly isVolatile: boolean = false
  hooks: SimDiskHooks
  #directories: State

  constructor(hooks: SimDiskHooks = {}, capture?: Capture) {
    this.hooks = hooks
    this.#directories = capture === undefined ? new Map() : capture.copy()
  }

  capture(): Capture {
    return new Capture(copyState(this.#directories))
  }

  /** The content of every file, for comparing. */
  files(): Map<string, Buffer> {
    const found = new Map<string, Buffer>()
    for (const [path, { names }] of this.#directories) {
      for (const [name, inode] of names) found.set(`${path}/${name}`, inode.content)
    }
    return found
  }

  /** Replaces bytes behind the log's back, on the platter too: bit rot. */
  damage(path: string, change: (content: Buffer) => Buffer): void {
    const inode = this.#inode(path)
    if (inode === undefined) throw missing('damage', path)
    inode.content = change(Buffer.from(inode.content))
    inode.durable = inode.content
    inode.pending = []
  }

  open(path: string, mode: 'existing' | 'create'): Eventually<DiskFile> {
    let inode = this.#inode(path)
    if (inode === undefined) {
      if (mode === 'existing') throw missing('open', path)
      this.#tell({ kind: 'create', path })
      inode = { content: nothing, durable: nothing, pending: [] }
      this.#rename(path, [[baseOf(path), inode]])
    }
    return this.#end(new SimFile(this, path, inode))
  }

  size(path: string): number {
    const inode = this.#inode(path)
    if (inode === undefined) throw missing('read the size of', path)
    return inode.content.length
  }

  readFile(path: string): Buffer | undefined {
    this.#tell({ kind: 'read', path })
    return this.#inode(path)?.content
  }

  makeDirectory(path: string): void {
    if (this.#directories.has(path)) return
    const above = parentOf(path)
    if (above !== '') this.makeDirectory(above)
    // A directory without anything above it is the disk itself.
    const isDurable = above === ''
    this.#directories.set(path, { isDurable, names: new Map(), durable: new Map(), pending: [] })
  }

  list(directory: string): readonly string[] {
    return [...(this.#directories.get(directory)?.names.keys() ?? [])]
  }

  rename(from: string, to: string): Eventually<void> {
    const inode = this.#inode(from)
    if (inode === undefined) throw missing('rename', from)
    this.#tell({ kind: 'rename', path: from })
    this.#rename(from, [
      [baseOf(from), null],
      [baseOf(to), inode],
    ])
    return this.#end(undefined)
  }

  remove(path: string): Eventually<void> {
    if (this.#inode(path) === undefined) return undefined
    this.#tell({ kind: 'remove', path })
    this.#rename(path, [[baseOf(path), null]])
    return this.#end(undefined)
  }

  removeDirectory(path: string): void {
    this.#directories.delete(path)
  }

  syncDirectory(path: string): Eventually<void> {
    const directory = this.#directories.get(path)
    if (directory === undefined) return undefined
    this.#tell({ kind: 'syncDirectory', path })
    const { pending } = directory
    const below = [...this.#directories].filter(([name]) => parentOf(name) === path)
    return this.#end(undefined, () => {
      for (const [, child] of below) child.isDurable = true
      const still = directory.pending.filter((change) => pending.includes(change))
      directory.durable = still.reduce(withNames, directory.durable)
      directory.pending = directory.pending.filter((change) => !pending.includes(change))
    })
  }

  // For the files -----------------------------------------------------------------------------------------------------

  tell(operation: Operation): void {
    this.#tell(operation)
  }

  end<T>(value: T, effect?: () => void): Eventually<T> {
    return this.#end(value, effect)
  }

  #tell(operation: Operation): void {
    this.hooks.before?.(operation)
  }

  #end<T>(value: T, effect?: () => void): Eventually<T> {
    const { later } = this.hooks
    if (later === undefined) {
      effect?.()
      return value
    }
    return new Promise((resolve) => {
      later.call(this.hooks, () => {
        effect?.()
        resolve(value)
      })
    })
  }

  #inode(path: string): Inode | undefined {
    return this.#directories.get(parentOf(path))?.names.get(baseOf(path))
  }

  #rename(path: string, change: NameChange): void {
    const directory = this.#directories.get(parentOf(path))
    if (directory === undefined) throw missing('change', parentOf(path))
    directory.names = withNames(directory.names, change)
    directory.pending = [...directory.pending, change]
  }
}

class SimFile implements DiskFile {
  readonly #disk: SimDisk
  readonly #path: string
  readonly #inode: Inode

  constructor(disk: SimDisk, path: string, inode: Inode) {
    this.#disk = disk
    this.#path = path
    this.#inode = inode
  }

  get size(): number {
    return this.#inode.content.length
  }

  append(chunks: readonly Buffer[]): Eventually<void> {
    return this.#write('append', this.#inode.content.length, Buffer.concat(chunks))
  }

  overwrite(at: number, chunk: Buffer): Eventually<void> {
    return this.#write('overwrite', at, Buffer.from(chunk))
  }

  #write(kind: 'append' | 'overwrite', at: number, bytes: Buffer): Eventually<void> {
    try {
      this.#disk.tell({ kind, path: this.#path, at, bytes })
    } catch (error) {
      const { bytesDone } = error as { bytesDone?: number }
      if (bytesDone !== undefined && bytesDone > 0) write(this.#inode, at, bytes.subarray(0, bytesDone))
      throw error
    }
    write(this.#inode, at, bytes)
    return this.#disk.end(undefined)
  }

  truncate(size: number): Eventually<void> {
    this.#disk.tell({ kind: 'truncate', path: this.#path, size })
    const change: Change = { kind: 'truncate', size }
    this.#inode.content = applied(this.#inode.content, change)
    this.#inode.pending = [...this.#inode.pending, change]
    return this.#disk.end(undefined)
  }

  read(at: number, length: number): Eventually<Buffer> {
    this.#disk.tell({ kind: 'read', path: this.#path })
    const { content } = this.#inode
    if (at + length > content.length) throw shortRead(this.#path, at, length, Math.max(0, content.length - at))
    return this.#disk.end(content.subarray(at, at + length))
  }

  sync(): Eventually<void> {
    const inode = this.#inode
    const { pending } = inode
    try {
      this.#disk.tell({ kind: 'sync', path: this.#path })
    } catch (error) {
      // The system gives up on these bytes and forgets that they were ever dirty.
      inode.pending = []
      throw error
    }
    return this.#disk.end(undefined, () => {
      const still = inode.pending.filter((change) => pending.includes(change))
      inode.durable = still.reduce(applied, inode.durable)
      inode.pending = inode.pending.filter((change) => !pending.includes(change))
    })
  }

  close(): void {}
}

/** A moment in the life of a disk. */
export class Capture {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  copy(): State {
    return copyState(this.#state)
  }

  /** The process dies while this operation is under way and has got that many bytes far. */
  processCrash(operation?: Operation, bytesDone = 0): Capture {
    const state = this.copy()
    if (operation !== undefined) begin(state, operation, bytesDone)
    return new Capture(state)
  }

  /** The machine dies as well: `isKept` is asked for every block and every name that was not synced. */
  machineCrash(isKept: () => boolean): Capture {
    const surviving = new Map<Inode, Inode>()
    const survivor = (inode: Inode): Inode => {
      const known = surviving.get(inode)
      if (known !== undefined) return known
      const content = inode.pending.length === 0 ? inode.durable : mixed(inode, isKept)
      const made: Inode = { content, durable: content, pending: [] }
      surviving.set(inode, made)
      return made
    }
    const state: State = new Map()
    // Directories come after those that they are in.
    for (const [path, directory] of this.#state) {
      const above = parentOf(path)
      if (above !== '' && !state.has(above)) continue
      if (!directory.isDurable && !isKept()) continue
      let names = directory.durable
      for (const change of directory.pending) if (isKept()) names = withNames(names, change)
      const kept = new Map<string, Inode>()
      for (const [name, inode] of names) kept.set(name, survivor(inode))
      state.set(path, { isDurable: true, names: kept, durable: kept, pending: [] })
    }
    return new Capture(state)
  }

  /** Whether anything would be lost with the machine. */
  get isAllDurable(): boolean {
    for (const { names, pending } of this.#state.values()) {
      if (pending.length > 0) return false
      for (const inode of names.values()) if (inode.pending.length > 0 || inode.content !== inode.durable) return false
    }
    return true
  }
}

/** The blocks of unsynced writes, each there or not; the file as long as its last surviving byte, or as it should be. */
function mixed(inode: Inode, isKept: () => boolean): Buffer {
  let content = inode.durable
  let size = content.length
  for (const change of inode.pending) {
    if (change.kind === 'truncate') {
      if (isKept()) content = applied(content, change)
      size = Math.max(content.length, Math.min(size, change.size))
      continue
    }
    const { at, bytes } = change
    size = Math.max(size, at + bytes.length)
    for (let from = at; from < at + bytes.length; ) {
      const to = Math.min(at + bytes.length, from - (from % blockBytes) + blockBytes)
      if (isKept()) content = applied(content, { kind: 'write', at: from, bytes: bytes.subarray(from - at, to - at) })
      from = to
    }
  }
  return content.length < size && isKept() ? Buffer.concat([content], size) : content
}

function begin(state: State, operation: Operation, bytesDone: number): void {
  if (operation.kind !== 'append' && operation.kind !== 'overwrite') return
  const inode = state.get(parentOf(operation.path))?.names.get(baseOf(operation.path))
  if (inode !== undefined && bytesDone > 0) write(inode, operation.at, operation.bytes.subarray(0, bytesDone))
}

function write(inode: Inode, at: number, bytes: Buffer): void {
  const change: Change = { kind: 'write', at, bytes }
  inode.content = applied(inode.content, change)
  inode.pending = [...inode.pending, change]
}

function applied(content: Buffer, change: Change): Buffer {
  if (change.kind === 'truncate') {
    return change.size <= content.length ? content.subarray(0, change.size) : Buffer.concat([content], change.size)
  }
  const { at, bytes } = change
  if (at === content.length) return Buffer.concat([content, bytes])
  const result = Buffer.alloc(Math.max(content.length, at + bytes.length))
  content.copy(result)
  bytes.copy(result, at)
  return result
}

function withNames(names: ReadonlyMap<string, Inode>, change: NameChange): ReadonlyMap<string, Inode> {
  const result = new Map(names)
  for (const [name, inode] of change) {
    if (inode === null) result.delete(name)
    else result.set(name, inode)
  }
  return result
}

function copyState(state: State): State {
  const copies = new Map<Inode, Inode>()
  const copyOf = (inode: Inode): Inode => {
    let copy = copies.get(inode)
    if (copy === undefined) {
      copy = { ...inode }
      copies.set(inode, copy)
    }
    return copy
  }
  const copyNames = (names: ReadonlyMap<string, Inode>): Map<string, Inode> => {
    const copied = new Map<string, Inode>()
    for (const [name, inode] of names) copied.set(name, copyOf(inode))
    return copied
  }
  const copied: State = new Map()
  for (const [path, { isDurable, names, durable, pending }] of state) {
    copied.set(path, {
      isDurable,
      names: copyNames(names),
      durable: copyNames(durable),
      pending: pending.map((change) => change.map(([name, inode]) => [name, inode === null ? null : copyOf(inode)])),
    })
  }
  return copied
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function missing(deed: string, path: string): Error {
  return diskError(deed, path, Object.assign(new Error('no such file'), { code: 'ENOENT' }))
}
