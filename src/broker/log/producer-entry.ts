/**
 * What a partition knows of one producer, and what the next batch of that producer may look like.
 * What always holds: at most five batches are remembered, oldest first, all of the current epoch.
 */

/** A producer may have five requests under way, so a retry can be the repetition of any of the last five batches. */
export const rememberedBatchesMax = 5
const sequenceMax = 0x7fff_ffff

export interface RememberedBatch {
  readonly firstSequence: number
  readonly lastSequence: number
  readonly firstOffset: number
  readonly lastOffset: number
  readonly timestampMs: number
}

export interface ProducerEntry {
  readonly producerId: number
  /** −1: nothing known. */
  epoch: number
  /** Of the coordinator that wrote the last marker; −1: none yet. */
  coordinatorEpoch: number
  /** As the records say it. */
  lastTimestampMs: number
  /** As the clock of this broker says it. */
  lastAppendMs: number
  /** First offset of the transaction that is open; −1: none is. */
  openFrom: number
  batches: RememberedBatch[]
}

export function newEntry(producerId: number): ProducerEntry {
  return {
    producerId,
    epoch: -1,
    coordinatorEpoch: -1,
    lastTimestampMs: -1,
    lastAppendMs: -1,
    openFrom: -1,
    batches: [],
  }
}

/** Sequence numbers begin again at 0 after 2^31 − 1. Batches of coordinators have none: −1. */
export function lastSequenceOf(baseSequence: number, lastOffsetDelta: number): number {
  if (baseSequence < 0) return -1
  const last = baseSequence + lastOffsetDelta
  return last > sequenceMax ? last - sequenceMax - 1 : last
}

export function follows(lastSequence: number, next: number): boolean {
  return next === lastSequence + 1 || (next === 0 && lastSequence === sequenceMax)
}

export function lastSequence(entry: ProducerEntry): number {
  return entry.batches.at(-1)?.lastSequence ?? -1
}

export function enterEpoch(entry: ProducerEntry, epoch: number): void {
  if (entry.epoch === epoch) return
  entry.epoch = epoch
  entry.batches = []
}

export function remember(entry: ProducerEntry, batch: RememberedBatch): void {
  if (entry.batches.length === rememberedBatchesMax) entry.batches.shift()
  entry.batches.push(batch)
}

/** The batch that this one repeats, if it is one of the last five. */
export function original(
  entry: ProducerEntry,
  epoch: number,
  firstSequence: number,
  last: number,
): RememberedBatch | undefined {
  if (entry.epoch !== epoch) return undefined
  return entry.batches.find((batch) => batch.firstSequence === firstSequence && batch.lastSequence === last)
}
