/**
 * Opens what a stop or a crash left behind.
 *
 * Up to the recovery point of the checkpoint everything is known to be on the disk. What lies behind it is read and
 * checked batch by batch; it gives back leader epochs, producers and index entries. Where the last segment has something
 * unsound behind the recovery point, that is a torn tail: it was never acknowledged as durable and is cut off. In any other
 * place it is damage: never cut, never served; the partition can be read up to there and takes no more appends.
 *
 * What always holds when it returns: everything that the log then shows is on the disk. The tail may so far have been in
 * the system's memory only, and after an earlier failed fsync the system may even take it for written; so the bytes
 * behind the recovery point are written once more, in place, before they are synced.
 */

import { FanlaneError } from '../../errors.ts'
import { baseOffset, partitionLeaderEpoch } from '../../protocol/record-batch/header.ts'
import { type Checkpoint, decodeCheckpoint, type RecoveryPoint } from './checkpoint.ts'
import type { LogConfig } from './config.ts'
import { LogDamagedError } from './damage.ts'
import { type Disk, isTemporary } from './disk.ts'
import { LeaderEpochs } from './leader-epochs.ts'
import { checkpointName, indexName, type LogFileName, logName, parseName, timeIndexName } from './names.ts'
import { ProducerStates, type ProducerStatesOptions } from './producer-state.ts'
import { settleReplacements } from './replacement.ts'
import { type ScanEnd, scanBatches } from './scan.ts'
import { Indexes, Segment } from './segment.ts'
import { loadIndexes, removeSegmentFiles } from './segment-indexes.ts'
import type { LogStorage } from './storage.ts'

export interface RecoveryOptions {
  readonly storage: LogStorage
  readonly directory: string
  readonly config: LogConfig
  readonly producerOptions: ProducerStatesOptions
}

export interface Recovered {
  readonly segments: Segment[]
  readonly logStartOffset: number
  readonly logEndOffset: number
  readonly epochs: LeaderEpochs
  readonly producers: ProducerStates
  readonly dense: boolean
  readonly damage: LogDamagedError | undefined
  /** Bytes that were read again. */
  readonly scannedBytes: number
  /** What the checkpoint covers; -1: there is none that can be used. */
  readonly checkpointOffset: number
  /** The directory was empty. */
  readonly isNew: boolean
}

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const { storage, directory } = options
  const found = await settle(storage.disk, directory)
  // A checkpoint, a segment: the names may so far be in the system's memory only, and from now on they count.
  if (found.length > 0) await storage.disk.syncDirectory(directory)
  const checkpoint = found.length === 0 ? undefined : await readCheckpoint(options)
  const bases = await dropDeleted(storage.disk, directory, found, checkpoint?.logStartOffset ?? 0)
  const recovery = new Recovery(options, checkpoint)
  const segments = await recovery.openSegments(bases)
  await recovery.replay(segments)
  return recovery.result(segments, found.length === 0)
}

/** Ends interrupted changes and removes leftovers; the names that remain. */
async function settle(disk: Disk, directory: string): Promise<readonly string[]> {
  let names = await disk.list(directory)
  if (await settleReplacements(disk, directory, names)) names = await disk.list(directory)
  const temporary = names.filter(isTemporary)
  for (const name of temporary) await disk.remove(`${directory}/${name}`)
  return temporary.length === 0 ? names : names.filter((name) => !isTemporary(name))
}

async function readCheckpoint({ storage, directory }: RecoveryOptions): Promise<Checkpoint | undefined> {
  const path = `${directory}/${checkpointName}`
  const bytes = await storage.disk.readFile(path)
  if (bytes === undefined) return undefined
  const checkpoint = decodeCheckpoint(bytes)
  if (checkpoint === undefined) {
    storage.warn(
      new FanlaneError(
        'LOG_CHECKPOINT_DAMAGED',
        `${path} is damaged. All of the partition is read instead; records that were deleted by DeleteRecords and are ` +
          'still in the first segment can be read again: delete them once more.',
      ),
    )
  }
  return checkpoint
}

