/**
 * Reading and writing partitions. Fetch speaks with topic ids (version 17) or with names (12); there are no fetch sessions:
 * a broker may refuse them, and this one always does.
 */
import { produceApi } from '../../../protocol/generated/00-produce.ts'
import { type FetchRequest as FetchQuestion, type FetchTopic, fetchApi } from '../../../protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../protocol/generated/02-list-offsets.ts'
import { metadataApi } from '../../../protocol/generated/03-metadata.ts'
import { offsetForLeaderEpochApi } from '../../../protocol/generated/23-offset-for-leader-epoch.ts'
import { zeroUuid } from '../../../protocol/types.ts'
import type { FetchResponse } from '../cluster/log-messages.ts'
import { bytesOfBatch, producedBatch } from './batches.ts'
import {
  type AnyTranslation,
  type Asked,
  byTopic,
  codeOf,
  isolationOf,
  need,
  notModelled,
  numberOf,
  someLeader,
  translation,
} from './translation.ts'

/** From this version on topics have ids and no names. */
const fetchByIdFrom = 13
const acksOfAll = -1

function checkFetch(question: FetchQuestion, asked: Asked): void {
  const { sessionId, sessionEpoch, forgottenTopicsData, replicaId, replicaState } = question
  // Epoch 0 asks for a new session, which is refused by answering with session 0; −1 wants none.
  need(sessionId === 0 && (sessionEpoch === 0 || sessionEpoch === -1), asked, `fetch session ${sessionId}`)
  need(forgottenTopicsData.length === 0, asked, 'fetch sessions, and so nothing to forget')
  need(replicaId === -1 && replicaState.replicaId === -1, asked, 'followers')
}

function nameOfFetched({ topic, topicId }: FetchTopic, { version, map }: Asked): string {
  return version < fetchByIdFrom ? topic : map.nameOf(topicId)
}

type FetchedPartition = FetchResponse['partitions'][number]

function fetched({ partition, errorCode, abortedTransactions, batches, ...marks }: FetchedPartition) {
  return {
    partitionIndex: partition,
    errorCode: codeOf(errorCode),
    highWatermark: BigInt(marks.highWatermark),
    lastStableOffset: BigInt(marks.lastStableOffset),
    logStartOffset: BigInt(marks.logStartOffset),
    abortedTransactions:
      abortedTransactions?.map(({ producerId, firstOffset }) => ({
        producerId: BigInt(producerId),
        firstOffset: BigInt(firstOffset),
      })) ?? null,
    preferredReadReplica: -1,
    records: batches.map(bytesOfBatch),
  }
}

