/** A transactional producer by hand: every request is one call, so that a test decides what happens between them. */
import { errorCodes } from '../../../src/protocol/errors.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import { addPartitionsToTxnApi } from '../../../src/protocol/generated/24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from '../../../src/protocol/generated/25-add-offsets-to-txn.ts'
import { endTxnApi } from '../../../src/protocol/generated/26-end-txn.ts'
import { txnOffsetCommitApi } from '../../../src/protocol/generated/28-txn-offset-commit.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { until } from '../../support/wait.ts'
import { mustBe, type Plain, type RawKafka, type Stored, toBatchRecord } from './raw-kafka.ts'

const again: ReadonlySet<number> = new Set([
  errorCodes.CONCURRENT_TRANSACTIONS,
  errorCodes.COORDINATOR_LOAD_IN_PROGRESS,
  errorCodes.COORDINATOR_NOT_AVAILABLE,
  errorCodes.NOT_COORDINATOR,
])

export class RawTransactions {
  readonly #raw: RawKafka
  readonly #id: string
  readonly #producer: { readonly producerId: bigint; readonly producerEpoch: number }
  readonly #sequences: Map<string, number> = new Map()
  #added: Set<string> = new Set()

  private constructor(raw: RawKafka, id: string, producerId: bigint, producerEpoch: number) {
    this.#raw = raw
    this.#id = id
    this.#producer = { producerId, producerEpoch }
  }

  static async init(raw: RawKafka, transactionalId: string, timeoutMs = 60_000): Promise<RawTransactions> {
    const answer = await until(`${transactionalId} has a producer id`, async () => {
      await raw.send(findCoordinatorApi, 4, { coordinatorKeys: [transactionalId], keyType: 1 })
      const said = await raw.send(initProducerIdApi, 4, {
        transactionalId,
        transactionTimeoutMs: timeoutMs,
        producerId: -1n,
        producerEpoch: -1,
      })
      return !again.has(said.errorCode) && said
    })
    mustBe(answer.errorCode, 'InitProducerId')
    return new RawTransactions(raw, transactionalId, answer.producerId, answer.producerEpoch)
  }

  /** One batch, in the transaction that is open or begins with it. */
  async write(topic: string, partition: number, records: readonly Plain[]): Promise<number> {
    const key = `${topic}-${partition}`
    if (!this.#added.has(key)) await this.#add(topic, partition)
    const baseSequence = this.#sequences.get(key) ?? 0
    this.#sequences.set(key, baseSequence + records.length)
    const { producerId, producerEpoch } = this.#producer
    const batch = encodeBatch({
      records: records.map(toBatchRecord),
      producerId: Number(producerId),
      producerEpoch,
      baseSequence,
      transactional: true,
    })
    return this.#raw.produceBatch(topic, partition, batch, this.#id)
  }

  async storeOffset(groupId: string, { topic, partition, position, metadata }: Stored): Promise<void> {
    const answer = await until('the group is in the transaction', async () => {
      const said = await this.#raw.send(addOffsetsToTxnApi, 3, {
        transactionalId: this.#id,
        ...this.#producer,
        groupId,
      })
      return !again.has(said.errorCode) && said
    })
    mustBe(answer.errorCode, 'AddOffsetsToTxn')
    const { topics } = await until('the offset is pending', async () => {
      await this.#raw.send(findCoordinatorApi, 4, { coordinatorKeys: [groupId], keyType: 0 })
      const said = await this.#raw.send(txnOffsetCommitApi, 3, {
        transactionalId: this.#id,
        groupId,
        ...this.#producer,
        generationId: -1,
        memberId: '',
        topics: [
          {
            name: topic,
            partitions: [{ partitionIndex: partition, committedOffset: BigInt(position), committedMetadata: metadata }],
          },
        ],
      })
      return !again.has(said.topics[0]?.partitions[0]?.errorCode ?? 0) && said
    })
    mustBe(topics[0]?.partitions[0]?.errorCode, 'TxnOffsetCommit')
  }

  async end(committed: boolean): Promise<void> {
    const answer = await until('the transaction ends', async () => {
      const said = await this.#raw.send(endTxnApi, 3, { transactionalId: this.#id, ...this.#producer, committed })
      return !again.has(said.errorCode) && said
    })
    mustBe(answer.errorCode, 'EndTxn')
    this.#added = new Set()
  }

  async #add(topic: string, partition: number): Promise<void> {
    const { producerId, producerEpoch } = this.#producer
    const code = await until(`${topic}-${partition} is in the transaction`, async () => {
      const said = await this.#raw.send(addPartitionsToTxnApi, 3, {
        v3AndBelowTransactionalId: this.#id,
        v3AndBelowProducerId: producerId,
        v3AndBelowProducerEpoch: producerEpoch,
        v3AndBelowTopics: [{ name: topic, partitions: [partition] }],
      })
      const found = said.resultsByTopicV3AndBelow[0]?.resultsByPartition[0]?.partitionErrorCode ?? -1
      return !again.has(found) && found !== errorCodes.UNKNOWN_TOPIC_OR_PARTITION && { found }
    })
    mustBe(code.found, 'AddPartitionsToTxn')
    this.#added.add(`${topic}-${partition}`)
  }
}
