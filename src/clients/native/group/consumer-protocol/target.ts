/**
 * What the broker has assigned to us, and how that differs from what we own. The broker names topics by id: the same name with
 * another id is another topic, which was deleted and created again.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import type { Uuid } from '../../../../protocol/types.ts'
import { partitionKey } from '../ownership.ts'

export interface TopicIdPartitions {
  readonly topicId: Uuid
  readonly partitions: readonly number[]
}

export interface AssignedPartition extends TopicPartition {
  readonly topicId: Uuid
}

export interface Difference {
  /** Ours, and no longer assigned. */
  readonly taken: readonly TopicPartition[]
  /** Assigned and not ours, as far as we know the names of the topics. */
  readonly added: readonly AssignedPartition[]
}

export class Target {
  readonly #topics: readonly TopicIdPartitions[]

  constructor(topics: readonly TopicIdPartitions[]) {
    this.#topics = topics
  }

  isNamed(nameOf: (id: Uuid) => string | undefined): boolean {
    return this.#topics.every(({ topicId }) => nameOf(topicId) !== undefined)
  }

  compare(owned: readonly TopicPartition[], ids: TopicIds, nameOf: (id: Uuid) => string | undefined): Difference {
    const assigned = new Set(
      this.#topics.flatMap(({ topicId, partitions }) => partitions.map((partition) => idKey(topicId, partition))),
    )
    const ours = new Set(owned.map((each) => idKey(ids.of(each), each.partition)))
    const added: AssignedPartition[] = []
    for (const { topicId, partitions } of this.#topics) {
      const topic = nameOf(topicId)
      if (topic === undefined) continue
      for (const partition of partitions) {
        if (!ours.has(idKey(topicId, partition))) added.push({ topicId, topic, partition })
      }
    }
    return { taken: owned.filter((each) => !assigned.has(idKey(ids.of(each), each.partition))), added }
  }
}

/** Under which topic id each partition became ours. */
export class TopicIds {
  readonly #ids: Map<string, Uuid> = new Map()

  of(partition: TopicPartition): Uuid {
    return this.#ids.get(partitionKey(partition)) ?? ''
  }

  /** It was ours as a partition of another topic of that name. */
  hasOther({ topicId, ...partition }: AssignedPartition): boolean {
    const id = this.of(partition)
    return id !== '' && id !== topicId
  }

  note(partitions: readonly AssignedPartition[]): void {
    for (const each of partitions) this.#ids.set(partitionKey(each), each.topicId)
  }
}

/** The partitions that heartbeats say to be ours. */
export class Listing {
  readonly topicPartitions: readonly TopicIdPartitions[]
  readonly #keys: ReadonlySet<string>
  /** A heartbeat that said so was answered: until one leaves a partition out, the broker gives it to nobody else. */
  isConfirmed = false

  constructor(owned: readonly TopicPartition[], added: readonly AssignedPartition[], ids: TopicIds) {
    const all = [
      ...owned.map(({ partition, ...name }) => ({ topicId: ids.of({ partition, ...name }), partition })),
      ...added,
    ]
    this.topicPartitions = [...Map.groupBy(all, ({ topicId }) => topicId)].map(([topicId, each]) => ({
      topicId,
      partitions: each.map(({ partition }) => partition).sort((a, b) => a - b),
    }))
    this.#keys = new Set(all.map(({ topicId, partition }) => idKey(topicId, partition)))
  }

  equals(other: Listing): boolean {
    return this.#keys.size === other.#keys.size && [...this.#keys].every((key) => other.#keys.has(key))
  }
}

export function nameOnly({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition }
}

function idKey(topicId: Uuid, partition: number): string {
  return `${topicId}-${partition}`
}
