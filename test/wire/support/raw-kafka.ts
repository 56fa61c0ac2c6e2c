/**
 * What a test does to a cluster beside the consumer under test: topics, records, offsets, byte by byte over one raw
 * connection, so that nothing of the client under test is on this side.
 */
import assert from 'node:assert/strict'
import type { Api } from '../../../src/protocol/api.ts'
import { errorCodes, errorName } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { offsetCommitApi } from '../../../src/protocol/generated/08-offset-commit.ts'
import { offsetFetchApi } from '../../../src/protocol/generated/09-offset-fetch.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { describeGroupsApi } from '../../../src/protocol/generated/15-describe-groups.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../../../src/protocol/generated/20-delete-topics.ts'
import { deleteRecordsApi } from '../../../src/protocol/generated/21-delete-records.ts'
import { createPartitionsApi } from '../../../src/protocol/generated/37-create-partitions.ts'
import { incrementalAlterConfigsApi } from '../../../src/protocol/generated/44-incremental-alter-configs.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { type BatchFields, type BatchRecord, encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { RawClient } from '../../support/raw-client.ts'
import { until } from '../../support/wait.ts'

export interface Stored {
  readonly topic: string
  readonly partition: number
  readonly position: number
  readonly metadata: string | null
}

export interface Plain {
  readonly key?: string | null
  readonly value?: string | Buffer | null
  readonly headers?: readonly (readonly [string, Buffer | null])[]
  readonly timestamp?: number
}

export interface GroupMember {
  readonly memberId: string
  readonly instanceId: string | null
}

export class RawKafka implements AsyncDisposable {
  readonly #client: RawClient

  private constructor(client: RawClient) {
    this.#client = client
  }

  static async connect(brokers: readonly string[]): Promise<RawKafka> {
    return new RawKafka(await RawClient.connect(brokers[0] as string))
  }

