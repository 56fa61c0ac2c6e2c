/**
 * The offsets of all groups: what is committed, and what open transactions will commit. A transaction's offsets become
 * visible with its end, unless a plain commit came after them: the place in the log decides, not the time of the end.
 */
import type { OffsetCommitValue } from '../../protocol/generated/offset-commit-value.ts'
import type { Input } from '../../protocol/types.ts'
import type { OffsetKey } from './records.ts'

export interface CommittedOffset {
  readonly offset: number
  readonly leaderEpoch: number
  readonly metadata: string
  readonly commitTimestampMs: number
  /** Set by clients that chose a retention time of their own (OffsetCommit before version 5). */
  readonly expireTimestampMs: number | null
}

interface Entry extends CommittedOffset {
  /** Its place in the state log. */
  readonly order: number
}

type Partitions = Map<number, Entry>
type Topics = Map<string, Partitions>
type Groups = Map<string, Topics>

interface OpenTransaction {
  /** null: read from the log, which does not tell. */
  readonly epoch: number | null
  readonly groups: Groups
}

export function storedOffset(offset: CommittedOffset): Input<OffsetCommitValue> {
  return {
    offset: BigInt(offset.offset),
    leaderEpoch: offset.leaderEpoch,
    metadata: offset.metadata,
    commitTimestamp: BigInt(offset.commitTimestampMs),
    expireTimestamp: BigInt(offset.expireTimestampMs ?? -1),
  }
}

export function restoredOffset(value: OffsetCommitValue): CommittedOffset {
  const expireTimestampMs = Number(value.expireTimestamp)
  return {
    offset: Number(value.offset),
    leaderEpoch: value.leaderEpoch,
    metadata: value.metadata,
    commitTimestampMs: Number(value.commitTimestamp),
    expireTimestampMs: expireTimestampMs < 0 ? null : expireTimestampMs,
  }
}

export class OffsetStore {
  readonly #committed: Groups = new Map()
  readonly #open = new Map<number, OpenTransaction>()
  readonly #openByGroup = new Map<string, Set<number>>()
  #order = 0

  get(key: OffsetKey): CommittedOffset | undefined {
    return find(this.#committed, key)
  }

  /** Everything that is committed in this group. */
  ofGroup(groupId: string): ReadonlyMap<string, ReadonlyMap<number, CommittedOffset>> {
    return this.#committed.get(groupId) ?? new Map()
  }

  commit(key: OffsetKey, offset: CommittedOffset): void {
    put(this.#committed, key, { ...offset, order: this.#order++ })
  }

  isPending(key: OffsetKey): boolean {
    for (const producerId of this.#openByGroup.get(key.group) ?? []) {
      const groups = this.#open.get(producerId)?.groups
      if (groups !== undefined && find(groups, key) !== undefined) return true
    }
    return false
  }

  hasOpenTransactions(groupId: string): boolean {
    return this.#openByGroup.has(groupId)
  }

  isOpen(producerId: number, epoch: number): boolean {
    return this.#open.get(producerId)?.epoch === epoch
  }

  commitInTransaction(producerId: number, epoch: number | null, key: OffsetKey, offset: CommittedOffset): void {
    const open = obtain(this.#open, producerId, () => ({ epoch, groups: new Map() }))
    put(open.groups, key, { ...offset, order: this.#order++ })
    obtain(this.#openByGroup, key.group, () => new Set()).add(producerId)
  }

  endTransaction(producerId: number, result: 'commit' | 'abort'): void {
    const open = this.#open.get(producerId)
    if (open === undefined) return
    this.#open.delete(producerId)
    for (const [group, topics] of open.groups) {
      this.#closeFor(group, producerId)
      if (result === 'commit') for (const [key, entry] of entriesOf(group, topics)) this.#makeVisible(key, entry)
    }
  }

  /** The tombstone of an offset takes what open transactions would have put there with it. */
  remove(key: OffsetKey): void {
    take(this.#committed, key)
    for (const producerId of this.#openByGroup.get(key.group) ?? []) {
      const groups = this.#open.get(producerId)?.groups
      if (groups !== undefined) take(groups, key)
    }
  }

  /** Every offset that is committed or pending, in one group or in all, once. */
  keys(groupId?: string): readonly OffsetKey[] {
    const found = new Map<string, OffsetKey>()
    for (const groups of [this.#committed, ...[...this.#open.values()].map((open) => open.groups)]) {
      for (const [group, topics] of groups) {
        if (groupId !== undefined && group !== groupId) continue
        for (const [key] of entriesOf(group, topics)) {
          found.set(JSON.stringify([group, key.topic, key.partition]), key)
        }
      }
    }
    return [...found.values()]
  }

  clear(): void {
    this.#committed.clear()
    this.#open.clear()
    this.#openByGroup.clear()
  }

  #closeFor(group: string, producerId: number): void {
    const producers = this.#openByGroup.get(group)
    producers?.delete(producerId)
    if (producers?.size === 0) this.#openByGroup.delete(group)
  }

  #makeVisible(key: OffsetKey, entry: Entry): void {
    const now = find(this.#committed, key)
    if (now === undefined || now.order < entry.order) put(this.#committed, key, entry)
  }
}

function* entriesOf(group: string, topics: Topics): Generator<[OffsetKey, Entry]> {
  for (const [topic, partitions] of topics) {
    for (const [partition, entry] of partitions) yield [{ group, topic, partition }, entry]
  }
}

function find(groups: Groups, { group, topic, partition }: OffsetKey): Entry | undefined {
  return groups.get(group)?.get(topic)?.get(partition)
}

function put(groups: Groups, { group, topic, partition }: OffsetKey, entry: Entry): void {
  const topics = obtain(groups, group, () => new Map())
  obtain(topics, topic, () => new Map()).set(partition, entry)
}

function take(groups: Groups, { group, topic, partition }: OffsetKey): void {
  const topics = groups.get(group)
  const partitions = topics?.get(topic)
  partitions?.delete(partition)
  if (partitions?.size === 0) topics?.delete(topic)
  if (topics?.size === 0) groups.delete(group)
}

function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
