/**
 * The log of one partition: segments of unmodified batches on a disk, and what reading them tells (producers, leader
 * epochs). Appending is synchronous and decides everything; the disk follows (log-writer.ts).
 *
 * What always holds
 * - logStartOffset ≤ lastStableOffset ≤ highWatermark ≤ logEndOffset, and none of them ever goes back while the process
 *   lives.
 * - In a batch only base offset and leader epoch are set (and the time, with LogAppendTime); all else stays as it came.
 * - A transaction is decided for readers only when its marker is below the high watermark: otherwise a crash could take
 *   back a decision that somebody has acted upon.
 */
import type { FanlaneError } from '../../errors.ts'
import { errorCodes } from '../../protocol/errors.ts'
import * as header from '../../protocol/record-batch/header.ts'
import { isWhole } from './batch-check.ts'
import { CheckpointKeeper } from './checkpoint-keeper.ts'
import type { LogConfig } from './config.ts'
import { LogDamagedError, logClosed } from './damage.ts'
import type { Eventually } from './disk.ts'
import type { EpochEnd, LeaderEpochs } from './leader-epochs.ts'
import { type ReadableLog, type ReadResult, readSegments } from './log-reader.ts'
import type { AppendResult, OpenOptions, UpTo } from './log-types.ts'
import { LogWriter } from './log-writer.ts'
import type { ActiveProducer, Origin, ProducerStates } from './producer-state.ts'
import { type Recovered, recover } from './recovery.ts'
import { removeLogDirectory } from './removal.ts'
import { type CleanedFile, createCleaned } from './replacement.ts'
import { type BatchVisitor, scanSegment } from './scan.ts'
import { Segment } from './segment.ts'
import { flushIndexes } from './segment-indexes.ts'
import type { LogStorage } from './storage.ts'
import { TailWindow } from './tail-cache.ts'
import { findMaxTimestamp, findTimestamp, type TimedOffset } from './timestamps.ts'
import { Trimmer } from './trimmer.ts'
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
  readonly #trimmer: Trimmer
  #config: LogConfig
  #dense: boolean
  #start: number
  #end: number
  #life: 'open' | 'closing' | 'closed' = 'open'

  static async open(options: OpenOptions): Promise<PartitionLog> {
    const { storage, directory, config } = options
    await storage.disk.makeDirectory(directory)
    const recovered = await recover({ storage, directory, config, producerOptions: options.producers ?? {} })
    return new PartitionLog(options, recovered)
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
      storage.disk,
      directory,
      this,
      { settle: (offset) => this.#settle(offset), fail: (error) => this.#fail(error) },
      { offset: recovered.checkpointOffset, logStartOffset: this.#start, dense: this.#dense },
      recovered.scannedBytes,
    )
    // Made just now perhaps: the first sync takes care of their names.
    const unsynced = recovered.isNew ? storage.ancestry(directory) : []
    this.#writer = new LogWriter(storage.flusher, storage.disk, directory, this.#active, this.#end, unsynced, {
      wrote: (batches) => this.#wrote(batches),
      advanced: () => this.#advanced(),
      closed: (segment) => this.#closed(segment),
    })
    this.#trimmer = new Trimmer(this, {
      addSegment: () => this.#addSegment(),
      startAt: (offset) => this.#startAt(offset),
      replacedBefore: (offset) => this.#replacedBefore(offset),
      checkpoint: () => this.#checkpoints.save(),
      fail: (error) => this.#fail(error),
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
    const undecided = Math.min(this.producers.firstUndecidedOffset, this.#undecided.firstOffset)
    return Math.max(this.#start, Math.min(this.#writer.committed, undecided))
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
    if (this.#life !== 'open' || this.damage !== undefined || this.#writer.failure !== undefined) {
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
  deleteRecordsBefore(offset: number): Promise<void> {
    return this.#trimmer.deleteRecordsBefore(offset)
  }

  /** Deletes segments that are too old or too many. Returns how many. */
  applyRetention(nowMs: number): Promise<number> {
    return this.#trimmer.applyRetention(nowMs)
  }

  #startAt(offset: number): void {
    this.#start = offset
    this.epochs.truncateBefore(offset)
    this.producers.truncateFrom(offset)
    this.storage.tails.dropBefore(this.#tail, offset)
    for (const listener of this.#listeners) listener(this)
  }

  /** Writes down what a start would otherwise have to read again. It also happens by itself, now and then. */
  async checkpoint(): Promise<void> {
    if (this.damage === undefined) await this.#checkpoints.save()
  }

  async #settle(offset: number): Promise<void> {
    await this.#writer.whenWritten(offset)
    await this.#writer.sync()
    await flushIndexes(this.storage.disk, this.#active, offset)
  }

  /** A new file for what compaction keeps of these neighbouring closed segments. One compaction of a log at a time. */
  createCleaned(old: readonly Segment[]): Promise<CleanedFile> {
    return createCleaned(this.storage.disk, this.directory, old)
  }

  /** The new file takes their place, also if a crash comes in between. False: one of them was deleted meanwhile. */
  replaceSegments(old: readonly Segment[], cleaned: CleanedFile): Promise<boolean> {
    return this.#trimmer.replaceSegments(old, cleaned)
  }

  #replacedBefore(offset: number): void {
    this.#dense = false
    this.storage.tails.dropBefore(this.#tail, offset)
  }

  /** Those that do not grow any more, are on the disk and below the high watermark. */
  closedSegments(): Segment[] {
    return this.segments.slice(0, -1).filter(({ nextOffset }) => nextOffset <= this.highWatermark)
  }

  /** All batches of a closed segment, each checked, until the visitor has enough. Throws where it is damaged. */
  scanSegment(segment: Segment, visit: BatchVisitor): Promise<void> {
    return scanSegment(segment, this.#dense, visit)
  }

  /** Everything is on the disk, and the next start has nothing to read again. */
  async close(): Promise<void> {
    if (this.#life !== 'open') return
    if (this.#writer.failure !== undefined || this.damage !== undefined) return this.abandon()
    this.#life = 'closing'
    await this.#trimmer.idle()
    await this.#checkpoints.save()
    await this.#writer.close(this.#end)
    this.#letGo()
  }

  /** Lets go of everything without a last write, as a crash would. */
  async abandon(): Promise<void> {
    if (this.#life === 'closed') return
    this.#life = 'closed'
    await this.#writer.abandon(logClosed(this.directory))
    await this.#trimmer.idle()
    await this.#checkpoints.idle()
    this.#letGo()
  }

  /** With all its files. */
  async delete(): Promise<void> {
    await this.abandon()
    await removeLogDirectory(this.storage.disk, this.directory)
  }

  /** An error of the disk ends everything, but for a log that is going away anyhow. */
  #fail(error: unknown): FanlaneError {
    return this.#life === 'closed' ? logClosed(this.directory) : this.storage.flusher.fail(error)
  }

  #letGo(): void {
    this.#life = 'closed'
    this.#listeners.clear()
    this.storage.tails.dropBefore(this.#tail, Number.POSITIVE_INFINITY)
    for (const segment of this.segments) {
      segment.file.discard()
      this.storage.indexes.forget(segment)
    }
  }
}
