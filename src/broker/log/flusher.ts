/**
 * Group commit for all partitions. Each partition writes by itself, one writev at a time with everything that waits
 * (log-writer.ts); what was written is synced here: whoever has written something gets in line, and one sync covers all
 * that was written before it began. So the slower the disk, the more batches share a sync.
 *
 * Policies: `always` syncs at once, and the high watermark waits for it; `interval` syncs now and then, `os` never, and
 * the high watermark follows the writes.
 * What always holds: after the first disk error nothing is acknowledged any more, and nothing is tried again. After a failed
 * fsync the system may have thrown the bytes away and report success the next time. The owner hears of it once and has
 * to end the process; recovery finds out what is really there.
 */
import { FanlaneError } from '../../errors.ts'
import { Fifo } from './fifo.ts'

export type SyncPolicy = 'always' | 'interval' | 'os'

export interface FlusherOptions {
  readonly policy: SyncPolicy
  /** For the policy `interval`. */
  readonly intervalMs?: number
  readonly timer: (delayMs: number, callback: () => void) => () => void
  /** Syncs that run at the same time. Node has four threads for files; writes need one of them. */
  readonly syncsMax?: number
  /** Bytes that may wait for the disk before `whenRoom` makes producers wait. */
  readonly pendingBytesMax?: number
  readonly onFatal: (error: FanlaneError) => void
}

/** A partition as the flusher sees it. */
export interface Flushable {
  /** Syncs everything written so far. */
  sync(): Promise<void>
  fail(error: FanlaneError): void
}

export class Flusher {
  readonly policy: SyncPolicy
  readonly #options: FlusherOptions
  readonly #members = new Set<Flushable>()
  readonly #line = new Fifo<Flushable>()
  readonly #inLine = new Set<Flushable>()
  readonly #syncing = new Set<Flushable>()
  #cancelTimer: (() => void) | undefined
  #failure: FanlaneError | undefined
  #pendingBytes = 0
  #room: PromiseWithResolvers<void> | undefined

  constructor(options: FlusherOptions) {
    this.#options = options
    this.policy = options.policy
  }

  get failure(): FanlaneError | undefined {
    return this.#failure
  }

  /** Appended and not yet written, over all partitions. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** Before a large append: undefined if there is room, else wait for this. Rejects after a disk error. */
  whenRoom(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#pendingBytes <= this.#pendingBytesMax) return undefined
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  get #pendingBytesMax(): number {
    return this.#options.pendingBytesMax ?? 64 * 1_048_576
  }

  join(member: Flushable): void {
    this.#members.add(member)
  }

  leave(member: Flushable): void {
    this.#members.delete(member)
    this.#inLine.delete(member)
  }

  queued(bytes: number): void {
    this.#pendingBytes += bytes
  }

  /** Bytes that were queued are in the file, or will never be. */
  unqueued(bytes: number): void {
    this.#pendingBytes -= bytes
    if (this.#room === undefined || this.#pendingBytes > this.#pendingBytesMax / 2) return
    this.#room.resolve()
    this.#room = undefined
  }

  /** There is something to sync. */
  wrote(member: Flushable): void {
    if (this.policy === 'os' || this.#inLine.has(member)) return
    this.#inLine.add(member)
    if (this.policy === 'interval') {
      this.#cancelTimer ??= this.#options.timer(this.#options.intervalMs ?? 1_000, () => this.#syncAll())
    } else if (!this.#syncing.has(member)) this.#line.push(member)
    this.#syncNext()
  }

  #syncAll(): void {
    this.#cancelTimer = undefined
    for (const member of this.#inLine) if (!this.#syncing.has(member)) this.#line.push(member)
    this.#syncNext()
  }

  #syncNext(): void {
    while (this.#syncing.size < (this.#options.syncsMax ?? 3) && this.#failure === undefined) {
      const member = this.#line.shift()
      if (member === undefined) return
      // Whoever left meanwhile was synced by its own closing.
      if (!this.#inLine.delete(member)) continue
      this.#syncing.add(member)
      member.sync().then(
        () => this.#synced(member),
        (error: unknown) => {
          // Whoever left does not mind any more.
          if (this.#members.has(member)) this.fail(error)
          this.#synced(member)
        },
      )
    }
  }

  #synced(member: Flushable): void {
    this.#syncing.delete(member)
    // It wrote more while it was synced: once again, behind the others.
    if (this.#inLine.has(member) && this.policy === 'always') this.#line.push(member)
    this.#syncNext()
  }

  /** Something could not be written or synced: the end. */
  fail(cause: unknown): FanlaneError {
    if (this.#failure !== undefined) return this.#failure
    const why = cause instanceof Error ? cause.message : String(cause)
    const error = new FanlaneError(
      'LOG_FAILED',
      `The log cannot be written any more. ${why} Nothing is acknowledged from now on; start the broker again when the ` +
        'cause is gone, it recovers everything that was acknowledged.',
      { cause },
    )
    this.#failure = error
    this.close()
    for (const member of this.#members) member.fail(error)
    this.#room?.reject(error)
    // The owner is told below; whoever waits is told as well, and need not be there any more.
    this.#room?.promise.catch(() => error)
    this.#options.onFatal(error)
    return error
  }

  close(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }
}
