/**
 * What the group coordinator needs from the rest of the broker: a durable log for its state, a view of the topics, a clock.
 */
import type { Uuid } from '../../protocol/types.ts'

export interface StateRecord {
  readonly key: Buffer
  readonly value: Buffer | null
}

/** The durable, compacted log behind the coordinator (`__consumer_offsets`). */
export interface StateLog {
  /**
   * Appends in the order of the calls; resolves when the records are durable. With `producer` the records are part of that
   * producer's open transaction and count only once its marker is in the log.
   */
  append(records: readonly StateRecord[], producer?: { readonly id: number; readonly epoch: number }): Promise<void>
}

export interface TopicsView {
  partitionCount(topic: string): number | undefined
  topicId(topic: string): Uuid | undefined
  topicName(id: Uuid): string | undefined
  names(): Iterable<string>
  /** Called after topics were created, deleted or got partitions. */
  onChange(listener: () => void): void
}
