/**
 * AddPartitionsToTxn: partitions that a transaction is about to write to.
 * v0–3 one transaction, from clients · v4+ several, from other brokers, which may only verify.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type AddPartitionsToTxnRequest,
  type AddPartitionsToTxnTopic,
  type AddPartitionsToTxnTopicResult,
  type AddPartitionsToTxnTransaction,
  addPartitionsToTxnApi,
} from '../../protocol/generated/24-add-partitions-to-txn.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function addPartitionsToTxn(broker: Broker): Route {
  const add = async (
    transaction: AddPartitionsToTxnTransaction,
    version: number,
  ): Promise<Input<AddPartitionsToTxnTopicResult>[]> => {
    const partitions = transaction.topics.flatMap(({ name, partitions }) =>
      partitions.map((partition) => ({ topic: name, partition })),
    )
    const errors = await broker.transactions.addPartitions({
      version,
      transactionalId: transaction.transactionalId,
      producerId: Number(transaction.producerId),
      producerEpoch: transaction.producerEpoch,
      verifyOnly: transaction.verifyOnly,
      partitions,
    })
    return results(transaction.topics, errors)
  }
  return route(addPartitionsToTxnApi, {
    handle: async (request, { version }) => {
      if (version < 4) return { resultsByTopicV3AndBelow: await add(single(request), version) }
      const resultsByTransaction = await Promise.all(
        request.transactions.map(async (t) => ({
          transactionalId: t.transactionalId,
          topicResults: await add(t, version),
        })),
      )
      return { errorCode: errorCodes.NONE, resultsByTransaction }
    },
    refuse: (request, errorCode, { version }) => {
      if (version >= 4) return { errorCode }
      const { topics } = single(request)
      return {
        resultsByTopicV3AndBelow: results(
          topics,
          Array.from({ length: count(topics) }, () => errorCode),
        ),
      }
    },
  })
}

function single(request: AddPartitionsToTxnRequest): AddPartitionsToTxnTransaction {
  return {
    transactionalId: request.v3AndBelowTransactionalId,
    producerId: request.v3AndBelowProducerId,
    producerEpoch: request.v3AndBelowProducerEpoch,
    verifyOnly: false,
    topics: request.v3AndBelowTopics,
  }
}

function count(topics: readonly AddPartitionsToTxnTopic[]): number {
  return topics.reduce((sum, { partitions }) => sum + partitions.length, 0)
}

/** One error for each partition, in the order of the request. */
function results(
  topics: readonly AddPartitionsToTxnTopic[],
  errors: readonly number[],
): Input<AddPartitionsToTxnTopicResult>[] {
  let next = 0
  return topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: errors[next++] ?? 0,
    })),
  }))
}
