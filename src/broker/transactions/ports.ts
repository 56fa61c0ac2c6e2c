/**
 * What the transaction coordinator needs from the rest of the broker: a durable log for its state, the partitions that a
 * transaction writes to, new producer ids, a clock.
 */

export interface StateRecord {
  readonly key: Buffer
  /** null: the key is gone. */
  readonly value: Buffer | null
}

/** The durable, compacted log behind the coordinator (`__transaction_state`). */
export interface StateLog {
  /** Appends in the order of the calls; resolves when the records are durable. Durable means: all before them are too. */
  append(records: readonly StateRecord[]): Promise<void>
}

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

export interface TransactionMarker {
  readonly kind: 'commit' | 'abort'
  readonly producerId: number
  readonly producerEpoch: number
  readonly coordinatorEpoch: number
}

/** A transaction that is open in the log of a partition. */
export interface OpenTransaction extends TopicPartition {
  readonly producerId: number
  readonly producerEpoch: number
}

/** All partitions, those of `__consumer_offsets` among them: the offsets in a transaction are one more partition of it. */
export interface TransactionPartitions {
  partitionExists(topic: string, partition: number): boolean
  /**
   * Resolves when the marker is durable, and also where nothing is left to be ended: the partition was deleted, or it
   * knows the producer under a later epoch. Rejects when it is worth another try.
   */
  appendMarker(topic: string, partition: number, marker: TransactionMarker): Promise<void>
  /** The partition of `__consumer_offsets` that holds the offsets of this group. */
  offsetsPartitionOf(groupId: string): number
}

/** Ids that no producer ever had, over restarts too. */
export interface ProducerIds {
  nextProducerId(): Promise<number> | number
}

export interface CoordinatorClock {
  now(): number
  /** Calls back once; the returned function cancels it. */
  timer(delayMs: number, callback: () => void): () => void
}
