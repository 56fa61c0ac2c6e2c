/** All groups by id. A group is of one protocol at a time, classic or consumer. */
import type { ClassicGroup } from './classic/group.ts'
import type { ConsumerGroup } from './consumer/consumer-group.ts'

export type Group =
  | { readonly kind: 'classic'; readonly classic: ClassicGroup }
  | { readonly kind: 'consumer'; readonly consumer: ConsumerGroup }

export class GroupRegistry {
  readonly #groups = new Map<string, Group>()

  get size(): number {
    return this.#groups.size
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId)
  }

  classic(groupId: string): ClassicGroup | undefined {
    const group = this.#groups.get(groupId)
    return group?.kind === 'classic' ? group.classic : undefined
  }

  consumer(groupId: string): ConsumerGroup | undefined {
    const group = this.#groups.get(groupId)
    return group?.kind === 'consumer' ? group.consumer : undefined
  }

  /** In the order of their creation. A copy: groups may go while it is walked. */
  all(): readonly (readonly [groupId: string, group: Group])[] {
    return [...this.#groups]
  }

  setClassic(classic: ClassicGroup): ClassicGroup {
    this.#groups.set(classic.id, { kind: 'classic', classic })
    return classic
  }

  setConsumer(groupId: string, consumer: ConsumerGroup): ConsumerGroup {
    this.#groups.set(groupId, { kind: 'consumer', consumer })
    return consumer
  }

  delete(groupId: string): void {
    this.#groups.delete(groupId)
  }

  clear(): void {
    this.#groups.clear()
  }
}

export function isEmpty(group: Group): boolean {
  return group.kind === 'classic' ? group.classic.state === 'Empty' : group.consumer.isEmpty
}

export function isSubscribedTo(group: Group, topic: string): boolean {
  return group.kind === 'classic' ? group.classic.isSubscribedTo(topic) : group.consumer.isSubscribedTo(topic)
}
