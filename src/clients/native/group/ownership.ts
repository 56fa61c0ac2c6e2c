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

export class Ownership {
  readonly #owned: Map<string, Owned> = new Map()
  readonly #newest: Map<string, number> = new Map()
  #newestOfAll: number = Number.NEGATIVE_INFINITY

  get partitions(): readonly TopicPartition[] {
    return [...this.#owned.values()].map(({ partition }) => partition)
  }

  get size(): number {
    return this.#owned.size
  }

  has(partition: TopicPartition): boolean {
    return this.#owned.has(partitionKey(partition))
  }

  take(partitions: readonly TopicPartition[], isAnew: boolean = false): void {
    for (const { topic, partition } of partitions) {
      const name = { topic, partition }
      this.#owned.set(partitionKey(name), { partition: name, after: this.#newestOfAll, isAnew })
    }
  }

  beginsAnew(partition: TopicPartition): boolean {
    return this.#owned.get(partitionKey(partition))?.isAnew ?? false
  }

  /** Its start is known: from now on what is committed is ours. */
  begun(partition: TopicPartition): void {
    const owned = this.#owned.get(partitionKey(partition))
    if (owned !== undefined) owned.isAnew = false
  }

  drop(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#owned.delete(partitionKey(partition))
  }

  /** The control plane speaks of this lease: older ones of its partition are over. */
  note(lease: LeaseName): void {
    const key = partitionKey(lease)
    this.#newest.set(key, Math.max(lease.epoch, this.#newest.get(key) ?? lease.epoch))
    this.#newestOfAll = Math.max(this.#newestOfAll, lease.epoch)
  }

  holds(lease: LeaseName): boolean {
    const key = partitionKey(lease)
    const owned = this.#owned.get(key)
    return owned !== undefined && lease.epoch > owned.after && lease.epoch >= (this.#newest.get(key) ?? lease.epoch)
  }
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}
