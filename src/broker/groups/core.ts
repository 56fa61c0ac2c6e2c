/** What the parts of the coordinator share. */
import type { BrokerClock } from '../clock.ts'
import { ClassicGroup } from './classic/group.ts'
import type { OffsetStore } from './offsets.ts'
import type { GroupOptions } from './options.ts'
import type { TopicsView } from './ports.ts'
import type { GroupRegistry } from './registry.ts'
import type { StateWriter } from './state-writer.ts'

export interface GroupCore {
  readonly groups: GroupRegistry
  readonly offsets: OffsetStore
  readonly writer: StateWriter
  readonly topics: TopicsView
  readonly clock: BrokerClock
  readonly options: GroupOptions
}

export function hasRoomForGroup({ groups, options }: GroupCore): boolean {
  return groups.size < options.groupsMax
}

/** An empty group. Nothing of it is stored yet. */
export function createClassic({ groups, clock }: GroupCore, groupId: string): ClassicGroup {
  const head = { generationId: 0, protocolType: null, protocolName: null, leader: null, stateSinceMs: clock.now() }
  return groups.setClassic(new ClassicGroup(groupId, head))
}

export function partitionExists(topics: TopicsView, topic: string, partition: number): boolean {
  return partition >= 0 && partition < (topics.partitionCount(topic) ?? 0)
}
