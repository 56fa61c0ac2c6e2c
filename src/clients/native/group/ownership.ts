/**
 * Which partitions are ours, and which leases of them count.
 *
 * A lease that was opened before the partition became ours (this time) belongs to an earlier stay: the membership is
 * lost, the partition comes back at once, and only then the control plane, one turn late, asks to commit for the old
 * lease. Without the epoch we would commit over what another member did in between.
 */
import type { LeaseName } from '../../../kernel/events.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'

interface Owned {
  readonly partition: TopicPartition
  /** The newest lease of all that was named before it became ours. */
  readonly after: number
  /** Its topic was created again while it was ours: what is committed speaks of the old one. */
  isAnew: boolean
}

/** By topic and number: it is asked for every partition of every fetch, and a name put together each time would cost more. */
class ByPartition<Value> {
  readonly #topics: Map<string, Map<number, Value>> = new Map()
  size = 0

  get({ topic, partition }: TopicPartition): Value | undefined {
    return this.#topics.get(topic)?.get(partition)
  }

  set({ topic, partition }: TopicPartition, value: Value): void {
    let partitions = this.#topics.get(topic)
    if (partitions === undefined) {
      partitions = new Map()
      this.#topics.set(topic, partitions)
    }
    if (!partitions.has(partition)) this.size++
    partitions.set(partition, value)
  }

  delete({ topic, partition }: TopicPartition): void {
    const partitions = this.#topics.get(topic)
    if (partitions?.delete(partition) !== true) return
    this.size--
    if (partitions.size === 0) this.#topics.delete(topic)
  }

  values(): Value[] {
    return [...this.#topics.values()].flatMap((partitions) => [...partitions.values()])
  }
}

export class Ownership {
  readonly #owned: ByPartition<Owned> = new ByPartition()
  readonly #newest: ByPartition<number> = new ByPartition()
  #newestOfAll: number = Number.NEGATIVE_INFINITY

  get partitions(): readonly TopicPartition[] {
    return this.#owned.values().map(({ partition }) => partition)
  }

  get size(): number {
    return this.#owned.size
  }

  has(partition: TopicPartition): boolean {
    return this.#owned.get(partition) !== undefined
  }

  take(partitions: readonly TopicPartition[], isAnew: boolean = false): void {
    for (const { topic, partition } of partitions) {
      const name = { topic, partition }
      this.#owned.set(name, { partition: name, after: this.#newestOfAll, isAnew })
    }
  }

  beginsAnew(partition: TopicPartition): boolean {
    return this.#owned.get(partition)?.isAnew ?? false
  }

  /** Its start is known: from now on what is committed is ours. */
  begun(partition: TopicPartition): void {
    const owned = this.#owned.get(partition)
    if (owned !== undefined) owned.isAnew = false
  }

  drop(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#owned.delete(partition)
  }

  /** The control plane speaks of this lease: older ones of its partition are over. */
  note(lease: LeaseName): void {
    this.#newest.set(lease, Math.max(lease.epoch, this.#newest.get(lease) ?? lease.epoch))
    this.#newestOfAll = Math.max(this.#newestOfAll, lease.epoch)
  }

  holds(lease: LeaseName): boolean {
    const owned = this.#owned.get(lease)
    return owned !== undefined && lease.epoch > owned.after && lease.epoch >= (this.#newest.get(lease) ?? lease.epoch)
  }
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}
