/** Where a lease starts: a pure decision from what the group has committed and what the log still holds. */
import { FanlaneError } from '../../../errors.ts'
import type { LeaseName, StartPosition } from '../../../kernel/events.ts'
import type { Position } from '../../../kernel/ids.ts'
import type { StartFrom } from '../options.ts'

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
  /** The first record of the time that the start policy names; null: there is none, or it names no time. */
  readonly atTime: EpochOffset | null
  /** Where the log of the commit's leader epoch ends; null: not asked. −1/−1: the log knows no such epoch. */
  readonly epochEnd: EpochOffset | null
}

export function startPosition(
  lease: LeaseName,
  stored: StoredOffset,
  log: LogBounds,
  startFrom: StartFrom,
): StartPosition {
  const policy = (): StartPosition => chosen(lease, policyOffset(lease, stored, log, startFrom), log)
  if (stored.offset < 0) return policy()
  const { epochEnd } = log
  const isCut = epochEnd !== null && epochEnd.offset >= 0 && epochEnd.offset < stored.offset
  // An unclean election took records away that we had finished; others came in their place. Go on where they differ.
  if (isCut && epochEnd.offset >= log.start.offset) return chosen(lease, epochEnd, log)
  if (isCut || stored.offset < log.start.offset || stored.offset > log.highWatermark) return policy()
  return {
    ...nameOf(lease),
    position: stored.offset as Position,
    metadata: stored.metadata,
    committed: true,
    logEnd: Math.max(stored.offset, mapEnd(stored, log)) as Position,
    leaderEpoch: stored.leaderEpoch,
  }
}

/** What the start policy says about a log. `stored`: what cannot be used. */
export function policyOffset(
  { topic, partition }: { readonly topic: string; readonly partition: number },
  stored: { readonly offset: number },
  log: LogBounds,
  startFrom: StartFrom,
): EpochOffset {
  if (startFrom === 'earliest') return log.start
  if (startFrom === 'latest') return log.end
  if (startFrom !== 'fail') return log.atTime ?? log.end
  const name = `${topic}-${partition}`
  if (stored.offset < 0) {
    throw new FanlaneError(
      'NO_COMMITTED_OFFSET',
      `${name} has no committed offset and startFrom is 'fail'. Commit one first, or choose 'earliest' or 'latest'.`,
    )
  }
  throw new FanlaneError(
    'OFFSET_OUT_OF_RANGE',
    `${name}: offset ${stored.offset} is not in the log any more (it holds ${log.start.offset} to ${log.highWatermark}) and ` +
      "startFrom is 'fail'. Commit another offset, or choose 'earliest' or 'latest'.",
  )
}

/** Up to where a map that was stored under the commit's leader epoch can be believed. */
function mapEnd(stored: StoredOffset, { end, epochEnd }: LogBounds): number {
  if (epochEnd === null) return end.offset
  return epochEnd.offset < 0 ? stored.offset : Math.min(end.offset, epochEnd.offset)
}

function chosen(lease: LeaseName, { offset, leaderEpoch }: EpochOffset, log: LogBounds): StartPosition {
  return {
    ...nameOf(lease),
    position: offset as Position,
    metadata: null,
    committed: false,
    logEnd: Math.max(offset, log.end.offset) as Position,
    leaderEpoch,
  }
}

function nameOf({ topic, partition, epoch }: LeaseName): LeaseName {
  return { topic, partition, epoch }
}