  send<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>): Promise<R> {
    return this.#client.send(api, version, request)
  }

  /** Resolves when every partition has a leader. */
  async createTopic(name: string, partitions = 1, configs: Readonly<Record<string, string>> = {}): Promise<void> {
    const { topics } = await this.send(createTopicsApi, 5, {
      timeoutMs: 10_000,
      topics: [
        {
          name,
          numPartitions: partitions,
          replicationFactor: 1,
          configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
        },
      ],
    })
    mustBe(topics[0]?.errorCode, `CreateTopics ${name} ${topics[0]?.errorMessage ?? ''}`)
    await this.awaitPartitions(name, partitions)
  }

  async awaitPartitions(name: string, partitions: number): Promise<void> {
    await until(`${name} has ${partitions} partitions with leaders`, async () => {
      const { topics } = await this.send(metadataApi, 9, { topics: [{ name }], allowAutoTopicCreation: false })
      const [topic] = topics
      if (topic === undefined || topic.errorCode !== errorCodes.NONE) return false
      return topic.partitions.length === partitions && topic.partitions.every(({ leaderId }) => leaderId >= 0)
    })
  }

  async addPartitions(name: string, count: number): Promise<void> {
    const topics = [{ name, count, assignments: null }]
    const { results } = await this.send(createPartitionsApi, 2, { timeoutMs: 10_000, topics })
    mustBe(results[0]?.errorCode, `CreatePartitions ${name}`)
    await this.awaitPartitions(name, count)
  }

  async deleteTopic(name: string): Promise<void> {
    const { responses } = await this.send(deleteTopicsApi, 4, { topicNames: [name], timeoutMs: 10_000 })
    mustBe(responses[0]?.errorCode, `DeleteTopics ${name}`)
  }

  /** The log begins at this offset now. */
  async deleteBefore(topic: string, partition: number, offset: number): Promise<void> {
    const { topics } = await this.send(deleteRecordsApi, 2, {
      timeoutMs: 10_000,
      topics: [{ name: topic, partitions: [{ partitionIndex: partition, offset: BigInt(offset) }] }],
    })
    mustBe(topics[0]?.partitions[0]?.errorCode, `DeleteRecords ${topic}`)
  }

  /** One batch; its first offset. */
  async produce(
    topic: string,
    partition: number,
    records: readonly Plain[],
    fields: BatchFields = {},
  ): Promise<number> {
    return this.produceBatch(topic, partition, encodeBatch({ ...fields, records: records.map(toBatchRecord) }))
  }

  async produceBatch(
    topic: string,
    index: number,
    records: Buffer,
    transactionalId: string | null = null,
  ): Promise<number> {
    return until(`${topic}-${index} takes a batch`, async () => {
      const { responses } = await this.send(produceApi, 9, {
        transactionalId,
        acks: -1,
        timeoutMs: 10_000,
        topicData: [{ name: topic, partitionData: [{ index, records }] }],
      })
      const answer = responses[0]?.partitionResponses[0]
      // A fresh topic may not be everywhere yet.
      if (answer?.errorCode === errorCodes.UNKNOWN_TOPIC_OR_PARTITION) return false
      if (answer?.errorCode === errorCodes.NOT_LEADER_OR_FOLLOWER) return false
      mustBe(answer?.errorCode, `Produce to ${topic}-${index}`)
      return Number(answer?.baseOffset)
    })
  }

  /** `count` records with keys k0 … k(keys-1) in turn and values 0, 1, 2 …, in batches of 50. */
  async fill(topic: string, partition: number, count: number, keys = 10, from = 0): Promise<void> {
    for (let done = 0; done < count; done += 50) {
      const size = Math.min(50, count - done)
      const record = (_: unknown, at: number): Plain => {
        const number = from + done + at
        return { key: `k${number % keys}`, value: String(number) }
      }
      await this.produce(topic, partition, Array.from({ length: size }, record))
    }
  }

  /** Offsets of the records that the log holds. */
  async offsets(topic: string, partition: number): Promise<readonly number[]> {
    const found: number[] = []
    for (let fetchOffset = 0; ; ) {
      const { responses } = await this.send(fetchApi, 11, {
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: 2 ** 20,
        sessionEpoch: -1,
        topics: [{ topic, partitions: [{ partition, fetchOffset: BigInt(fetchOffset), partitionMaxBytes: 2 ** 20 }] }],
      })
      const records = responses[0]?.partitions[0]?.records ?? Buffer.alloc(0)
      const from = fetchOffset
      const cursor = new RecordCursor()
      for (const at of eachBatch(records)) {
        cursor.reset(records, at, 2 ** 30)
        while (cursor.next()) if (cursor.offset >= from) found.push(cursor.offset)
        fetchOffset = header.lastOffset(records, at) + 1
      }
      if (fetchOffset === from) return found
    }
  }

  /** What the group has stored, as it is. */
  async stored(group: string): Promise<readonly Stored[]> {
    const answer = await until(`the offsets of ${group}`, async () => {
      const { groups } = await this.send(offsetFetchApi, 8, {
        groups: [{ groupId: group, topics: null }],
        requireStable: false,
      })
      const found = groups[0]
      if (found?.errorCode === errorCodes.NONE) return found
      // The coordinator of a group that nobody has asked for yet is still to be found.
      await this.send(findCoordinatorApi, 4, { coordinatorKeys: [group], keyType: 0 })
      return false
    })
    return answer.topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset, metadata }) => ({
        topic: name,
        partition: partitionIndex,
        position: Number(committedOffset),
        metadata,
      })),
    )
  }

  async position(group: string, topic: string, partition: number): Promise<number> {
    const found = (await this.stored(group)).find((each) => each.topic === topic && each.partition === partition)
    return found?.position ?? -1
  }

  /** As somebody who is no member: the group must be empty. */
  async store(group: string, offsets: readonly Stored[]): Promise<void> {
    await until(`offsets of ${group} are stored`, async () => {
      await this.send(findCoordinatorApi, 4, { coordinatorKeys: [group], keyType: 0 })
      const { topics } = await this.send(offsetCommitApi, 8, {
        groupId: group,
        generationIdOrMemberEpoch: -1,
        memberId: '',
        topics: offsets.map(({ topic, partition, position, metadata }) => ({
          name: topic,
          partitions: [
            {
              partitionIndex: partition,
              committedOffset: BigInt(position),
              committedLeaderEpoch: -1,
              committedMetadata: metadata,
            },
          ],
        })),
      })
      return topics.every(({ partitions }) => partitions.every(({ errorCode }) => errorCode === errorCodes.NONE))
    })
  }

  async alterGroup(group: string, configs: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(configs).map(([name, value]) => ({ name, value, configOperation: 0 }))
    const resources = [{ resourceType: 32, resourceName: group, configs: entries }]
    const { responses } = await this.send(incrementalAlterConfigsApi, 1, { resources })
    for (const { errorCode, errorMessage } of responses) if (errorCode !== 0) throw new Error(String(errorMessage))
  }

  async members(group: string): Promise<readonly GroupMember[]> {
    const { groups } = await this.send(describeGroupsApi, 5, { groups: [group] })
    return (groups[0]?.members ?? []).map(({ memberId, groupInstanceId }) => ({
      memberId,
      instanceId: groupInstanceId,
    }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close()
  }
}

export function toBatchRecord({ key = null, value = null, headers, timestamp }: Plain): BatchRecord {
  return {
    key: key === null ? null : Buffer.from(key),
    value: typeof value === 'string' ? Buffer.from(value) : value,
    ...(headers === undefined ? {} : { headers }),
    timestampMs: timestamp ?? Date.now(),
  }
}

export function mustBe(code: number | undefined, what: string): void {
  assert.equal(code === undefined ? 'no answer' : errorName(code), 'NONE', what)
}
