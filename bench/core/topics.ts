/** Topics of the workloads: made, filled as a producer under load fills them, asked about, deleted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Coordinator } from '../../src/cluster/coordinator.ts'
import { Metadata } from '../../src/cluster/metadata.ts'
import { Cluster } from '../../src/cluster/net/cluster.ts'
import { anyNode } from '../../src/cluster/wire.ts'
import { produceApi } from '../../src/protocol/generated/00-produce.ts'
import { listOffsetsApi } from '../../src/protocol/generated/02-list-offsets.ts'
import { offsetFetchApi } from '../../src/protocol/generated/09-offset-fetch.ts'
import { createTopicsApi } from '../../src/protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../../src/protocol/generated/20-delete-topics.ts'
import { BatchBuilder } from '../../src/protocol/record-batch/writer.ts'
import { SystemClock } from '../../src/system-clock.ts'
import { keyText, type Plan, writeValue } from './plan.ts'

/** What a producer with a full buffer sends: 500 to 1,000 records of 100 bytes in a batch. */
const batchRecordsMin = 500
const batchRecordsMax = 1_000

/** Enough that some are kept in each partition of the offsets topic. */
const groupsTried = 100

const readyTimeoutMs = 60_000
/** Topic unknown, leader unknown, not the leader: a broker that has not heard of a new topic yet. */
const notReady: readonly (number | undefined)[] = [3, 5, 6]

/** By name from here down, so that no id is needed. */
const namesTo = 12

export class Topics {
  readonly #wire: Cluster
  readonly #metadata: Metadata

  constructor(brokers: readonly string[]) {
    this.#wire = new Cluster({ brokers, clientId: 'bench', clock: new SystemClock() })
    this.#metadata = new Metadata(this.#wire)
  }

  async create(name: string, partitions: number): Promise<void> {
    const answer = await this.#wire.ask(anyNode, createTopicsApi, {
      topics: [{ name, numPartitions: partitions, replicationFactor: 1 }],
      timeoutMs: 30_000,
    })
    demand(`create ${name}`, answer?.body.topics[0]?.errorCode)
    const deadlineMs = performance.now() + readyTimeoutMs
    for (let isReady = false; !isReady; ) {
      await this.#metadata.refresh([name])
      const found = this.#metadata.topic(name)?.partitions ?? []
      isReady = found.length === partitions && found.every(({ leader }) => leader >= 0)
      if (isReady) break
      if (performance.now() > deadlineMs) throw new Error(`${name} has no leaders after ${readyTimeoutMs} ms`)
      await sleep(100)
    }
  }

  async delete(name: string): Promise<void> {
    const answer = await this.#wire.ask(anyNode, deleteTopicsApi, {
      topics: [{ name }],
      topicNames: [name],
      timeoutMs: 30_000,
    })
    demand(`delete ${name}`, answer?.body.responses[0]?.errorCode)
  }

  /** Writes what is planned, or so many records of it, each key to the partition where Kafka's clients would put it, and sees that it is there. */
  async fill(topic: string, plan: Plan, records: number = plan.shape.records): Promise<void> {
    const { shape, keyOf, idOf, partitionOfKey } = plan
    const value = Buffer.alloc(shape.valueBytes, 'x')
    const builders = plan.ends.map(() => new BatchBuilder({ initialBytes: 8 * 1024 }))
    const limits = builders.map((_, n) => limitOf(n))
    let sent: Promise<void> = Promise.resolve()
    for (let n = 0; n < records; n++) {
      const key = keyOf[n] ?? 0
      const partition = partitionOfKey[key] ?? 0
      const builder = builders[partition] as BatchBuilder
      writeValue(value, plan, idOf[n] ?? 0)
      builder.append({ key: Buffer.from(keyText(key)), value, timestampMs: Date.now() })
      if (builder.count < (limits[partition] ?? 0)) continue
      limits[partition] = limitOf(n)
      await sent
      sent = this.#produce(topic, partition, builder.close())
    }
    await sent
    for (const [partition, builder] of builders.entries()) {
      if (builder.count > 0) await this.#produce(topic, partition, builder.close())
    }
    const ends = await this.ends(topic)
    if (records === shape.records && ends.join() !== plan.ends.join())
      throw new Error(`${topic} was filled to ${ends}, not to ${plan.ends}`)
  }

  async ends(topic: string): Promise<number[]> {
    const { partitions } = this.#metadata.topic(topic) ?? { partitions: [] }
    const ends = partitions.map(async ({ leader }, partitionIndex) => {
      const answer = await this.#wire.ask(leader, listOffsetsApi, {
        replicaId: -1,
        topics: [{ name: topic, partitions: [{ partitionIndex, currentLeaderEpoch: -1, timestamp: -1n }] }],
      })
      const found = answer?.body.topics[0]?.partitions[0]
      demand(`end of ${topic}-${partitionIndex}`, found?.errorCode)
      return Number(found?.offset)
    })
    return Promise.all(ends)
  }

  /** What the group has committed, partition by partition; −1: nothing. */
  async committed(group: string, topic: string, partitions: number): Promise<number[]> {
    const node = (await new Coordinator(this.#wire, 'group', group).find()) ?? anyNode
    const partitionIndexes = Array.from({ length: partitions }, (_, index) => index)
    const question = {
      groups: [{ groupId: group, memberId: null, memberEpoch: -1, topics: [{ name: topic, partitionIndexes }] }],
      requireStable: true,
    }
    const answer = await this.#wire.ask(node, offsetFetchApi, question, { maxVersion: 9 })
    demand(`offsets of ${group}`, answer?.body.groups[0]?.errorCode)
    const found = answer?.body.groups[0]?.topics[0]?.partitions ?? []
    return partitionIndexes.map((index) => {
      const one = found.find(({ partitionIndex }) => partitionIndex === index)
      return Number(one?.committedOffset ?? -1n)
    })
  }

  /** The first group of a broker waits until the topic of offsets is made and read. */
  async makeGroupsReady(topic: string): Promise<void> {
    const deadlineMs = performance.now() + readyTimeoutMs
    for (let group = 0; group < groupsTried; ) {
      try {
        await this.committed(`ready-${group}`, topic, 1)
        group++
      } catch (error) {
        if (performance.now() > deadlineMs) throw error
        await sleep(100)
      }
    }
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  async #produce(topic: string, index: number, records: Buffer): Promise<void> {
    const { leader } = this.#metadata.partition(topic, index)
    const question = { acks: -1, timeoutMs: 30_000, topicData: [{ name: topic, partitionData: [{ index, records }] }] }
    const deadlineMs = performance.now() + readyTimeoutMs
    for (;;) {
      const answer = await this.#wire.ask(leader, produceApi, question, { maxVersion: namesTo })
      const code = answer?.body.responses[0]?.partitionResponses[0]?.errorCode
      if (!notReady.includes(code) || performance.now() > deadlineMs) return demand(`fill ${topic}-${index}`, code)
      await sleep(100)
    }
  }
}

/** Not all batches are equally large. The same sizes in every run. */
const limitOf = (n: number): number => batchRecordsMin + ((n * 31) % (batchRecordsMax - batchRecordsMin))

function demand(what: string, errorCode: number | undefined): void {
  if (errorCode !== 0) throw new Error(`${what}: ${errorCode === undefined ? 'no answer' : `error ${errorCode}`}`)
}
