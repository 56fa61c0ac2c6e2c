/** Where a lease starts: a pure decision from what the group has committed and what the log still holds. */
import type { LeaseName, StartPosition } from '../../../kernel/events.ts'
import { asPosition } from '../../../kernel/ids.ts'

export interface StoredOffset {
  /** −1: nothing is committed. */
  readonly offset: number
  readonly leaderEpoch: number
  readonly metadata: string | null
}

export interface EpochOffset {
  readonly offset: number
  readonly leaderEpoch: number
}

export interface LogBounds {
  readonly start: EpochOffset
  /** As far as we may see: the last stable offset for read_committed. */
  readonly end: EpochOffset
  readonly highWatermark: number
  /** Where the log of the commit's leader epoch ends; null: not asked. −1/−1: the log knows no such epoch. */
  readonly epochEnd: EpochOffset | null
}

export function startPosition(
  lease: LeaseName,
  stored: StoredOffset,
  log: LogBounds,
  startFrom: 'earliest' | 'latest',
): StartPosition {
  const policy = (): StartPosition => chosen(lease, startFrom === 'earliest' ? log.start : log.end, log)
  if (stored.offset < 0) return policy()
  const { epochEnd } = log
  const isCut = epochEnd !== null && epochEnd.offset >= 0 && epochEnd.offset < stored.offset
  // An unclean election took records away that we had finished; others came in their place. Go on where they differ.
  if (isCut && epochEnd.offset >= log.start.offset) return chosen(lease, epochEnd, log)
  if (isCut || stored.offset < log.start.offset || stored.offset > log.highWatermark) return policy()
  return {
    ...nameOf(lease),
    position: asPosition(stored.offset),
    metadata: stored.metadata,
    committed: true,
    logEnd: asPosition(Math.max(stored.offset, mapEnd(stored, log))),
    leaderEpoch: stored.leaderEpoch,
  }
}

/** Up to where a map that was stored under the commit's leader epoch can be believed. */
function mapEnd(stored: StoredOffset, { end, epochEnd }: LogBounds): number {
  if (epochEnd === null) return end.offset
  return epochEnd.offset < 0 ? stored.offset : Math.min(end.offset, epochEnd.offset)
}

function chosen(lease: LeaseName, { offset, leaderEpoch }: EpochOffset, log: LogBounds): StartPosition {
  return {
    ...nameOf(lease),
    position: asPosition(offset),
    metadata: null,
    committed: false,
    logEnd: asPosition(Math.max(offset, log.end.offset)),
    leaderEpoch,
  }
}

function nameOf({ topic, partition, epoch }: LeaseName): LeaseName {
  return { topic, partition, epoch }
}
