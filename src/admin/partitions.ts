/** Partitions by name, in requests and answers. */
import { byTopic } from '../cluster/leaders.ts'

export interface PartitionName {
  readonly topic: string
  readonly partition: number
}

export const partitionName = ({ topic, partition }: PartitionName): string => `${topic}-${partition}`

export function byName(a: PartitionName, b: PartitionName): number {
  if (a.topic === b.topic) return a.partition - b.partition
  return a.topic < b.topic ? -1 : 1
}

/** Under their topics, as requests want them. */
export function indexesByTopic(
  partitions: readonly PartitionName[],
): readonly { readonly name: string; readonly indexes: readonly number[] }[] {
  return [...byTopic(partitions)].map(([name, theirs]) => ({ name, indexes: theirs.map(({ partition }) => partition) }))
}

interface AnsweredTopic<Partition> {
  readonly name: string
  readonly partitions: readonly Partition[]
}

/** What an answer says about each of the items. */
export function answersFor<Item extends PartitionName, Partition extends { readonly partitionIndex: number }>(
  items: readonly Item[],
  topics: readonly AnsweredTopic<Partition>[],
): ReadonlyMap<Item, Partition> {
  const known = new Map(items.map((item) => [partitionName(item), item]))
  const answers = new Map<Item, Partition>()
  for (const { name, partitions } of topics) {
    for (const partition of partitions) {
      const item = known.get(partitionName({ topic: name, partition: partition.partitionIndex }))
      if (item !== undefined) answers.set(item, partition)
    }
  }
  return answers
}
