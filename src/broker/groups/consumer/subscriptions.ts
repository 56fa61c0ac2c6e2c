/**
 * What the members of a group are subscribed to, all taken together. A change of the hash means that the group needs a
 * new target: a topic came, went, was created anew or got partitions.
 */
import { createHash } from 'node:crypto'
import type { Uuid } from '../../../protocol/types.ts'
import type { TopicsView } from '../ports.ts'
import type { Assignor, AssignorInput, AssignorTopic } from './assignors/assignor.ts'
import { assignRange } from './assignors/range.ts'
import { assignUniform } from './assignors/uniform.ts'
import type { GroupState } from './group-state.ts'
import { type Member, sameNames } from './member.ts'
import type { AssignorName } from './options.ts'
import type { Partitions } from './partitions.ts'

const assignors: Record<AssignorName, Assignor> = { uniform: assignUniform, range: assignRange }

/** The topics that a member asked for by name or by regular expression, whether they exist or not. */
function topicsOf(state: GroupState, member: Member): Iterable<string> {
  const matched = state.resolvedRegexes.get(member.topicRegex)?.topics
  return matched === undefined ? member.topicNames : new Set([...member.topicNames, ...matched])
}

export function isSubscribedTo(state: GroupState, topic: string): boolean {
  for (const member of state.members.values()) if (member.topicNames.has(topic)) return true
  for (const { topics } of state.resolvedRegexes.values()) if (topics.has(topic)) return true
  return false
}

/** A number for the existing topics of the group, their ids and their partition counts. No topics: 0. */
export function metadataHash(state: GroupState, topics: TopicsView): bigint {
  const names = new Set<string>()
  for (const member of state.members.values()) for (const name of member.topicNames) names.add(name)
  for (const regex of state.resolvedRegexes.values()) for (const name of regex.topics) names.add(name)
  const existing = [...names].filter((name) => topics.topicId(name) !== undefined).sort()
  if (existing.length === 0) return 0n
  const hash = createHash('sha256')
  for (const name of existing) hash.update(`${name} ${topics.topicId(name)} ${topics.partitionCount(name)}\n`)
  return hash.digest().readBigInt64BE(0)
}

/** The assignor that most members prefer; between equals the one that is named first in the options. */
export function preferredAssignor(state: GroupState, offered: readonly AssignorName[]): AssignorName {
  const votes = new Map<string, number>()
  for (const { serverAssignor } of state.members.values()) {
    if (serverAssignor !== null) votes.set(serverAssignor, (votes.get(serverAssignor) ?? 0) + 1)
  }
  let best: AssignorName | undefined
  for (const name of offered) {
    if ((votes.get(name) ?? 0) > (best === undefined ? 0 : (votes.get(best) ?? 0))) best = name
  }
  return best ?? offered[0] ?? 'uniform'
}

/** Who shall own what from now on. */
export function computeTargets(
  state: GroupState,
  topics: TopicsView,
  assignor: AssignorName,
): ReadonlyMap<string, Partitions> {
  return assignors[assignor](assignorInput(state, topics))
}

function assignorInput(state: GroupState, view: TopicsView): AssignorInput {
  const topics = new Map<string, AssignorTopic>()
  const members = [...state.members.values()]
    .sort((a, b) => (a.memberId < b.memberId ? -1 : 1))
    .map((member) => {
      const topicIds = new Set<Uuid>()
      for (const name of topicsOf(state, member)) {
        const topicId = view.topicId(name)
        if (topicId === undefined) continue
        topicIds.add(topicId)
        if (!topics.has(name)) topics.set(name, { topicId, partitionCount: view.partitionCount(name) ?? 0 })
      }
      return {
        memberId: member.memberId,
        instanceId: member.instanceId,
        topicIds,
        current: state.target(member.memberId),
      }
    })
  const byName = [...topics].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, topic]) => topic)
  return { members, topics: byName, isHomogeneous: isHomogeneous(state) }
}

/** Whether all members asked for the same names, or all for the same regular expression and no names. */
function isHomogeneous(state: GroupState): boolean {
  const [first, ...others] = state.members.values()
  if (first === undefined) return true
  if (first.topicRegex !== '' && first.topicNames.size > 0) return false
  return others.every(
    (member) => member.topicRegex === first.topicRegex && sameNames(member.topicNames, first.topicNames),
  )
}
