/** A transaction that a test opens, fills and ends, one request at a time. */
import type { TestContext } from 'node:test'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import { addPartitionsToTxnApi } from '../../../src/protocol/generated/24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from '../../../src/protocol/generated/25-add-offsets-to-txn.ts'
import { endTxnApi } from '../../../src/protocol/generated/26-end-txn.ts'
import { txnOffsetCommitApi } from '../../../src/protocol/generated/28-txn-offset-commit.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { RawClient } from '../../support/raw-client.ts'
import { unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { connected, noError, produce, type Reachable } from './support.ts'

interface Identity {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
}

export class Transaction {
  readonly #client: RawClient
  readonly #identity: Identity
  readonly timestampMs: number = Date.now()

  private constructor(client: RawClient, identity: Identity) {
    this.#client = client
    this.#identity = identity
  }

  static async begin(t: TestContext, target: Reachable): Promise<Transaction> {
    const client = await connected(t, target)
    const transactionalId = unique('tx')
    const { producerId, producerEpoch } = await until('a producer id', async () => {
      // The first who asks for the coordinator makes the broker create its log of transactions.
      await client.send(findCoordinatorApi, 4, { coordinatorKeys: [transactionalId], keyType: 1 })
      const request = { transactionalId, transactionTimeoutMs: 30_000, producerId: -1n, producerEpoch: -1 }
      const answer = await client.send(initProducerIdApi, 3, request)
      return noError(answer.errorCode) && answer
    })
    return new Transaction(client, { transactionalId, producerId, producerEpoch })
  }

  get id(): string {
    return this.#identity.transactionalId
  }

  get producerId(): number {
    return Number(this.#identity.producerId)
  }

  /** The first record, in partition 0. */
  async write(topic: string): Promise<void> {
    const { transactionalId, producerId, producerEpoch } = this.#identity
    await until('the partition is in', async () => {
      const { resultsByTopicV3AndBelow } = await this.#client.send(addPartitionsToTxnApi, 3, {
        v3AndBelowTransactionalId: transactionalId,
        v3AndBelowProducerId: producerId,
        v3AndBelowProducerEpoch: producerEpoch,
        v3AndBelowTopics: [{ name: topic, partitions: [0] }],
      })
      return noError(resultsByTopicV3AndBelow[0]!.resultsByPartition[0]!.partitionErrorCode)
    })
    const records = encodeBatch({
      records: [{ key: null, value: Buffer.from('x'), timestampMs: this.timestampMs }],
      producerId: this.producerId,
      producerEpoch,
      baseSequence: 0,
      transactional: true,
    })
    await produce(this.#client, topic, 0, records, transactionalId)
  }

  /** Of partition 0. */
  async commitOffset(groupId: string, topic: string, offset: number): Promise<void> {
    await until('the group is in', async () =>
      noError((await this.#client.send(addOffsetsToTxnApi, 3, { ...this.#identity, groupId })).errorCode),
    )
    await until('the offset is pending', async () => {
      await this.#client.send(findCoordinatorApi, 4, { coordinatorKeys: [groupId], keyType: 0 })
      const partitions = [{ partitionIndex: 0, committedOffset: BigInt(offset), committedMetadata: 'pending' }]
      const { topics } = await this.#client.send(txnOffsetCommitApi, 3, {
        ...this.#identity,
        groupId,
        topics: [{ name: topic, partitions }],
      })
      return noError(topics[0]!.partitions[0]!.errorCode)
    })
  }

  async end(): Promise<void> {
    await until('the end', async () =>
      noError((await this.#client.send(endTxnApi, 3, { ...this.#identity, committed: true })).errorCode),
    )
  }
}
