/**
 * Takes one member one step towards its target. Always holds: a partition is given to a member only when nobody owns it,
 * and somebody owns it until a heartbeat of that member leaves it out, or until that member is put out of the group.
 *
 * The epoch of a member follows the same rule: it reaches the epoch of the target only when the member has let go of
 * everything that the target does not give to it.
 */
import type { Uuid } from '../../../protocol/types.ts'
import { isReconciledTo, type MemberState, type Progress } from './member.ts'
import { filter, holds, noPartitions, ownsAnyOf, type Partitions, type TopicPartitions, union } from './partitions.ts'

export interface Target {
  readonly epoch: number
  readonly partitions: Partitions
}

/** What a heartbeat says about the partitions that the member has to give up. One that names no partitions says nothing. */
type Report = 'holds' | 'released'

/** `stay` as it is · `compute` from the epoch it has · `advance` by one epoch, then compute · `restart` at the target. */
type Step = 'stay' | 'compute' | 'advance' | 'restart'

const steps: Record<MemberState, Record<Report, Step>> = {
  stable: { holds: 'compute', released: 'compute' },
  unrevoked: { holds: 'stay', released: 'advance' },
  unreleased: { holds: 'compute', released: 'compute' },
  unknown: { holds: 'stay', released: 'restart' },
}

export function reconcile(
  progress: Progress,
  target: Target,
  owned: readonly TopicPartitions[] | null,
  isOwned: (topicId: Uuid, partition: number) => boolean,
): Progress {
  if (isReconciledTo(progress, target.epoch)) return progress
  switch (steps[progress.state][reportOf(progress, owned)]) {
    case 'stay':
      return progress
    case 'compute':
      return compute(progress, progress.epoch, target, owned, isOwned)
    case 'advance':
      return compute(progress, progress.epoch + 1, target, owned, isOwned)
    case 'restart':
      return compute(progress, target.epoch, target, owned, isOwned)
  }
}

/** Whether anything that the target gives to the member, and that it does not have, is owned by others still. */
export function isWaitingForOthers(
  progress: Progress,
  target: Partitions,
  isOwned: (topicId: Uuid, partition: number) => boolean,
): boolean {
  for (const [topicId, partitions] of target) {
    for (const partition of partitions) {
      if (!holds(progress.assigned, topicId, partition) && isOwned(topicId, partition)) return true
    }
  }
  return false
}

function reportOf(progress: Progress, owned: readonly TopicPartitions[] | null): Report {
  if (owned === null) return 'holds'
  if (progress.state === 'unknown') return owned.length > 0 ? 'holds' : 'released'
  return ownsAnyOf(owned, progress.pendingRevocation) ? 'holds' : 'released'
}

function compute(
  progress: Progress,
  epoch: number,
  target: Target,
  owned: readonly TopicPartitions[] | null,
  isOwned: (topicId: Uuid, partition: number) => boolean,
): Progress {
  const previousEpoch = progress.epoch
  const kept = filter(progress.assigned, (topicId, partition) => holds(target.partitions, topicId, partition))
  const revoked = filter(progress.assigned, (topicId, partition) => !holds(kept, topicId, partition))
  if (revoked.size > 0 && (owned === null || ownsAnyOf(owned, revoked))) {
    return { epoch, previousEpoch, state: 'unrevoked', assigned: kept, pendingRevocation: revoked }
  }
  const missing = filter(target.partitions, (topicId, partition) => !holds(kept, topicId, partition))
  const free = filter(missing, (topicId, partition) => !isOwned(topicId, partition))
  return {
    epoch: target.epoch,
    previousEpoch,
    state: count(free) < count(missing) ? 'unreleased' : 'stable',
    assigned: union(kept, free),
    pendingRevocation: noPartitions,
  }
}

function count(set: Partitions): number {
  let all = 0
  for (const partitions of set.values()) all += partitions.size
  return all
}
