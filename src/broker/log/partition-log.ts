/**
 * The log of one partition: segments of unmodified batches on a disk, and what reading them tells (producers, leader
 * epochs). Appending is synchronous and decides everything; the disk follows (log-writer.ts).
 *
 * What always holds
 * - logStartOffset ≤ lastStableOffset ≤ highWatermark ≤ logEndOffset. None of them but the last stable offset's distance
 *   ever goes back while the process lives.
 * - In a batch only base offset and leader epoch are set (and the time, with LogAppendTime); all else stays as it came.
 * - A transaction is decided for readers only when its marker is below the high watermark: otherwise a crash could take
 *   back a decision that somebody has acted upon.
 */
import { FanlaneError } from '../../errors.ts'
import { errorCodes } from '../../protocol/errors.ts'
import * as header from '../../protocol/record-batch/header.ts'
import { isWhole } from './batch-check.ts'
import type { Checkpoint } from './checkpoint.ts'
import { CheckpointKeeper } from './checkpoint-keeper.ts'
import type { LogConfig } from './config.ts'
import { LogDamagedError } from './damage.ts'
import type { Eventually } from './disk.ts'
import type { EpochEnd, LeaderEpochs } from './leader-epochs.ts'
import { type ReadableLog, type ReadResult, readSegments } from './log-reader.ts'
import type { AppendResult, OpenOptions, UpTo } from './log-types.ts'
import { LogWriter } from './log-writer.ts'
import { Turns } from './one-at-a-time.ts'
import type { ActiveProducer, Origin, ProducerStates } from './producer-state.ts'
import { type Recovered, recover } from './recovery.ts'
import { type CleanedFile, createCleaned, discardCleaned, swapIn } from './replacement.ts'
import { deletable } from './retention.ts'
import { type BatchVisitor, scanSegment } from './scan.ts'
import { Segment } from './segment.ts'
import { flushIndexes, removeSegmentFiles } from './segment-indexes.ts'
import { type LogStorage, parentOf } from './storage.ts'
import { TailWindow } from './tail-cache.ts'
import { findMaxTimestamp, findTimestamp, type TimedOffset } from './timestamps.ts'
import { UndecidedTransactions } from './undecided.ts'

export type { ReadResult } from './log-reader.ts'
export type { AppendResult, OpenOptions, UpTo } from './log-types.ts'

const outOfRange: ReadResult = { kind: 'out-of-range' }

export class PartitionLog implements ReadableLog {
  readonly storage: LogStorage
  readonly directory: string
  /** In offset order; the last one is active, perhaps still without a file. */
  readonly segments: Segment[]
  readonly epochs: LeaderEpochs
  readonly producers: ProducerStates
  /** Found when it was opened: the log can be read, up to there, and takes no appends. */
  readonly damage: LogDamagedError | undefined
  readonly leaderEpoch: number
  readonly #writer: LogWriter
  readonly #tail = new TailWindow()
  readonly #checkpoints: CheckpointKeeper
  readonly #listeners = new Set<(log: PartitionLog) => void>()
  readonly #undecided = new UndecidedTransactions()
  /** Segments are taken out or replaced by one job after the other. */
  readonly #changes = new Turns()
  #config: LogConfig
  #dense: boolean
  #start: number
  #end: number
  #isClosed = false

  static async open(options: OpenOptions): Promise<PartitionLog> {
    const { storage, directory, config } = options
    await storage.disk.makeDirectory(directory)
    const recovered = await recover({ storage, directory, config, producerOptions: options.producers ?? {} })
    const log = new PartitionLog(options, recovered)
    const last = log.#active
    if (last.written > 0 && log.damage === undefined) await log.#writer.resume(last)
    return log
  }

  private constructor(options: OpenOptions, recovered: Recovered) {
    const { storage, directory } = options
    this.storage = storage
    this.directory = directory
    this.segments = recovered.segments
    this.epochs = recovered.epochs
    this.producers = recovered.producers
    this.damage = recovered.damage
    this.#config = options.config
    this.#dense = recovered.dense
    this.#start = recovered.logStartOffset
    this.#end = recovered.logEndOffset
    if (this.segments.length === 0) this.#addSegment()
    this.leaderEpoch = Math.max(options.leaderEpoch, this.epochs.latest)
    this.epochs.begin(this.leaderEpoch, this.#end)
    this.#checkpoints = new CheckpointKeeper(
      storage.flusher,
      storage.disk,
      directory,
      { take: () => this.#takeCheckpoint(), settle: (offset) => this.#settle(offset) },
      { offset: recovered.checkpointOffset, logStartOffset: this.#start, dense: this.#dense },
      recovered.scannedBytes,
    )
    // Made just now perhaps: the first sync takes care of their names.
    const unsynced = recovered.isNew ? storage.ancestry(directory) : []
    this.#writer = new LogWriter(storage.flusher, storage.disk, directory, this.#end, unsynced, {
      wrote: (batches) => this.#wrote(batches),
      advanced: () => this.#advanced(),
      closed: (segment) => this.#closed(segment),
    })
  }

