/**
 * Everything that takes segments out of a log or puts another in their place: deleting records, retention, compaction.
 * One job after the other, so that none finds a segment gone that it has just looked at.
 *
 * What always holds: the checkpoint on disk says what is about to happen before any file is touched. So a file that a
 * crash brings back is recognised, and none is missed.
 */
import type { FanlaneError } from '../../errors.ts'
import type { LogConfig } from './config.ts'
import type { LogDamagedError } from './damage.ts'
import type { ReadableLog } from './log-reader.ts'
import { Turns } from './one-at-a-time.ts'
import { type CleanedFile, discardCleaned, swapIn } from './replacement.ts'
import { deletable } from './retention.ts'
import type { Segment } from './segment.ts'
import { removeSegmentFiles } from './segment-indexes.ts'

/** The log as it lets itself be changed. */
export interface Trimmable extends ReadableLog {
  readonly directory: string
  readonly segments: Segment[]
  readonly config: LogConfig
  readonly logStartOffset: number
  readonly highWatermark: number
  readonly damage: LogDamagedError | undefined
}

export interface TrimmerHooks {
  /** An empty segment behind the last one. */
  addSegment(): void
  /** The log starts here from now on. */
  startAt(offset: number): void
  /** Batches up to here were replaced: there are holes now, and no copy of the old ones may be served. */
  replacedBefore(offset: number): void
  /** What holds now is on the disk when this returns. */
  checkpoint(): Promise<void>
  /** Half of something is done and the disk refused the rest. */
  fail(error: unknown): FanlaneError
}

export class Trimmer {
  readonly #log: Trimmable
  readonly #hooks: TrimmerHooks
  readonly #turns = new Turns()

  constructor(log: Trimmable, hooks: TrimmerHooks) {
    this.#log = log
    this.#hooks = hooks
  }

  /** No job is under way. */
  idle(): Promise<void> {
    return this.#turns.take(() => Promise.resolve())
  }

  #take<T>(job: () => Promise<T>): Promise<T> {
    return this.#turns.take(() => {
      // After an error of the disk nothing is acknowledged any more, not even that there is nothing to do.
      const { storage, damage } = this.#log
      const failure = storage.flusher.failure ?? (damage?.isAtEnd === true ? damage : undefined)
      return failure === undefined ? job() : Promise.reject(failure)
    })
  }

  deleteRecordsBefore(offset: number): Promise<void> {
    return this.#take(async () => {
      const { segments, highWatermark, logStartOffset } = this.#log
      const start = Math.min(offset, highWatermark)
      if (start <= logStartOffset) return
      const next = segments.findIndex(({ baseOffset }) => baseOffset > start)
      await this.#drop((next < 0 ? segments.length : next) - 1, start)
    })
  }

  applyRetention(nowMs: number): Promise<number> {
    return this.#take(async () => {
      const log = this.#log
      const { storage, segments, config, highWatermark, logStartOffset } = log
      const timeOf = async (segment: Segment): Promise<number> => {
        if (segment !== segments.at(-1)) await storage.indexes.get(storage.disk, segment, log.dense)
        return segment.maxTimestampMs >= 0 ? segment.maxTimestampMs : segment.createdMs
      }
      const count = await deletable({ segments, config, highWatermark, logStartOffset, nowMs, timeOf })
      if (count > 0) await this.#drop(count, logStartOffset)
      return count
    })
  }

  async #drop(count: number, start: number): Promise<void> {
    const { storage, directory, segments } = this.#log
    if (count === segments.length) this.#hooks.addSegment()
    const gone = segments.splice(0, count)
    this.#hooks.startAt(Math.max(start, segments[0]?.baseOffset ?? start))
    await this.#hooks.checkpoint()
    await this.#orFail(async () => {
      for (const segment of gone) {
        segment.file.discard()
        storage.indexes.forget(segment)
        await removeSegmentFiles(storage.disk, directory, segment.baseOffset)
      }
    })
  }

  replaceSegments(old: readonly Segment[], cleaned: CleanedFile): Promise<boolean> {
    return this.#take(async () => {
      const { storage, directory, segments, config } = this.#log
      const first = segments.indexOf(old[0] as Segment)
      if (first < 0 || !old.every((segment, index) => segments[first + index] === segment)) {
        await discardCleaned(storage.disk, directory, cleaned)
        return false
      }
      this.#hooks.replacedBefore(-1)
      await this.#hooks.checkpoint()
      const segment = await this.#orFail(() => swapIn(this.#log, old, cleaned, config.indexIntervalBytes))
      this.#hooks.replacedBefore(segment.nextOffset)
      return true
    })
  }

  async #orFail<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await job()
    } catch (error) {
      throw this.#hooks.fail(error)
    }
  }
}
