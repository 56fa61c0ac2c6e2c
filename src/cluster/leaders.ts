/** Asking the leaders of partitions, each for its own. */
import type { Metadata } from './metadata.ts'

interface Named {
  readonly topic: string
  readonly partition: number
}

/** Partitions by their leader. What has no leader that we know of is in none. */
export function byLeader<P extends Named>(metadata: Metadata, partitions: readonly P[]): Map<number, P[]> {
  const nodes = new Map<number, P[]>()
  for (const each of partitions) {
    const { leader } = metadata.partition(each.topic, each.partition)
    if (leader < 0) continue
    const known = nodes.get(leader)
    if (known === undefined) nodes.set(leader, [each])
    else known.push(each)
  }
  return nodes
}

/** Partitions under their topic, as requests want them. */
export function byTopic<P extends { readonly topic: string }>(partitions: readonly P[]): Map<string, P[]> {
  return Map.groupBy(partitions, ({ topic }) => topic)
}
