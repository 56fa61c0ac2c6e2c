/** Reads the state back from the log, record by record, in the order in which they were written. */
import { consumerGroupMetadataKeyType } from '../../protocol/generated/consumer-group-metadata-key.ts'
import type { BrokerLog } from '../broker-log.ts'
import { restoredGroup } from './classic/stored.ts'
import type { ConsumerGroup } from './consumer/consumer-group.ts'
import { createClassic, type GroupCore } from './core.ts'
import { restoredOffset } from './offsets.ts'
import { type OffsetKey, readGroupValue, readOffsetValue, readStateKey, type StateKey } from './records.ts'

export class Replay {
  readonly #core: GroupCore
  readonly #createConsumer: (groupId: string) => ConsumerGroup
  readonly #log: BrokerLog

  constructor(core: GroupCore, createConsumer: (groupId: string) => ConsumerGroup, log: BrokerLog) {
    this.#core = core
    this.#createConsumer = createConsumer
    this.#log = log
  }

  record(key: Buffer, value: Buffer | null): void {
    const stateKey = readStateKey(key)
    switch (stateKey.kind) {
      case 'offset':
        this.#offset(stateKey, value)
        return
      case 'classic':
        this.#classic(stateKey.group, value)
        return
      case 'consumer':
        this.#consumer(stateKey, key, value)
        return
      case 'foreign':
        this.#log.warn(`a record of the unknown type ${stateKey.type} in the state of groups is ignored`)
    }
  }

  /** A record of a transaction whose end comes later in the log, or never came. */
  pending(producerId: number, key: Buffer, value: Buffer | null): void {
    const stateKey = readStateKey(key)
    if (stateKey.kind !== 'offset' || value === null) {
      this.#log.warn('a record in the state of groups that cannot be part of a transaction is ignored')
      return
    }
    this.#obtainGroup(stateKey.group)
    this.#core.offsets.commitInTransaction(producerId, null, stateKey, restoredOffset(readOffsetValue(value)))
  }

  /** After the last record. */
  end(): void {
    for (const [groupId, group] of this.#core.groups.all()) {
      if (group.kind === 'consumer' && !group.consumer.exists) this.#drop(groupId, group.consumer)
    }
  }

  #offset(key: OffsetKey, value: Buffer | null): void {
    if (value === null) {
      this.#core.offsets.remove(key)
      return
    }
    this.#obtainGroup(key.group)
    this.#core.offsets.commit(key, restoredOffset(readOffsetValue(value)))
  }

  #classic(groupId: string, value: Buffer | null): void {
    const { groups } = this.#core
    if (value !== null) {
      groups.consumer(groupId)?.close()
      groups.setClassic(restoredGroup(groupId, readGroupValue(value)))
    } else if (groups.classic(groupId) !== undefined) groups.delete(groupId)
  }

  #consumer({ group: groupId, type }: StateKey & { kind: 'consumer' }, key: Buffer, value: Buffer | null): void {
    const { groups } = this.#core
    const known = groups.consumer(groupId)
    if (known === undefined && value === null) return
    const consumer = known ?? groups.setConsumer(groupId, this.#createConsumer(groupId))
    consumer.replay(type, key, value)
    // The last of the tombstones. Before it, compaction may have left any part of the group without the others.
    if (type === consumerGroupMetadataKeyType && value === null) this.#drop(groupId, consumer)
  }

  #drop(groupId: string, consumer: ConsumerGroup): void {
    consumer.close()
    this.#core.groups.delete(groupId)
  }

  /** Offsets without a group: somebody who uses no membership committed them. */
  #obtainGroup(groupId: string): void {
    if (this.#core.groups.get(groupId) === undefined) createClassic(this.#core, groupId)
  }
}
