/**
 * Which partition a record goes to: the one it names, else the user's function, else by its key as Kafka's clients do it.
 * Records without a key stick to one partition until a batch's worth of bytes went there, so that batches are full; then
 * chance picks the next one.
 */
import type { TopicInfo } from '../cluster/metadata.ts'
import type { Clock } from '../ports/clock.ts'
import { partitionOfKey } from './murmur2.ts'
import { invalid, type Outgoing } from './record.ts'

export interface PartitionerRecord {
  readonly topic: string
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/** From 0 to `partitions` − 1. */
export type Partitioner = (record: PartitionerRecord, partitions: number) => number

export class TopicPartitioner {
  readonly #clock: Clock
  readonly #custom: Partitioner | null
  readonly #stickyBytes: number
  #sticky = -1
  #bytesLeft = 0

  constructor(clock: Clock, custom: Partitioner | null, stickyBytes: number) {
    this.#clock = clock
    this.#custom = custom
    this.#stickyBytes = stickyBytes
  }

  partitionFor(record: Outgoing, topic: TopicInfo): number {
    if (record.partition !== null) return record.partition
    const count = topic.partitions.length
    if (this.#custom !== null) {
      const chosen = this.#custom(record, count)
      if (Number.isInteger(chosen) && chosen >= 0 && chosen < count) return chosen
      throw invalid(`the partitioner chose ${String(chosen)}, but '${topic.name}' has partitions 0 to ${count - 1}`)
    }
    if (record.key !== null) return partitionOfKey(record.key, count)
    if (this.#bytesLeft <= 0 || this.#sticky >= count) this.#move(topic)
    this.#bytesLeft -= record.cost
    return this.#sticky
  }

  #move({ partitions }: TopicInfo): void {
    this.#bytesLeft = this.#stickyBytes
    const before = this.#sticky
    const led: number[] = []
    const others: number[] = []
    for (let index = 0; index < partitions.length; index++) {
      if (index !== before) others.push(index)
      if (index !== before && (partitions[index]?.leader ?? -1) >= 0) led.push(index)
    }
    // Where nobody leads, a record would wait.
    const choice = led.length > 0 ? led : others
    this.#sticky = choice[Math.floor(this.#clock.random() * choice.length)] ?? 0
  }
}