/** Segments that lie wholly before the log start were deleted: a crash may bring their names back. */
async function dropDeleted(
  disk: Disk,
  directory: string,
  names: readonly string[],
  logStartOffset: number,
): Promise<readonly number[]> {
  const files: Exclude<LogFileName, { kind: 'cleaned' | 'swap' }>[] = []
  for (const name of names) {
    const file = parseName(name)
    if (file?.kind === 'log' || file?.kind === 'index' || file?.kind === 'timeindex') files.push(file)
  }
  const bases = files.filter(({ kind }) => kind === 'log').map((file) => file.baseOffset)
  bases.sort((a, b) => a - b)
  const kept = new Set(bases.filter((_, index) => (bases[index + 1] ?? Number.POSITIVE_INFINITY) > logStartOffset))
  for (const { kind, baseOffset: base } of files) {
    if (kept.has(base)) continue
    const name = kind === 'log' ? logName(base) : kind === 'index' ? indexName(base) : timeIndexName(base)
    await disk.remove(`${directory}/${name}`)
  }
  return [...kept]
}

class Recovery {
  readonly #options: RecoveryOptions
  readonly #disk: Disk
  readonly #checkpoint: Checkpoint | undefined
  readonly #epochs: LeaderEpochs
  readonly #dense: boolean
  readonly #producers: ProducerStates
  /** undefined: nothing is known, all of it has to be read. */
  readonly #point: RecoveryPoint | undefined
  #damage: LogDamagedError | undefined
  #end: number
  #scannedBytes = 0

  constructor(options: RecoveryOptions, checkpoint: Checkpoint | undefined) {
    this.#options = options
    this.#disk = options.storage.disk
    this.#checkpoint = checkpoint
    this.#dense = checkpoint?.dense ?? !options.config.compacts
    const producers = restored(options, checkpoint)
    this.#producers = producers ?? new ProducerStates(options.producerOptions)
    this.#point = producers === undefined ? undefined : checkpoint?.recoveryPoint
    this.#epochs = new LeaderEpochs(this.#point === undefined ? [] : checkpoint?.leaderEpochs)
    this.#end = this.#point?.offset ?? 0
  }

  async openSegments(bases: readonly number[]): Promise<Segment[]> {
    const { storage, directory, config } = this.#options
    const sizes = await Promise.all(bases.map((base) => this.#disk.size(`${directory}/${logName(base)}`)))
    const segments = bases.map(
      (base, index) =>
        new Segment(
          storage.files,
          directory,
          base,
          sizes[index] as number,
          config.indexIntervalBytes,
          storage.clock.now(),
        ),
    )
    for (const [index, segment] of segments.entries()) {
      segment.nextOffset = segments[index + 1]?.baseOffset ?? segment.baseOffset
    }
    if (this.#point === undefined) this.#end = bases[0] ?? this.#checkpoint?.logStartOffset ?? 0
    return segments
  }

  async replay(segments: readonly Segment[]): Promise<void> {
    const point = this.#point
    if (point !== undefined && point.position > 0 && (this.#checkpoint?.logStartOffset ?? 0) < point.offset) {
      const isThere = segments.some(({ baseOffset: base }) => base === point.segment)
      const path = `${this.#options.directory}/${logName(point.segment)}`
      if (!isThere) this.#damaged(path, 0, point.segment, 'the file is gone', true)
    }
    for (const [index, segment] of segments.entries()) {
      if (point !== undefined && segment.baseOffset < point.segment) continue
      const next = segments[index + 1]
      if (next === undefined) await this.#recoverLast(segment)
      else await this.#replayClosed(segment, next)
    }
  }

  /** Where in this segment reading begins, and which offset is there. */
  #startIn(segment: Segment): { readonly position: number; readonly offset: number } {
    return this.#point?.segment === segment.baseOffset ? this.#point : { position: 0, offset: segment.baseOffset }
  }

  async #replayClosed(segment: Segment, next: Segment): Promise<void> {
    const { position, nextOffset, isComplete } = await this.#scan(segment, segment.size, () => undefined)
    this.#end = next.baseOffset
    if (!isComplete) this.#damaged(segment.file.path, position, nextOffset, 'not a sound record batch')
    else if (this.#dense && nextOffset !== next.baseOffset) {
      this.#damaged(segment.file.path, position, nextOffset, 'records are missing here')
    }
  }

  async #recoverLast(segment: Segment): Promise<void> {
    const { offset, position } = this.#startIn(segment)
    const { size } = segment
    segment.nextOffset = offset
    if (size < position) {
      this.#damaged(segment.file.path, size, segment.baseOffset, `${position} bytes were here, ${size} are left`, true)
      return
    }
    const indexes = await this.#indexesUpTo(segment, position, offset)
    segment.indexes = indexes
    segment.size = position
    if (size > position) {
      await this.#scan(segment, size, (buffer, at, bytes) => segment.add(indexes, buffer, at, bytes))
    }
    segment.written = segment.size
    this.#end = segment.nextOffset
    const isClean = size === position && this.#point?.segment === segment.baseOffset
    if (!isClean) await this.#makeDurable(segment, position, size)
  }

  async #indexesUpTo(segment: Segment, end: number, endOffset: number): Promise<Indexes> {
    const times = this.#checkpoint?.times
    if (end > 0 && times !== undefined) segment.firstTimestampMs = times.firstTimestampMs
    if (end > segment.indexIntervalBytes) return loadIndexes(this.#disk, segment, end, endOffset, this.#dense)
    if (end > 0 && times !== undefined) {
      segment.maxTimestampMs = times.maxTimestampMs
      segment.maxTimestampOffset = times.maxTimestampOffset
    }
    const indexes = new Indexes()
    indexes.bytesSince = end
    return indexes
  }

  async #scan(
    segment: Segment,
    end: number,
    each: (buffer: Buffer, at: number, bytes: number) => void,
  ): Promise<ScanEnd> {
    const nowMs = this.#options.storage.clock.now()
    const { position, offset } = this.#startIn(segment)
    const file = await segment.file.acquire()
    try {
      const scan = await scanBatches(file, position, end, { offset, dense: this.#dense }, (buffer, at, bytes) => {
        this.#epochs.begin(partitionLeaderEpoch(buffer, at), baseOffset(buffer, at))
        this.#producers.apply(buffer.subarray(at, at + bytes), nowMs)
        each(buffer, at, bytes)
        return undefined
      })
      segment.markVerified(position, scan.position)
      this.#scannedBytes += scan.position - position
      return scan
    } finally {
      segment.file.release()
    }
  }

