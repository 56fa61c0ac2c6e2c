/** Transactions, in the explicit flow: partitions and groups are added before they are written to. */
import { initProducerIdApi } from '../../../protocol/generated/22-init-producer-id.ts'
import { addPartitionsToTxnApi } from '../../../protocol/generated/24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from '../../../protocol/generated/25-add-offsets-to-txn.ts'
import { endTxnApi } from '../../../protocol/generated/26-end-txn.ts'
import { txnOffsetCommitApi } from '../../../protocol/generated/28-txn-offset-commit.ts'
import { commitsOf, resultsOf } from './group-translations.ts'
import { type AnyTranslation, byTopic, codeOf, coordinator, numberOf, translation } from './translation.ts'

export const txnTranslations: readonly AnyTranslation[] = [
  translation({
    kind: 'InitProducerId',
    api: initProducerIdApi,
    lowest: 5,
    highest: 5,
    ask: ({ transactionalId, transactionTimeoutMs, producerId, producerEpoch }, asked) => ({
      // Without a transaction any broker gives out ids.
      node: transactionalId === null ? asked.node : coordinator(asked),
      transactionalId,
      transactionTimeoutMs,
      producerId: numberOf(producerId, asked),
      producerEpoch,
    }),
    answer: ({ errorCode, producerId, producerEpoch }) => ({
      errorCode: codeOf(errorCode),
      producerId: BigInt(producerId),
      producerEpoch,
    }),
  }),

  translation({
    kind: 'AddPartitionsToTxn',
    api: addPartitionsToTxnApi,
    lowest: 3,
    highest: 3,
    ask: (question, asked) => ({
      node: coordinator(asked),
      transactionalId: question.v3AndBelowTransactionalId,
      producerId: numberOf(question.v3AndBelowProducerId, asked),
      producerEpoch: question.v3AndBelowProducerEpoch,
      partitions: question.v3AndBelowTopics.flatMap(({ name, partitions }) =>
        partitions.map((partition) => ({ topic: name, partition })),
      ),
    }),
    answer: ({ partitions }) => ({
      resultsByTopicV3AndBelow: byTopic(partitions, (name, list) => ({
        name,
        resultsByPartition: list.map(({ partition, errorCode }) => ({
          partitionIndex: partition,
          partitionErrorCode: codeOf(errorCode),
        })),
      })),
    }),
  }),

  translation({
    kind: 'AddOffsetsToTxn',
    api: addOffsetsToTxnApi,
    lowest: 4,
    highest: 4,
    ask: ({ transactionalId, producerId, producerEpoch, groupId }, asked) => ({
      node: coordinator(asked),
      transactionalId,
      producerId: numberOf(producerId, asked),
      producerEpoch,
      groupId,
    }),
    answer: ({ errorCode }) => ({ errorCode: codeOf(errorCode) }),
  }),

  translation({
    kind: 'TxnOffsetCommit',
    api: txnOffsetCommitApi,
    lowest: 4,
    highest: 4,
    ask: (question, asked) => ({
      node: coordinator(asked),
      transactionalId: question.transactionalId,
      groupId: question.groupId,
      producerId: numberOf(question.producerId, asked),
      producerEpoch: question.producerEpoch,
      generationId: question.generationId,
      memberId: question.memberId,
      groupInstanceId: question.groupInstanceId,
      partitions: commitsOf(question.topics, asked),
    }),
    answer: ({ partitions }) => ({ topics: resultsOf(partitions) }),
  }),

  translation({
    kind: 'EndTxn',
    api: endTxnApi,
    lowest: 4,
    highest: 4,
    ask: ({ transactionalId, producerId, producerEpoch, committed }, asked) => ({
      node: coordinator(asked),
      transactionalId,
      producerId: numberOf(producerId, asked),
      producerEpoch,
      committed,
    }),
    answer: ({ errorCode }) => ({ errorCode: codeOf(errorCode) }),
  }),
]
