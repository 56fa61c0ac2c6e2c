/**
 * Compaction of one partition (`cleanup.policy=compact`), as Apache Kafka's log cleaner does it: first the keys of the
 * dirty part are read, up to the memory that is given; then everything from the log's start up to there is written anew,
 * without what has been overwritten (batch-filter.ts). Neighbouring small segments become one.
 *
 * What always holds: the active segment, undecided transactions and records younger than min.compaction.lag.ms are not
 * touched. A crash at any moment leaves every segment as it was or as it is to be; how far the log is clean is written
 * down last, so at worst some of it is done again.
 */

import { isControl, lastOffset } from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { BatchFilter } from './batch-filter.ts'
import { readCleanOffset, writeCleanOffset } from './clean-offset.ts'
import { type CompactionRange, compactionRange, groupBySize } from './compaction-range.ts'
import { LogDamagedError } from './damage.ts'
import { DecidedTransactions } from './decided-transactions.ts'
import { KeyOffsets } from './key-offsets.ts'
import type { PartitionLog } from './partition-log.ts'
import type { LastOfProducer } from './producer-state.ts'
import { type CleanedFile, discardCleaned } from './replacement.ts'
import { scanBatches } from './scan.ts'
import type { Segment } from './segment.ts'
import type { AbortedTransaction } from './transaction-index.ts'

export interface CompactionSettings {
  /** delete.retention.ms */
  readonly deleteRetentionMs: number
  /** min.compaction.lag.ms */
  readonly minCompactionLagMs: number
  /** max.compaction.lag.ms */
  readonly maxCompactionLagMs: number
  /** min.cleanable.dirty.ratio */
  readonly minCleanableDirtyRatio: number
  /** segment.bytes */
  readonly segmentBytes: number
  /** Memory for the keys of one compaction. */
  readonly keyBytesMax?: number
}

const defaultKeyBytesMax = 128 * 1_048_576
const maxDecompressedBytes = 128 * 1_048_576
/** What waits to be written, at most, beside one batch. */
const pendingBytesMax = 4 * 1_048_576

/** True: something was compacted. */
export async function compactPartition(
  log: PartitionLog,
  settings: CompactionSettings,
  nowMs: number,
): Promise<boolean> {
  if (log.damage !== undefined) return false
  const range = await compactionRange(log, settings, await readCleanOffset(log), nowMs)
  if (range === null) return false
  const { keys, mappedTo } = await mapKeys(log, range, settings.keyBytesMax ?? defaultKeyBytesMax)
  const transactions = new DecidedTransactions(log.producers.aborted)
  const filter = new BatchFilter({
    keys,
    mappedTo,
    endOffset: range.endOffset,
    transactions,
    lastOf: (producerId) => log.producers.lastOf(producerId),
    deleteRetentionMs: settings.deleteRetentionMs,
    nowMs,
    maxDecompressedBytes,
  })
  const segments = range.segments.filter(({ baseOffset }) => baseOffset <= mappedTo)
  for (const group of groupBySize(segments, settings.segmentBytes)) {
    if (!(await compactGroup(log, group, filter))) return false
  }
  log.producers.forgetAborted(transactions.emptyAborts)
  await writeCleanOffset(log, mappedTo + 1)
  return true
}

/** The keys of the dirty part, as many as fit, and the last offset that was read for it. */
async function mapKeys(
  log: PartitionLog,
  range: CompactionRange,
  keyBytesMax: number,
): Promise<{ readonly keys: KeyOffsets; readonly mappedTo: number }> {
  const mapper = new KeyMapper(log.producers.aborted, range.firstDirtyOffset, keyBytesMax)
  for (const segment of range.segments) {
    if (segment.nextOffset <= range.firstDirtyOffset) continue
    await eachBatch(log, segment, (batch) => mapper.add(batch))
    if (mapper.isFull) return mapper
    // Earlier compactions may have left a hole at its end.
    mapper.mappedTo = segment.nextOffset - 1
  }
  return mapper
}

class KeyMapper {
  readonly keys: KeyOffsets
  mappedTo: number
  readonly #transactions: DecidedTransactions
  readonly #from: number
  readonly #cursor = new RecordCursor()

  constructor(aborted: readonly AbortedTransaction[], from: number, keyBytesMax: number) {
    this.keys = new KeyOffsets(keyBytesMax)
    this.mappedTo = from - 1
    this.#from = from
    // What ended before is over: its marker will not come by to say so.
    this.#transactions = new DecidedTransactions(aborted.filter(({ markerOffset }) => markerOffset >= from))
  }

  get isFull(): boolean {
    return this.keys.isFull
  }

