/**
 * When an offset has been kept for long enough. As long as a group is at work its offsets stay, whatever their age: only those
 * of topics that it no longer reads run out. An empty group's run out when it has been empty for the retention time, those of
 * consumers without membership when they were not committed for that long.
 */
import type { ClassicGroup } from './classic/group.ts'
import { consumerProtocolType } from './classic/subscribed-topics.ts'
import type { CommittedOffset } from './offsets.ts'
import type { Group } from './registry.ts'

/** The topic of the offset is one that the group does not read now. */
export function isExpired(group: Group, offset: CommittedOffset, nowMs: number, retentionMs: number): boolean {
  const sinceMs = group.kind === 'consumer' ? offset.commitTimestampMs : unusedSince(group.classic, offset)
  if (sinceMs === null) return false
  // A client that chose an end of its own gets that.
  if (offset.expireTimestampMs !== null) return nowMs >= offset.expireTimestampMs
  return nowMs - sinceMs >= retentionMs
}

/** null: it may be in use. */
function unusedSince(group: ClassicGroup, { commitTimestampMs }: CommittedOffset): number | null {
  if (group.protocolType === null) return commitTimestampMs
  if (group.state === 'Empty') return group.stateSinceMs ?? commitTimestampMs
  const isKnown = group.protocolType === consumerProtocolType && group.subscribedTopics !== null
  return isKnown && group.state === 'Stable' ? commitTimestampMs : null
}
