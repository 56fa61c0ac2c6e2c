/** DeleteGroups, OffsetDelete, deleted topics, and what has been idle for too long: how groups and offsets go. */
import { errorCodes } from '../../protocol/errors.ts'
import type { DeletableGroupResult } from '../../protocol/generated/42-delete-groups.ts'
import type {
  OffsetDeleteRequest,
  OffsetDeleteResponse,
  OffsetDeleteResponseTopic,
} from '../../protocol/generated/47-offset-delete.ts'
import type { Input } from '../../protocol/types.ts'
import type { Rebalance } from './classic/rebalance.ts'
import { consumerProtocolType } from './classic/subscribed-topics.ts'
import { type GroupCore, partitionExists } from './core.ts'
import { isExpired } from './expiry.ts'
import type { StateRecord } from './ports.ts'
import { groupTombstone, type OffsetKey, offsetTombstone } from './records.ts'
import { type Group, isEmpty, isSubscribedTo } from './registry.ts'

export class Deleting {
  readonly #core: GroupCore
  readonly #rebalance: Rebalance

  constructor(core: GroupCore, rebalance: Rebalance) {
    this.#core = core
    this.#rebalance = rebalance
  }

  /** A group that has members stays. */
  async deleteGroups(groupIds: readonly string[]): Promise<Input<DeletableGroupResult>[]> {
    return Promise.all(
      [...new Set(groupIds)].map(async (groupId) => {
        const group = this.#core.groups.get(groupId)
        if (group === undefined) return { groupId, errorCode: errorCodes.GROUP_ID_NOT_FOUND }
        if (!isEmpty(group)) return { groupId, errorCode: errorCodes.NON_EMPTY_GROUP }
        await this.#write(groupId, [...this.#removeOffsets(this.#core.offsets.keys(groupId)), ...this.#remove(group)])
        return { groupId, errorCode: errorCodes.NONE }
      }),
    )
  }

  async deleteOffsets(request: OffsetDeleteRequest): Promise<Input<OffsetDeleteResponse>> {
    const { groupId, topics } = request
    const group = this.#core.groups.get(groupId)
    if (group === undefined) return { errorCode: errorCodes.GROUP_ID_NOT_FOUND, topics: [] }
    if (!maySubscriptionsBeAsked(group)) return { errorCode: errorCodes.NON_EMPTY_GROUP, topics: [] }
    const known = new Map(this.#core.offsets.keys(groupId).map((key) => [nameOf(key), key]))
    const gone: OffsetKey[] = []
    const results: Input<OffsetDeleteResponseTopic>[] = topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => {
        const errorCode = this.#refuse(group, name, partitionIndex)
        const key = known.get(nameOf({ group: groupId, topic: name, partition: partitionIndex }))
        if (errorCode === errorCodes.NONE && key !== undefined) gone.push(key)
        return { partitionIndex, errorCode }
      }),
    }))
    await this.#write(groupId, this.#removeOffsets(gone))
    return { errorCode: errorCodes.NONE, topics: results }
  }

  /** Nobody can want offsets of a topic that is gone; a new topic of the same name starts without them. */
  async topicsDeleted(topics: Iterable<string>): Promise<void> {
    const deleted = new Set(topics)
    const byGroup = Map.groupBy(
      this.#core.offsets.keys().filter(({ topic }) => deleted.has(topic)),
      ({ group }) => group,
    )
    await Promise.all([...byGroup].map(([groupId, keys]) => this.#write(groupId, this.#removeOffsets(keys))))
  }

  /** Offsets that nobody has used for the retention time, then groups that have neither members nor offsets. */
  async expire(): Promise<void> {
    await Promise.all(
      this.#core.groups.all().map(([groupId, group]) => {
        const records = this.#removeOffsets(this.#expiredOf(groupId, group))
        const { offsets } = this.#core
        const isUnused = offsets.ofGroup(groupId).size === 0 && !offsets.hasOpenTransactions(groupId)
        return this.#write(groupId, isUnused && isEmpty(group) ? [...records, ...this.#remove(group)] : records)
      }),
    )
  }

  #expiredOf(groupId: string, group: Group): readonly OffsetKey[] {
    const { offsets, clock, options } = this.#core
    const expired: OffsetKey[] = []
    for (const [topic, partitions] of offsets.ofGroup(groupId)) {
      if (isSubscribedTo(group, topic)) continue
      for (const [partition, offset] of partitions) {
        const key = { group: groupId, topic, partition }
        if (isExpired(group, offset, clock.now(), options.offsetsRetentionMs) && !offsets.isPending(key))
          expired.push(key)
      }
    }
    return expired
  }

  #refuse(group: Group, topic: string, partition: number): number {
    if (!partitionExists(this.#core.topics, topic, partition)) return errorCodes.UNKNOWN_TOPIC_OR_PARTITION
    return isSubscribedTo(group, topic) ? errorCodes.GROUP_SUBSCRIBED_TO_TOPIC : errorCodes.NONE
  }

  #removeOffsets(keys: readonly OffsetKey[]): readonly StateRecord[] {
    for (const key of keys) this.#core.offsets.remove(key)
    return keys.map(offsetTombstone)
  }

  #remove(group: Group): readonly StateRecord[] {
    if (group.kind === 'consumer') {
      this.#core.groups.delete(group.consumer.groupId)
      group.consumer.close()
      return group.consumer.tombstones()
    }
    this.#core.groups.delete(group.classic.id)
    this.#rebalance.unload(group.classic, errorCodes.UNKNOWN_MEMBER_ID)
    return [groupTombstone(group.classic.id)]
  }

  #write(groupId: string, records: readonly StateRecord[]): Promise<void> {
    return this.#core.writer.writeInParts(groupId, records)
  }
}

/** Of a group with members that is no consumer's (Kafka Connect has such) nobody can say what it reads. */
function maySubscriptionsBeAsked(group: Group): boolean {
  return isEmpty(group) || group.kind === 'consumer' || group.classic.protocolType === consumerProtocolType
}

function nameOf({ topic, partition }: OffsetKey): string {
  return `${partition}/${topic}`
}
