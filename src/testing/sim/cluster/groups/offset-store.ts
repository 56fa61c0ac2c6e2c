/**
 * The offsets of all groups: what is committed, and what pending transactions will commit. A transaction's offsets become
 * visible with its marker, unless a plain commit came after them.
 */
import type { OffsetCommitPartition } from '../group-messages.ts'

export interface CommittedOffset {
  readonly offset: number
  readonly leaderEpoch: number
  readonly metadata: string
}

/** One applied commit, at the moment when readers can see it. */
export interface AppliedCommit extends CommittedOffset {
  readonly nowMs: number
  readonly groupId: string
  readonly topic: string
  readonly partition: number
  readonly transactional: boolean
}

interface Entry extends CommittedOffset {
  readonly topic: string
  readonly partition: number
  /** Its place in the coordinator's log. */
  readonly order: number
}

type GroupOffsets = Map<string, Entry>

interface Pending {
  readonly producerEpoch: number
  readonly groups: Map<string, GroupOffsets>
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`
}

function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

export class OffsetStore {
  readonly #committed = new Map<string, GroupOffsets>()
  readonly #pending = new Map<number, Pending>()
  readonly #listeners: ((commit: AppliedCommit) => void)[] = []
  #order = 0

  onCommitted(listener: (commit: AppliedCommit) => void): void {
    this.#listeners.push(listener)
  }

  get(groupId: string, topic: string, partition: number): CommittedOffset | null {
    return this.#committed.get(groupId)?.get(keyOf(topic, partition)) ?? null
  }

  all(groupId: string): readonly Entry[] {
    return [...(this.#committed.get(groupId)?.values() ?? [])]
  }

  isPending(groupId: string, topic: string, partition: number): boolean {
    const key = keyOf(topic, partition)
    for (const { groups } of this.#pending.values()) if (groups.get(groupId)?.has(key)) return true
    return false
  }

  hasOpenTransaction(producerId: number, producerEpoch: number): boolean {
    return this.#pending.get(producerId)?.producerEpoch === producerEpoch
  }

  commit(nowMs: number, groupId: string, asked: OffsetCommitPartition): void {
    this.#apply(nowMs, groupId, this.#entry(asked), false)
  }

  commitInTransaction(producerId: number, producerEpoch: number, groupId: string, asked: OffsetCommitPartition): void {
    const pending = obtain(this.#pending, producerId, () => ({ producerEpoch, groups: new Map() }))
    const offsets = obtain(pending.groups, groupId, () => new Map())
    offsets.set(keyOf(asked.topic, asked.partition), this.#entry(asked))
  }

  endTransaction(nowMs: number, producerId: number, committed: boolean): void {
    const pending = this.#pending.get(producerId)
    this.#pending.delete(producerId)
    if (pending === undefined || !committed) return
    for (const [groupId, offsets] of pending.groups) {
      for (const entry of offsets.values()) this.#apply(nowMs, groupId, entry, true)
    }
  }

  #entry(asked: OffsetCommitPartition): Entry {
    return {
      topic: asked.topic,
      partition: asked.partition,
      offset: asked.committedOffset,
      leaderEpoch: asked.committedLeaderEpoch,
      metadata: asked.committedMetadata ?? '',
      order: this.#order++,
    }
  }

  #apply(nowMs: number, groupId: string, entry: Entry, transactional: boolean): void {
    const offsets = obtain(this.#committed, groupId, () => new Map())
    const key = keyOf(entry.topic, entry.partition)
    if ((offsets.get(key)?.order ?? -1) > entry.order) return
    offsets.set(key, entry)
    const { topic, partition, offset, leaderEpoch, metadata } = entry
    for (const listener of this.#listeners) {
      listener({ nowMs, groupId, topic, partition, offset, leaderEpoch, metadata, transactional })
    }
  }
}
