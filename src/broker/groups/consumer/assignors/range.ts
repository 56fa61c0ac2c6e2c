/**
 * `range`: every topic's partitions are cut into contiguous ranges, one per subscriber, the first ones longer by one
 * where it does not come out even. Subscribers stand in the same order for every topic, so with equal subscriptions and
 * equal partition counts each member gets the same partition numbers of all topics. Static members come first, by their
 * instance id: they keep their ranges when they come back with another member id.
 */
import type { Uuid } from '../../../../protocol/types.ts'
import type { Partitions } from '../partitions.ts'
import type { AssignorInput, AssignorMember } from './assignor.ts'

export function assignRange({ members, topics }: AssignorInput): ReadonlyMap<string, Partitions> {
  const inOrder = [...members].sort(byInstanceThenMember)
  const assignment = new Map(inOrder.map((member) => [member.memberId, new Map<Uuid, Set<number>>()]))
  for (const { topicId, partitionCount } of topics) {
    const subscribers = inOrder.filter((member) => member.topicIds.has(topicId))
    const share = Math.floor(partitionCount / subscribers.length)
    const longer = partitionCount % subscribers.length
    let next = 0
    for (const [place, { memberId }] of subscribers.entries()) {
      const end = next + share + (place < longer ? 1 : 0)
      if (end === next) break
      const range = new Set<number>()
      for (; next < end; next++) range.add(next)
      assignment.get(memberId)?.set(topicId, range)
    }
  }
  return assignment
}

function byInstanceThenMember(a: AssignorMember, b: AssignorMember): number {
  if (a.instanceId !== null && b.instanceId !== null) return compare(a.instanceId, b.instanceId)
  if (a.instanceId !== null) return -1
  if (b.instanceId !== null) return 1
  return compare(a.memberId, b.memberId)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
