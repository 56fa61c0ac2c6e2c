/**
 * Takes the batches of one partition to its files. Appending only queues; everything that waits goes out as one write as
 * soon as the write before it has ended.
 *
 * What always holds
 * - A segment's file is made only after all bytes of the one before it are on the disk. So after a crash only the last
 *   segment can have a torn tail: whatever is wrong in an earlier one is damage.
 * - `durable` ≤ `written` ≤ what was appended, each up to a batch boundary, and none ever goes back.
 * - A file and its name are both synced before `durable` moves over its bytes.
 */
import type { FanlaneError } from '../../errors.ts'
import type { Disk, DiskFile } from './disk.ts'
import { Fifo } from './fifo.ts'
import type { Flushable, Flusher } from './flusher.ts'
import type { Segment } from './segment.ts'
import { Waiters } from './waiters.ts'

const writeBytesMax = 8 * 1_048_576

interface Work {
  readonly segment: Segment
  readonly batches: Buffer[]
  bytes: number
  /** The position after the last of these batches. */
  end: number
}

export interface WriterHooks {
  /** These batches are in the file now, in order. */
  wrote(batches: readonly Buffer[]): void
  /** The high watermark moved. */
  advanced(): void
  /** This segment is complete and on the disk; the next one is about to begin. */
  closed(segment: Segment): Promise<void>
}

export class LogWriter implements Flushable {
  written: number
  durable: number
  readonly #flusher: Flusher
  readonly #disk: Disk
  readonly #directory: string
  readonly #hooks: WriterHooks
  readonly #queue = new Fifo<Work>()
  readonly #writtenWaiters = new Waiters()
  readonly #committedWaiters = new Waiters()
  /** The segment that is written to; its file is opened when there is something to write. */
  #segment: Segment
  #file: DiskFile | undefined
  #writing: Promise<void> | undefined
  #syncing: Promise<void> | undefined
  /** Directories with names in them that may not be on the disk yet. */
  readonly #unsynced: Set<string>
  #failure: FanlaneError | undefined
  /** Nobody minds any more what becomes of it. */
  #isAbandoned = false

  constructor(
    flusher: Flusher,
    disk: Disk,
    directory: string,
    segment: Segment,
    position: number,
    unsynced: readonly string[],
    hooks: WriterHooks,
  ) {
    this.#flusher = flusher
    this.#disk = disk
    this.#directory = directory
    this.#unsynced = new Set(unsynced)
    this.#hooks = hooks
    this.#segment = segment
    this.written = position
    this.durable = position
    flusher.join(this)
  }

  /** Consumers may read up to here. */
  get committed(): number {
    return this.#flusher.policy === 'always' ? this.durable : this.written
  }

  get failure(): FanlaneError | undefined {
    return this.#failure
  }

  enqueue(segment: Segment, batch: Buffer, end: number): void {
    const last = this.#queue.last
    if (last !== undefined && last.segment === segment && last.bytes < writeBytesMax) {
      last.batches.push(batch)
      last.bytes += batch.length
      last.end = end
    } else this.#queue.push({ segment, batches: [batch], bytes: batch.length, end })
    this.#flusher.queued(batch.length)
    this.#writing ??= this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    // Not before the end of this turn: a request with many batches, or many requests in one packet, share a write.
    await undefined
    try {
      for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
        try {
          await this.#write(work)
        } finally {
          this.#flusher.unqueued(work.bytes)
        }
      }
    } catch (error) {
      if (!this.#isAbandoned) this.#flusher.fail(error)
    } finally {
      this.#writing = undefined
    }
  }

  async #write({ segment, batches, bytes, end }: Work): Promise<void> {
    if (segment !== this.#segment) await this.#switchTo(segment)
    const file = this.#file ?? (await this.#open(segment))
    const writing = file.append(batches)
    if (writing instanceof Promise) await writing
    if (this.#failure !== undefined) return
    segment.written += bytes
    this.written = end
    this.#hooks.wrote(batches)
    this.#writtenWaiters.reached(end)
    if (this.#disk.isVolatile) this.durable = end
    else this.#flusher.wrote(this)
    if (this.#flusher.policy !== 'always' || this.#disk.isVolatile) this.#advanced()
  }

  #advanced(): void {
    this.#committedWaiters.reached(this.committed)
    this.#hooks.advanced()
  }

  /** Another segment begins. */
  async #switchTo(segment: Segment): Promise<void> {
    await this.sync()
    if (this.#failure !== undefined) throw this.#failure
    await this.#hooks.closed(this.#segment)
    if (this.#file !== undefined) this.#segment.file.release()
    this.#file = undefined
    this.#segment = segment
  }

  async #open(segment: Segment): Promise<DiskFile> {
    const file = await segment.file.acquire('create')
    this.#file = file
    this.#unsynced.add(this.#directory)
    return file
  }

  /** Everything written so far is on the disk when this resolves. */
  async sync(): Promise<void> {
    const target = this.written
    while (this.durable < target || this.#unsynced.size > 0) {
      if (this.#failure !== undefined) throw this.#failure
      this.#syncing ??= this.#syncOnce().finally(() => {
        this.#syncing = undefined
      })
      await this.#syncing
    }
  }

  async #syncOnce(): Promise<void> {
    try {
      const target = this.written
      // Taken out now: a file that is made while this runs needs a sync of its own.
      const directories = [...this.#unsynced]
      this.#unsynced.clear()
      await Promise.all([this.#file?.sync(), ...directories.map((path) => this.#disk.syncDirectory(path))])
      if (this.#failure !== undefined) throw this.#failure
      if (target <= this.durable) return
      this.durable = target
      if (this.#flusher.policy === 'always') this.#advanced()
    } catch (error) {
      throw this.#isAbandoned ? error : this.#flusher.fail(error)
    }
  }

  /** undefined: it is already. */
  whenWritten(position: number): Promise<void> | undefined {
    if (position <= this.written) return undefined
    return this.#failure === undefined ? this.#writtenWaiters.wait(position) : Promise.reject(this.#failure)
  }

  /** Durable as far as the policy promises it: the high watermark has got there. */
  whenCommitted(position: number): Promise<void> | undefined {
    if (position <= this.committed) return undefined
    return this.#failure === undefined ? this.#committedWaiters.wait(position) : Promise.reject(this.#failure)
  }

  fail(error: FanlaneError): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      this.#flusher.unqueued(work.bytes)
    }
    this.#writtenWaiters.fail(error)
    this.#committedWaiters.fail(error)
  }

  /** All that was appended is on the disk, and the file is closed. */
  async close(end: number): Promise<void> {
    await this.whenWritten(end)
    await this.sync()
    this.#letGo()
  }

  /** Stops as it is: the partition is deleted, or the disk has failed. */
  async abandon(reason: FanlaneError): Promise<void> {
    this.#isAbandoned = true
    this.#flusher.leave(this)
    this.fail(reason)
    await this.#writing
    await Promise.allSettled([this.#syncing])
    this.#letGo()
  }

  #letGo(): void {
    this.#flusher.leave(this)
    if (this.#file !== undefined) this.#segment.file.release()
    this.#file = undefined
    this.#segment.file.discard()
  }
}
