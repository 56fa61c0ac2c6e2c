/**
 * Sets of partitions, by topic id. They are never changed once they are built: whoever needs another set builds one, so
 * a set can be held by the target, by a member and by an answer at the same time. A topic without partitions is left out.
 */
import type { Uuid } from '../../../protocol/types.ts'

export type Partitions = ReadonlyMap<Uuid, ReadonlySet<number>>

/** As requests, answers and records carry them. */
export interface TopicPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
}

export const noPartitions: Partitions = new Map()

export function holds(set: Partitions, topicId: Uuid, partition: number): boolean {
  return set.get(topicId)?.has(partition) ?? false
}

export function samePartitions(a: Partitions, b: Partitions): boolean {
  if (a === b) return true
  if (a.size !== b.size) return false
  for (const [topicId, partitions] of a) {
    const others = b.get(topicId)
    if (others === undefined || others.size !== partitions.size) return false
    for (const partition of partitions) if (!others.has(partition)) return false
  }
  return true
}

export function fromWire(topics: readonly TopicPartitions[]): Partitions {
  const set = new Map<Uuid, Set<number>>()
  for (const { topicId, partitions } of topics) {
    for (const partition of partitions) add(set, topicId, partition)
  }
  return set
}

export function toWire(set: Partitions): TopicPartitions[] {
  return [...set].map(([topicId, partitions]) => ({ topicId, partitions: [...partitions].sort((a, b) => a - b) }))
}

/** Adds to a set that is still being built. */
export function add(set: Map<Uuid, Set<number>>, topicId: Uuid, partition: number): void {
  const partitions = set.get(topicId)
  if (partitions === undefined) set.set(topicId, new Set([partition]))
  else partitions.add(partition)
}

/** The partitions of `set` that pass the test. */
export function filter(set: Partitions, keep: (topicId: Uuid, partition: number) => boolean): Partitions {
  const kept = new Map<Uuid, Set<number>>()
  for (const [topicId, partitions] of set) {
    for (const partition of partitions) if (keep(topicId, partition)) add(kept, topicId, partition)
  }
  return kept
}

export function union(a: Partitions, b: Partitions): Partitions {
  if (b.size === 0) return a
  const both = new Map<Uuid, Set<number>>()
  for (const set of [a, b]) {
    for (const [topicId, partitions] of set) for (const partition of partitions) add(both, topicId, partition)
  }
  return both
}

/** Whether what a member says it owns is part of `set`. A topic that is named at all must be in it. */
export function isPartOf(owned: readonly TopicPartitions[], set: Partitions): boolean {
  return owned.every(({ topicId, partitions }) => {
    const known = set.get(topicId)
    return known !== undefined && partitions.every((partition) => known.has(partition))
  })
}

/** Whether a member says that it owns any partition of `set`. */
export function ownsAnyOf(owned: readonly TopicPartitions[], set: Partitions): boolean {
  return owned.some(({ topicId, partitions }) => partitions.some((partition) => holds(set, topicId, partition)))
}
