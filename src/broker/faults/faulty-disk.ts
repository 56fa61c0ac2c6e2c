/**
 * A disk with planted faults around a real one: errors, delays, and the end of the world at a given byte. For tests of the
 * broker as a whole; the log's own crash tests simulate the disk itself.
 */
import { OptionError } from '../../errors.ts'
import type { BrokerClock } from '../clock.ts'
import type { Disk, DiskFile, Eventually } from '../log/disk.ts'
import { FaultBed, type PlantedFault } from './planted.ts'

export type DiskOperation = 'write' | 'sync' | 'read'

export interface DiskFault {
  readonly operation: DiskOperation
  /** Fails with this system error: 'EIO', 'ENOSPC' … */
  readonly error?: string
  /** Takes this much longer. */
  readonly delayMs?: number
  /** `write` only: this many bytes are still written, counted from when it is planted, then the broker dies in the middle of the write. */
  readonly crashAfterBytes?: number
  readonly times?: number
}

const operations: readonly string[] = ['write', 'sync', 'read']

export class DiskFaults {
  readonly #bed = new FaultBed<DiskFault>()
  /** Bytes that went through while a crash waited for its byte. */
  #written = 0
  readonly #clock: BrokerClock
  readonly #crash: () => void

  constructor(clock: BrokerClock, crash: () => void) {
    this.#clock = clock
    this.#crash = crash
  }

  inject(fault: DiskFault): PlantedFault {
    if (!operations.includes(fault.operation)) {
      throw new OptionError(
        'OPTION_INVALID',
        'operation',
        `A fault needs an operation out of ${operations.join(', ')}; it is '${String(fault.operation)}'.`,
      )
    }
    if (fault.error === undefined && fault.delayMs === undefined && fault.crashAfterBytes === undefined) {
      throw new OptionError(
        'OPTION_INVALID',
        'error',
        'A fault has to say what shall happen: error, delayMs or crashAfterBytes.',
      )
    }
    return this.#bed.plant(fault)
  }

  clear(): void {
    this.#bed.clear()
    this.#written = 0
  }

  get isEmpty(): boolean {
    return this.#bed.isEmpty
  }

  async strike<T>(operation: DiskOperation, work: () => Eventually<T>): Promise<T> {
    for (const planted of this.#bed) {
      const { fault } = planted
      if (fault.operation !== operation || fault.crashAfterBytes !== undefined) continue
      this.#bed.strike(planted)
      const { delayMs, error } = fault
      if (delayMs !== undefined) await new Promise<void>((resolve) => this.#clock.timer(delayMs, resolve))
      if (error !== undefined) throw Object.assign(new Error(`${error}: planted fault, ${operation}`), { code: error })
    }
    return work()
  }

  /** The bytes of a write that still reach the disk; fewer than asked for: the broker dies with this write. */
  bytesBeforeCrash(length: number): number {
    for (const planted of this.#bed) {
      const { operation, crashAfterBytes } = planted.fault
      if (operation !== 'write' || crashAfterBytes === undefined) continue
      const left = crashAfterBytes - this.#written
      if (left >= length) {
        this.#written += length
        continue
      }
      this.#bed.strike(planted)
      return left
    }
    return length
  }

  crash(): void {
    this.#crash()
  }
}

export function faultyDisk(disk: Disk, faults: DiskFaults): Disk {
  return {
    isVolatile: disk.isVolatile,
    open: (path, mode) => {
      // A disk in memory answers at once, and its readers rely on it.
      const file = disk.open(path, mode)
      return file instanceof Promise ? file.then((opened) => faultyFile(opened, faults)) : faultyFile(file, faults)
    },
    size: (path) => disk.size(path),
    readFile: (path) => disk.readFile(path),
    makeDirectory: (path) => disk.makeDirectory(path),
    list: (directory) => disk.list(directory),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    removeDirectory: (path) => disk.removeDirectory(path),
    syncDirectory: (path) => disk.syncDirectory(path),
  }
}

function faultyFile(file: DiskFile, faults: DiskFaults): DiskFile {
  const faulty: DiskFile = {
    get size() {
      return file.size
    },
    append: (chunks) => (faults.isEmpty ? file.append(chunks) : appendWithFaults(file, chunks, faults)),
    read: (at, length) => (faults.isEmpty ? file.read(at, length) : faults.strike('read', () => file.read(at, length))),
    overwrite: (at, chunk) => file.overwrite(at, chunk),
    truncate: (size) => file.truncate(size),
    sync: () => (faults.isEmpty ? file.sync() : faults.strike('sync', () => file.sync())),
    close: () => file.close(),
  }
  const { view } = file
  return view === undefined ? faulty : Object.assign(faulty, { view: view.bind(file) })
}

async function appendWithFaults(file: DiskFile, chunks: readonly Buffer[], faults: DiskFaults): Promise<void> {
  const bytes = Buffer.concat(chunks)
  const reaching = faults.bytesBeforeCrash(bytes.length)
  if (reaching < bytes.length) {
    await file.append([bytes.subarray(0, reaching)])
    faults.crash()
    throw new Error('planted fault: the broker died in the middle of this write')
  }
  return faults.strike('write', () => file.append(chunks))
}