export const logTranslations: readonly AnyTranslation[] = [
  translation({
    kind: 'Metadata',
    api: metadataApi,
    lowest: 12,
    highest: 12,
    // Whether missing topics are created is the broker's choice: this one never does.
    ask: ({ topics }, asked) => {
      if (topics === null) throw notModelled(asked.api, 'all topics: name those that are wanted')
      return {
        topics: topics.map(({ name }) => {
          if (name === null) throw notModelled(asked.api, 'topics by id')
          return name
        }),
      }
    },
    answer: ({ topics }, { map }) => ({
      brokers: map.nodes.map((node) => ({ ...node, rack: null })),
      clusterId: 'sim',
      controllerId: 1,
      topics: topics.map(({ topic, errorCode, partitions }) => ({
        errorCode: codeOf(errorCode),
        name: topic,
        topicId: errorCode === 'NONE' ? map.idOf(topic) : zeroUuid,
        isInternal: false,
        partitions: partitions.map(({ partition, leaderEpoch }) => ({
          errorCode: codeOf('NONE'),
          partitionIndex: partition,
          leaderId: map.leaderOf(partition, leaderEpoch),
          leaderEpoch,
          replicaNodes: [map.leaderOf(partition, leaderEpoch)],
          isrNodes: [map.leaderOf(partition, leaderEpoch)],
        })),
      })),
    }),
  }),

  translation({
    kind: 'Produce',
    api: produceApi,
    lowest: 11,
    highest: 11,
    ask: ({ transactionalId, acks, topicData }, asked) => {
      someLeader(asked)
      need(acks === acksOfAll, asked, `acks=${acks}`)
      const partitions = topicData.flatMap(({ name, partitionData }) =>
        partitionData.map(({ index, records }) => {
          return { topic: name, partition: index, ...producedBatch(records, `${name}-${index}`) }
        }),
      )
      return { transactionalId, partitions }
    },
    answer: ({ partitions }) => ({
      responses: byTopic(partitions, (name, list) => ({
        name,
        partitionResponses: list.map(({ partition, errorCode, baseOffset }) => ({
          index: partition,
          errorCode: codeOf(errorCode),
          baseOffset: BigInt(baseOffset),
          logAppendTimeMs: -1n,
          logStartOffset: -1n,
          errorMessage: null,
        })),
      })),
    }),
  }),

  translation({
    kind: 'Fetch',
    api: fetchApi,
    lowest: 12,
    highest: 17,
    ask: (question, asked) => {
      someLeader(asked)
      checkFetch(question, asked)
      const partitions = question.topics.flatMap((each) => {
        const topic = nameOfFetched(each, asked)
        return each.partitions.map((wanted) => {
          need(wanted.lastFetchedEpoch === -1, asked, 'divergence found by a fetch: ask OffsetForLeaderEpoch')
          const { partition, currentLeaderEpoch, partitionMaxBytes } = wanted
          return {
            topic,
            partition,
            currentLeaderEpoch,
            fetchOffset: numberOf(wanted.fetchOffset, asked),
            partitionMaxBytes,
          }
        })
      })
      const { maxWaitMs, minBytes, maxBytes, isolationLevel } = question
      return {
        // Content with nothing is answered at once. Anything else is content with one record: a broker may bring less.
        maxWaitMs: minBytes <= 0 ? 0 : maxWaitMs,
        maxBytes,
        isolationLevel: isolationOf(isolationLevel, asked),
        partitions,
      }
    },
    answer: ({ partitions }, { version, map }) => ({
      errorCode: codeOf('NONE'),
      sessionId: 0,
      responses: byTopic(partitions, (topic, list) => ({
        ...(version < fetchByIdFrom ? { topic } : { topicId: map.idOf(topic) }),
        partitions: list.map(fetched),
      })),
    }),
  }),

  translation({
    kind: 'ListOffsets',
    api: listOffsetsApi,
    lowest: 7,
    highest: 8,
    ask: ({ replicaId, isolationLevel, topics }, asked) => {
      someLeader(asked)
      need(replicaId === -1, asked, 'followers')
      const partitions = topics.flatMap(({ name, partitions }) =>
        partitions.map(({ partitionIndex, currentLeaderEpoch, timestamp }) => {
          if (timestamp !== -1n && timestamp !== -2n) throw notModelled(asked.api, `offsets by time (${timestamp})`)
          const end = timestamp === -1n ? (-1 as const) : (-2 as const)
          return { topic: name, partition: partitionIndex, currentLeaderEpoch, timestamp: end }
        }),
      )
      return { isolationLevel: isolationOf(isolationLevel, asked), partitions }
    },
    answer: ({ partitions }) => ({
      topics: byTopic(partitions, (name, list) => ({
        name,
        partitions: list.map(({ partition, errorCode, offset, leaderEpoch }) => ({
          partitionIndex: partition,
          errorCode: codeOf(errorCode),
          timestamp: -1n,
          offset: BigInt(offset),
          leaderEpoch,
        })),
      })),
    }),
  }),

  translation({
    kind: 'OffsetForLeaderEpoch',
    api: offsetForLeaderEpochApi,
    lowest: 4,
    highest: 4,
    ask: ({ replicaId, topics }, asked) => {
      someLeader(asked)
      need(replicaId < 0, asked, 'followers')
      const partitions = topics.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, currentLeaderEpoch, leaderEpoch }) => ({
          topic,
          partition,
          currentLeaderEpoch,
          leaderEpoch,
        })),
      )
      return { partitions }
    },
    answer: ({ partitions }) => ({
      topics: byTopic(partitions, (topic, list) => ({
        topic,
        partitions: list.map(({ partition, errorCode, leaderEpoch, endOffset }) => ({
          partition,
          errorCode: codeOf(errorCode),
          leaderEpoch,
          endOffset: BigInt(endOffset),
        })),
      })),
    }),
  }),
]