  /** Cuts the torn tail off, and makes sure that what is left is on the disk. */
  async #makeDurable(segment: Segment, from: number, size: number): Promise<void> {
    const { directory, storage } = this.#options
    const file = await segment.file.acquire()
    try {
      if (size > segment.size) {
        await file.truncate(segment.size)
        storage.warn(
          new FanlaneError(
            'LOG_TAIL_CUT',
            `${segment.file.path} ended in the middle of a write: ${size - segment.size} bytes behind offset ` +
              `${segment.nextOffset} were cut off. They were never acknowledged as durable; nothing needs to be done.`,
          ),
        )
      }
      for (let at = from; at < segment.size; at += rewriteBytes) {
        const length = Math.min(rewriteBytes, segment.size - at)
        await file.overwrite(at, await file.read(at, length))
      }
      await file.sync()
    } finally {
      segment.file.release()
    }
    await storage.syncAbove(directory)
  }

  #damaged(file: string, position: number, offset: number, what: string, isAtEnd = false): void {
    const damage = new LogDamagedError(file, position, offset, what, isAtEnd)
    this.#options.storage.warn(damage)
    if (this.#damage === undefined || isAtEnd) this.#damage = damage
  }

  async result(segments: Segment[], isNew: boolean): Promise<Recovered> {
    const logStartOffset = Math.max(this.#checkpoint?.logStartOffset ?? 0, segments[0]?.baseOffset ?? 0)
    // All of it was deleted, and a crash brought some of the files back.
    if (this.#end < logStartOffset) {
      for (const segment of segments.splice(0)) {
        segment.file.discard()
        await removeSegmentFiles(this.#disk, this.#options.directory, segment.baseOffset)
      }
      this.#end = logStartOffset
    }
    this.#epochs.truncateBefore(logStartOffset)
    return {
      segments,
      logStartOffset,
      logEndOffset: this.#end,
      epochs: this.#epochs,
      producers: this.#producers,
      dense: this.#dense,
      damage: this.#damage,
      scannedBytes: this.#scannedBytes,
      checkpointOffset: this.#point?.offset ?? -1,
      isNew,
    }
  }
}

/** undefined: they cannot be read, so they have to be found again in the log. */
function restored({ storage, producerOptions }: RecoveryOptions, checkpoint: Checkpoint | undefined) {
  try {
    return ProducerStates.restore(checkpoint?.producers, producerOptions)
  } catch (cause) {
    const message = 'The producers in a checkpoint cannot be read; all of the partition is read instead.'
    storage.warn(new FanlaneError('LOG_CHECKPOINT_DAMAGED', message, { cause }))
    return undefined
  }
}

const rewriteBytes = 1_048_576
