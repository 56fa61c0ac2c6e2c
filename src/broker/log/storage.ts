/**
 * What all partitions of a broker share: the disk, group commit, and the three bounded caches (newest batches, indexes of
 * closed segments, open files).
 */
import type { FanlaneError } from '../../errors.ts'
import type { Disk } from './disk.ts'
import { Flusher, type SyncPolicy } from './flusher.ts'
import { OpenFiles } from './open-files.ts'
import { IndexCache } from './segment-indexes.ts'
import { TailCache } from './tail-cache.ts'

/** The part of the broker's clock that the log needs. */
export interface LogClock {
  now(): number
  timer(delayMs: number, callback: () => void): () => void
}

export interface LogStorageOptions {
  readonly disk: Disk
  /** The directory that all partitions lie in, at any depth. It exists for good; what is below it is seen to here. */
  readonly root?: string
  readonly clock: LogClock
  /** Default `always`. A disk in memory is never synced. */
  readonly syncPolicy?: SyncPolicy
  readonly syncIntervalMs?: number
  /** Syncs at the same time. */
  readonly syncsMax?: number
  /** Bytes that wait for the disk before producers are made to wait. */
  readonly pendingBytesMax?: number
  /** Newest batches of all partitions, in memory for consumers that keep up. */
  readonly tailCacheBytesMax?: number
  readonly indexCacheBytesMax?: number
  /** Closed segments that stay open after they were read. */
  readonly idleFilesMax?: number
  /** How much of a partition may lie behind its checkpoint: what a start after a crash has to read again. */
  readonly checkpointBytes?: number
  /** The disk has failed: nothing is acknowledged any more, end the process. Called once. */
  readonly onFatal: (error: FanlaneError) => void
  /** Something was found and dealt with that an operator should know: a cut tail, damage, a lost checkpoint. */
  readonly onWarning?: (warning: FanlaneError) => void
}

/** Without a root: a partition, its topic, the directory of topics. */
const ancestorsByDefault = 3

export class LogStorage {
  readonly disk: Disk
  readonly clock: LogClock
  readonly flusher: Flusher
  readonly files: OpenFiles
  readonly indexes: IndexCache
  readonly tails: TailCache
  readonly checkpointBytes: number
  readonly warn: (warning: FanlaneError) => void
  readonly #root: string | undefined
  readonly #synced = new Map<string, Promise<void>>()

  constructor(options: LogStorageOptions) {
    const { disk, clock, onFatal } = options
    this.disk = disk
    this.clock = clock
    this.#root = options.root
    this.flusher = new Flusher({
      policy: disk.isVolatile ? 'os' : (options.syncPolicy ?? 'always'),
      timer: (delayMs, callback) => clock.timer(delayMs, callback),
      intervalMs: options.syncIntervalMs ?? 1_000,
      syncsMax: options.syncsMax ?? 3,
      pendingBytesMax: options.pendingBytesMax ?? 64 * 1_048_576,
      onFatal,
    })
    this.files = new OpenFiles(disk, options.idleFilesMax ?? 256, (error) => this.flusher.fail(error))
    // Memory keeps everything anyway: a second copy of its tail, or an index that has to be built again, gains nothing.
    this.indexes = new IndexCache(
      disk.isVolatile ? Number.POSITIVE_INFINITY : (options.indexCacheBytesMax ?? 16 * 1_048_576),
    )
    this.tails = new TailCache(disk.isVolatile ? 0 : (options.tailCacheBytesMax ?? 64 * 1_048_576))
    this.checkpointBytes = options.checkpointBytes ?? 64 * 1_048_576
    this.warn = options.onWarning ?? (() => undefined)
  }

  /** The directory and those above it whose names have to be synced for its own to stay. */
  ancestry(directory: string): readonly string[] {
    const root = this.#root
    const chain = [directory]
    const isInside = root !== undefined && directory.startsWith(`${root}/`)
    for (let path = directory; isInside ? path !== root : chain.length < ancestorsByDefault; ) {
      const above = parentOf(path)
      if (above === path) break
      chain.push(above)
      path = above
    }
    return chain
  }

  /** The names above a directory that was found there: once is enough, they are older than this process. */
  async syncAbove(directory: string): Promise<void> {
    for (const path of this.ancestry(directory).slice(1)) {
      let syncing = this.#synced.get(path)
      if (syncing === undefined) {
        syncing = Promise.resolve(this.disk.syncDirectory(path))
        this.#synced.set(path, syncing)
      }
      await syncing
    }
  }

  /** After all partitions are closed. */
  close(): void {
    this.flusher.close()
  }
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '.' : path.slice(0, Math.max(1, slash))
}