  get logStartOffset(): number {
    return this.#start
  }

  get logEndOffset(): number {
    return this.#end
  }

  get highWatermark(): number {
    return this.#writer.committed
  }

  get lastStableOffset(): number {
    return Math.min(this.#writer.committed, this.producers.firstUndecidedOffset, this.#undecided.firstOffset)
  }

  get sizeBytes(): number {
    let bytes = 0
    for (const segment of this.segments) bytes += segment.size
    return bytes
  }

  /** Compaction has never made holes. */
  get dense(): boolean {
    return this.#dense
  }

  get config(): LogConfig {
    return this.#config
  }

  setConfig(config: LogConfig): void {
    this.#config = config
  }

  get #active(): Segment {
    return this.segments[this.segments.length - 1] as Segment
  }

  /**
   * Takes the batch as it is and keeps the buffer; offsets and leader epoch are written into it. Its checksum and its
   * records were checked before. Durable is something else: see `whenDurable`, also for a duplicate.
   */
  append(batch: Buffer, origin: Origin): AppendResult {
    if (this.#isClosed || this.damage !== undefined || this.#writer.failure !== undefined) {
      return { kind: 'refused', error: errorCodes.KAFKA_STORAGE_ERROR }
    }
    if (!isWhole(batch)) return { kind: 'refused', error: errorCodes.CORRUPT_MESSAGE }
    const nowMs = this.storage.clock.now()
    const verdict = this.producers.check(batch, origin, nowMs)
    if (verdict.kind !== 'append') return verdict

    const baseOffset = this.#end
    const lastOffset = baseOffset + header.lastOffsetDelta(batch, 0)
    header.setBaseOffset(batch, 0, baseOffset)
    header.setPartitionLeaderEpoch(batch, 0, this.leaderEpoch)
    const logAppendTimeMs = this.#config.timestampType === 'LogAppendTime' ? nowMs : -1
    if (logAppendTimeMs >= 0) header.setLogAppendTime(batch, 0, logAppendTimeMs)

    const segment = this.#segmentFor(batch, lastOffset, nowMs)
    segment.append(batch)
    this.#end = lastOffset + 1
    const openBefore = this.producers.firstUndecidedOffset
    this.producers.apply(batch, nowMs)
    if (this.producers.firstUndecidedOffset > openBefore) this.#undecided.decided(openBefore, lastOffset)
    this.#writer.enqueue(segment, batch, this.#end)
    return { kind: 'appended', baseOffset, lastOffset, logAppendTimeMs }
  }

