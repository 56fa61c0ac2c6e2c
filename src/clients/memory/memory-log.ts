/**
 * A log in memory, for demos and tests of handlers: topics, partitions, consumer groups and committed offsets, in this
 * process and gone with it. It has no faults of its own; the simulator is for those.
 */
import { FanlaneError } from '../../errors.ts'
import type { Header, OutgoingRecord, RawRecord } from '../../ports/log-client.ts'
import { MemoryGroup } from './memory-group.ts'

/** As Apache Kafka's default `offset.metadata.max.bytes`, which counts UTF-16 units. */
export const METADATA_MAX_CHARS = 4_096

export interface AppendRecord {
  readonly key?: Buffer | string | null
  readonly value?: Buffer | string | null
  readonly headers?: readonly Header[]
  readonly partition?: number
  /** Milliseconds since the epoch; now if it is not given. */
  readonly timestamp?: number
}

export class MemoryLog {
  readonly #topics: Map<string, RawRecord[][]> = new Map()
  readonly #groups: Map<string, MemoryGroup> = new Map()
  readonly #listeners: Set<() => void> = new Set()
  #nextUnkeyed = 0

  constructor(topics: Readonly<Record<string, number>>) {
    for (const [topic, partitions] of Object.entries(topics)) this.createTopic(topic, partitions)
  }

  createTopic(topic: string, partitions: number): void {
    if (!Number.isSafeInteger(partitions) || partitions < 1) {
      throw new FanlaneError('BAD_PARTITION_COUNT', `Topic ${topic} needs at least one partition, not ${partitions}.`)
    }
    if (this.#topics.has(topic)) return
    this.#topics.set(
      topic,
      Array.from({ length: partitions }, () => []),
    )
  }

  get topics(): readonly string[] {
    return [...this.#topics.keys()]
  }

  partitionsOf(topic: string): number {
    return this.#topics.get(topic)?.length ?? 0
  }

  /** Records of a partition; the offset is the index. */
  records(topic: string, partition: number): readonly RawRecord[] {
    const records = this.#topics.get(topic)?.[partition]
    if (records !== undefined) return records
    throw new FanlaneError(
      'UNKNOWN_PARTITION',
      `There is no ${topic}-${partition}: create the topic with enough partitions.`,
    )
  }

  append(topic: string, record: AppendRecord | readonly AppendRecord[]): readonly RawRecord[] {
    const records = Array.isArray(record) ? (record as readonly AppendRecord[]) : [record as AppendRecord]
    const stored = records.map((each) => this.#store(topic, each))
    for (const listener of this.#listeners) listener()
    return stored
  }

  /** A topic that outputs go to is created on first use, as most brokers do. */
  appendOutgoing(records: readonly OutgoingRecord[]): void {
    for (const record of records) {
      if (!this.#topics.has(record.topic)) this.createTopic(record.topic, 1)
      this.append(record.topic, record)
    }
  }

  group(name: string): MemoryGroup {
    const group = this.#groups.get(name) ?? new MemoryGroup(this)
    this.#groups.set(name, group)
    return group
  }

  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #store(topic: string, record: AppendRecord): RawRecord {
    const partitions = this.#topics.get(topic)
    if (partitions === undefined) {
      throw new FanlaneError(
        'UNKNOWN_TOPIC',
        `There is no topic ${topic}: create it with createTopic('${topic}', partitions).`,
      )
    }
    const key = bytes(record.key)
    const value = bytes(record.value)
    const partition = record.partition ?? this.#partitionFor(key, partitions.length)
    const records = partitions[partition]
    if (records === undefined) {
      throw new FanlaneError(
        'UNKNOWN_PARTITION',
        `Topic ${topic} has ${partitions.length} partitions, not ${partition + 1}.`,
      )
    }
    const stored: RawRecord = {
      topic,
      partition,
      offset: records.length,
      timestamp: record.timestamp ?? Date.now(),
      size: (key?.length ?? 0) + (value?.length ?? 0) + 20,
      key,
      value,
      headers: record.headers ?? [],
    }
    records.push(stored)
    return stored
  }

  /** The same key goes to the same partition; no key: one after the other. */
  #partitionFor(key: Buffer | null, partitions: number): number {
    if (key === null) return this.#nextUnkeyed++ % partitions
    let hash = 0x811c9dc5
    for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193)
    return (hash >>> 0) % partitions
  }
}

function bytes(value: Buffer | string | null | undefined): Buffer | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? Buffer.from(value) : value
}