  /** False: no more fit. A batch that was begun is always mapped as a whole, so each compaction gets on. */
  add(batch: Buffer): boolean {
    if (this.keys.isFull) return false
    if (isControl(batch, 0)) this.#transactions.endsNothing(batch)
    else if (!this.#transactions.isAborted(batch)) {
      const cursor = this.#cursor.reset(batch, 0, maxDecompressedBytes)
      while (cursor.next()) {
        const key = cursor.offset < this.#from ? null : cursor.key()
        if (key !== null) this.keys.put(key, cursor.offset)
      }
    }
    this.mappedTo = Math.max(this.mappedTo, lastOffset(batch, 0))
    return true
  }
}

/** Writes what is left of these segments and puts it in their place. False: they changed meanwhile, nothing was done. */
async function compactGroup(log: PartitionLog, group: readonly Segment[], filter: BatchFilter): Promise<boolean> {
  const cleaned = await log.createCleaned(group)
  let isChanged = group.length > 1
  try {
    const output = new Output(cleaned)
    for (const segment of group) {
      await eachBatch(
        log,
        segment,
        (batch) => {
          const left = filter.filter(batch)
          isChanged ||= left !== batch
          if (left !== null) output.push(left)
          return !output.isFull
        },
        () => output.flush(),
      )
    }
    await output.flush()
  } catch (error) {
    await discardCleaned(log.storage.disk, log.directory, cleaned)
    throw error
  }
  if (isChanged) return log.replaceSegments(group, cleaned)
  await discardCleaned(log.storage.disk, log.directory, cleaned)
  return group.every((segment) => log.segments.includes(segment))
}

class Output {
  readonly #cleaned: CleanedFile
  #pending: Buffer[] = []
  #bytes = 0

  constructor(cleaned: CleanedFile) {
    this.#cleaned = cleaned
  }

  push(batch: Buffer): void {
    this.#pending.push(batch)
    this.#bytes += batch.length
  }

  get isFull(): boolean {
    return this.#bytes >= pendingBytesMax
  }

  async flush(): Promise<void> {
    if (this.#pending.length === 0) return
    const pending = this.#pending
    this.#pending = []
    this.#bytes = 0
    await this.#cleaned.file.append(pending)
  }
}

/** `visit` returns false when it needs a break; without `pause` it has had enough. */
async function eachBatch(
  log: PartitionLog,
  segment: Segment,
  visit: (batch: Buffer) => boolean,
  pause?: () => Promise<void>,
): Promise<void> {
  const file = await segment.file.acquire()
  try {
    let position = 0
    let offset = segment.baseOffset
    for (;;) {
      let wantsBreak = false
      const expected = { offset, dense: log.dense }
      const scan = await scanBatches(file, position, segment.written, expected, (buffer, at, size) => {
        wantsBreak = !visit(buffer.subarray(at, at + size))
        return !wantsBreak
      })
      if (wantsBreak && pause === undefined) return
      if (!wantsBreak && !scan.isComplete) {
        throw new LogDamagedError(segment.file.path, scan.position, scan.nextOffset, 'not a sound record batch')
      }
      if (!wantsBreak || pause === undefined) return
      await pause()
      position = scan.position
      offset = scan.nextOffset
    }
  } finally {
    segment.file.release()
  }
}

/**
 * The same for batches in memory: what is left of them. All of them may be cleaned; those from `firstDirtyOffset` on have
 * not been before.
 */
export function compactBatches(
  batches: readonly Buffer[],
  options: {
    readonly firstDirtyOffset: number
    readonly endOffset: number
    readonly aborted: readonly AbortedTransaction[]
    readonly lastOf: (producerId: number) => LastOfProducer | undefined
    readonly deleteRetentionMs: number
    readonly nowMs: number
    readonly keyBytesMax?: number
  },
): { readonly batches: Buffer[]; readonly cleanTo: number; readonly emptyAborts: ReadonlySet<number> } {
  const { firstDirtyOffset, keyBytesMax = defaultKeyBytesMax } = options
  const mapper = new KeyMapper(options.aborted, firstDirtyOffset, keyBytesMax)
  const isAll = batches.every((batch) => lastOffset(batch, 0) < firstDirtyOffset || mapper.add(batch))
  const mappedTo = isAll ? options.endOffset - 1 : mapper.mappedTo
  const transactions = new DecidedTransactions(options.aborted)
  const filter = new BatchFilter({ ...options, keys: mapper.keys, mappedTo, transactions, maxDecompressedBytes })
  const left = batches.map((batch) => filter.filter(batch)).filter((batch) => batch !== null)
  return { batches: left, cleanTo: mappedTo + 1, emptyAborts: transactions.emptyAborts }
}