  #segmentFor(batch: Buffer, lastOffset: number, nowMs: number): Segment {
    const active = this.#active
    const { segmentBytes, segmentMs } = this.#config
    const age = active.ageAt(header.maxTimestamp(batch, 0), nowMs)
    if (active.hasRoomFor(batch.length, lastOffset, segmentBytes) && (active.size === 0 || age <= segmentMs))
      return active
    active.finish()
    return this.#addSegment()
  }

  /** Begins a new segment: only closed ones are deleted or compacted. */
  roll(): void {
    if (this.#active.size === 0) return
    this.#active.finish()
    this.#addSegment()
  }

  #addSegment(): Segment {
    const { files, clock } = this.storage
    const segment = new Segment(files, this.directory, this.#end, 0, this.#config.indexIntervalBytes, clock.now())
    this.segments.push(segment)
    return segment
  }

  /** The batch that ends before this position is in its file; undefined: it is already. Rejects if the disk failed. */
  whenWritten(position: number): Promise<void> | undefined {
    return this.#writer.whenWritten(position)
  }

  /** The high watermark has got there: as durable as the sync policy promises. undefined: it is already. */
  whenDurable(position: number): Promise<void> | undefined {
    return this.#writer.whenCommitted(position)
  }

  /** High watermark, last stable offset or log start have moved. Returns what ends it. */
  onAdvance(listener: (log: PartitionLog) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #wrote(batches: readonly Buffer[]): void {
    for (const batch of batches) {
      this.storage.tails.add(this.#tail, batch)
      this.#checkpoints.bytesSince += batch.length
    }
    if (this.#checkpoints.bytesSince < this.storage.checkpointBytes) return
    this.#checkpoints.bytesSince = 0
    // An error has been told to the owner by then.
    this.#checkpoints.save().catch((error: unknown) => error)
  }

  #advanced(): void {
    this.#undecided.settle(this.#writer.committed)
    for (const listener of this.#listeners) listener(this)
  }

  async #closed(segment: Segment): Promise<void> {
    if (!this.segments.includes(segment)) return
    await flushIndexes(this.storage.disk, segment, segment.nextOffset)
    this.storage.indexes.closed(segment)
  }

  /** Whole batches, at least the first one, even if it is larger. */
  read(fromOffset: number, bytesMax: number, upTo: UpTo): Eventually<ReadResult> {
    if (fromOffset < this.#start || fromOffset > this.#end) return outOfRange
    const limitOffset = this.#limit(upTo)
    if (fromOffset >= limitOffset) return { kind: 'batches', chunks: [], bytes: 0, nextOffset: fromOffset }
    const cached = this.#tail.read(fromOffset, bytesMax, limitOffset)
    if (cached !== undefined) return cached
    const found = readSegments(this, { fromOffset, bytesMax, limitOffset })
    return found instanceof Promise
      ? found.then((result) => this.#checked(result, fromOffset))
      : this.#checked(found, fromOffset)
  }

  #limit(upTo: UpTo): number {
    if (upTo === 'log-end') return this.#writer.written
    return upTo === 'last-stable' ? this.lastStableOffset : this.highWatermark
  }

  /** There was something to read, so nothing means that it is gone: deleted meanwhile, or lost. */
  #checked(result: ReadResult, fromOffset: number): ReadResult {
    if (result.kind !== 'batches' || result.bytes > 0) return result
    if (fromOffset < this.#start) return outOfRange
    const { file, written } = this.#active
    return { kind: 'damaged', error: new LogDamagedError(file.path, written, fromOffset, 'records are missing here') }
  }

  /** The first record that is at least as late; undefined: there is none. */
  offsetForTimestamp(timestampMs: number): Promise<TimedOffset | undefined> {
    return findTimestamp(this, timestampMs, this.#start)
  }

  /** The record with the highest timestamp. */
  maxTimestampOffset(): Promise<TimedOffset | undefined> {
    return findMaxTimestamp(this, this.#start)
  }

  /** As OffsetForLeaderEpoch answers. */
  endOffsetFor(epoch: number): EpochEnd {
    return this.epochs.endOffsetFor(epoch, this.#end)
  }

  epochAt(offset: number): number {
    return this.epochs.epochAt(offset)
  }

  abortedBetween(fromOffset: number, toOffset: number): { producerId: number; firstOffset: number }[] {
    return this.producers.abortedBetween(fromOffset, toOffset)
  }

  hasOpenTransaction(producerId: number): boolean {
    return this.openTransactions().some((open) => open.producerId === producerId)
  }

  openTransactions(): ActiveProducer[] {
    return this.producers.describe().filter(({ openTransactionFrom }) => openTransactionFrom >= 0)
  }

  /** Forgets producers that were idle for so long. */
  expireProducers(nowMs: number, expirationMs: number): void {
    this.producers.expire(nowMs, expirationMs)
  }

  /** Up to the high watermark; it survives a crash when this returns. */
  async deleteRecordsBefore(offset: number): Promise<void> {
    await this.#changes.take(async () => {
      const start = Math.min(offset, this.highWatermark)
      if (start <= this.#start) return
      const next = this.segments.findIndex(({ baseOffset }) => baseOffset > start)
      await this.#dropSegments((next < 0 ? this.segments.length : next) - 1, start)
    })
  }

  /** Deletes segments that are too old or too many. Returns how many. */
  applyRetention(nowMs: number): Promise<number> {
    return this.#changes.take(() => this.#retain(nowMs))
  }

  async #retain(nowMs: number): Promise<number> {
    const { storage, segments } = this
    const count = await deletable({
      segments,
      config: this.#config,
      highWatermark: this.highWatermark,
      logStartOffset: this.#start,
      nowMs,
      timeOf: async (segment) => {
        if (segment !== this.#active) await storage.indexes.get(storage.disk, segment, this.#dense)
        return segment.maxTimestampMs >= 0 ? segment.maxTimestampMs : segment.createdMs
      },
    })
    if (count > 0) await this.#dropSegments(count, this.#start)
    return count
  }

  /** The log starts later, and the first segments go. The new start is on the disk before the files are touched. */
  async #dropSegments(count: number, start: number): Promise<void> {
    if (count === this.segments.length) this.#addSegment()
    const gone = this.segments.splice(0, count)
    this.#start = Math.max(start, this.segments[0]?.baseOffset ?? start)
    this.epochs.truncateBefore(this.#start)
    this.producers.truncateFrom(this.#start)
    this.storage.tails.dropBefore(this.#tail, this.#start)
    for (const listener of this.#listeners) listener(this)
    await this.#checkpoints.save()
    await this.#orFail(async () => {
      for (const segment of gone) {
        segment.file.discard()
        this.storage.indexes.forget(segment)
        await removeSegmentFiles(this.storage.disk, this.directory, segment.baseOffset)
      }
    })
  }

  /** Half of it may be done: nothing goes on from there. */
  async #orFail<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await job()
    } catch (error) {
      throw this.storage.flusher.fail(error)
    }
  }

  /** Writes down what a start would otherwise have to read again. It also happens by itself, now and then. */
  checkpoint(): Promise<void> {
    return this.#checkpoints.save()
  }

  #takeCheckpoint(): Checkpoint {
    const active = this.#active
    const { firstTimestampMs, maxTimestampMs, maxTimestampOffset } = active
    return {
      logStartOffset: this.#start,
      recoveryPoint: { offset: this.#end, segment: active.baseOffset, position: active.size },
      times: { firstTimestampMs, maxTimestampMs, maxTimestampOffset },
      leaderEpochs: this.epochs.entries,
      dense: this.#dense,
      producers: this.producers.snapshot(),
    }
  }

  async #settle(offset: number): Promise<void> {
    await this.#writer.whenWritten(offset)
    await this.#writer.sync()
    await flushIndexes(this.storage.disk, this.#active, offset)
  }

  /** A new file for what compaction keeps of these neighbouring closed segments. */
  createCleaned(old: readonly Segment[]): Promise<CleanedFile> {
    return createCleaned(this.storage.disk, this.directory, old)
  }

  /** The new file takes their place, also if a crash comes in between. False: one of them was deleted meanwhile. */
  replaceSegments(old: readonly Segment[], cleaned: CleanedFile): Promise<boolean> {
    return this.#changes.take(async () => {
      const first = this.segments.indexOf(old[0] as Segment)
      if (first < 0 || !old.every((segment, index) => this.segments[first + index] === segment)) {
        await discardCleaned(this.storage.disk, this.directory, cleaned)
        return false
      }
      this.#dense = false
      await this.#checkpoints.save()
      const segment = await this.#orFail(() => swapIn(this, old, cleaned, this.#config.indexIntervalBytes))
      this.storage.tails.dropBefore(this.#tail, segment.nextOffset)
      return true
    })
  }

  /** Those that do not grow any more, are on the disk and below the high watermark. */
  closedSegments(): Segment[] {
    return this.segments.slice(0, -1).filter(({ nextOffset }) => nextOffset <= this.highWatermark)
  }

  /** All batches of a closed segment, each checked. Throws where it is damaged. */
  async scanSegment(segment: Segment, visit: BatchVisitor): Promise<void> {
    const end = await scanSegment(segment, this.#dense, visit)
    if (end.position === segment.written) return
    throw new LogDamagedError(segment.file.path, end.position, end.nextOffset, 'not a sound record batch')
  }

  /** Everything is on the disk, and the next start has nothing to read again. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#writer.failure === undefined && this.damage === undefined) {
      await this.#checkpoints.save()
      await this.#writer.close(this.#end)
    } else await this.#writer.abandon(closed(this.directory))
    this.#letGo()
  }

  /** Lets go of everything without a last write, as a crash would. */
  async abandon(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#writer.abandon(closed(this.directory))
    this.#letGo()
  }

  /** With all its files. */
  async delete(): Promise<void> {
    this.#isClosed = true
    await this.#writer.abandon(closed(this.directory))
    this.#letGo()
    const { disk } = this.storage
    const doomed = `${this.directory}${deletedSuffix}`
    await disk.removeDirectory(doomed)
    await disk.rename(this.directory, doomed)
    await disk.syncDirectory(parentOf(this.directory))
    await disk.removeDirectory(doomed)
  }

  #letGo(): void {
    this.#listeners.clear()
    this.storage.tails.dropBefore(this.#tail, Number.POSITIVE_INFINITY)
    for (const segment of this.segments) {
      segment.file.discard()
      this.storage.indexes.forget(segment)
    }
  }
}

/** A partition's directory that is being deleted; one that a crash left behind can be removed. */
export const deletedSuffix = '-delete'

function closed(directory: string): FanlaneError {
  return new FanlaneError('LOG_CLOSED', `The log in ${directory} is closed. Nothing more can be written to it.`)
}
