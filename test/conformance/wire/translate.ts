/**
 * Requests of the scripts as they go over the wire, and answers as they come back: one entry per kind. Subscriptions and
 * assignments, which the scripts treat as opaque values, travel as JSON.
 */
import type { Api } from '../../../src/protocol/api.ts'
import { errorName } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { offsetCommitApi } from '../../../src/protocol/generated/08-offset-commit.ts'
import { offsetFetchApi } from '../../../src/protocol/generated/09-offset-fetch.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { joinGroupApi } from '../../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { leaveGroupApi } from '../../../src/protocol/generated/13-leave-group.ts'
import { syncGroupApi } from '../../../src/protocol/generated/14-sync-group.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import { offsetForLeaderEpochApi } from '../../../src/protocol/generated/23-offset-for-leader-epoch.ts'
import { addPartitionsToTxnApi } from '../../../src/protocol/generated/24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from '../../../src/protocol/generated/25-add-offsets-to-txn.ts'
import { endTxnApi } from '../../../src/protocol/generated/26-end-txn.ts'
import { txnOffsetCommitApi } from '../../../src/protocol/generated/28-txn-offset-commit.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { Input } from '../../../src/protocol/types.ts'
import type {
  Request,
  RequestKind,
  RequestOf,
  Response,
  ResponseOf,
} from '../../../src/testing/sim/cluster/requests.ts'
import { batchesOf } from './batches.ts'

/** Names in a script are made unique, so that no script meets what another left behind. */
export interface Names {
  topic(name: string): string
  /** Back to what the script calls it. */
  scriptTopic(name: string): string
  /** Groups and transactional ids. */
  id(name: string): string
}

/** What to send, and how to understand the answer. */
export interface Exchange {
  readonly api: Api<object, object>
  readonly version: number
  readonly request: object
  readonly understand: (answer: object) => Response
}

type Translation<K extends RequestKind> = (request: RequestOf<K>, names: Names) => Exchange
type Translations = { readonly [K in RequestKind]: Translation<K> }

function exchange<Q extends object, R extends object, K extends RequestKind>(
  api: Api<Q, R>,
  version: number,
  request: Input<Q>,
  understand: (answer: R) => ResponseOf<K>,
): Exchange {
  return {
    api: api as unknown as Api<object, object>,
    version,
    request,
    understand: understand as unknown as Exchange['understand'],
  }
}

export function translate(request: Request, names: Names): Exchange {
  const translation = translations[request.kind] as Translation<RequestKind>
  return translation(request as never, names)
}

type ErrorOf = ResponseOf<'Heartbeat'>['errorCode']
const code = (number: number): ErrorOf => errorName(number) as ErrorOf
const packed = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const unpacked = (bytes: Buffer): unknown => (bytes.length === 0 ? null : JSON.parse(bytes.toString()))

/** As the consumer protocol wants it (version 0, no topics), with the script's value as user data: Kafka parses it. */
function subscription(value: unknown): Buffer {
  const user = packed(value)
  const head = Buffer.alloc(10)
  head.writeInt32BE(user.length, 6)
  return Buffer.concat([head, user])
}

interface Named {
  readonly topic: string
  readonly partition: number
}

function byTopic<P extends Named, T>(
  partitions: readonly P[],
  make: (topic: string, partitions: readonly P[]) => T,
): T[] {
  const topics = new Map<string, P[]>()
  for (const partition of partitions) topics.set(partition.topic, [...(topics.get(partition.topic) ?? []), partition])
  return [...topics].map(([topic, list]) => make(topic, list))
}

const isolation = (level: string): number => (level === 'read_committed' ? 1 : 0)

interface CommittedPartition extends Named {
  readonly committedOffset: number
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

function committed(partitions: readonly CommittedPartition[], names: Names): { name: string; partitions: object[] }[] {
  return byTopic(partitions, (topic, list) => ({
    name: names.topic(topic),
    partitions: list.map((p) => ({
      partitionIndex: p.partition,
      committedOffset: BigInt(p.committedOffset),
      committedLeaderEpoch: p.committedLeaderEpoch,
      committedMetadata: p.committedMetadata,
    })),
  }))
}

const translations: Translations = {
  FindCoordinator: (q, names) =>
    exchange(
      findCoordinatorApi,
      4,
      { keyType: q.keyType === 'group' ? 0 : 1, coordinatorKeys: [names.id(q.key)] },
      (r) => ({
        kind: q.kind,
        errorCode: code(r.coordinators[0]!.errorCode),
        nodeId: r.coordinators[0]!.nodeId,
      }),
    ),

  Metadata: (q, names) =>
    exchange(
      metadataApi,
      12,
      { topics: q.topics.map((t) => ({ name: names.topic(t) })), allowAutoTopicCreation: false },
      (r) => ({
        kind: q.kind,
        topics: r.topics.map((t) => ({
          topic: names.scriptTopic(t.name ?? ''),
          errorCode: code(t.errorCode),
          partitions: t.partitions
            .map((p) => ({ partition: p.partitionIndex, leaderEpoch: p.leaderEpoch }))
            .sort((a, b) => a.partition - b.partition),
        })),
      }),
    ),

  JoinGroup: (q, names) =>
    exchange(
      joinGroupApi,
      9,
      {
        groupId: names.id(q.groupId),
        sessionTimeoutMs: q.sessionTimeoutMs,
        rebalanceTimeoutMs: q.rebalanceTimeoutMs,
        memberId: q.memberId,
        groupInstanceId: q.groupInstanceId,
        protocolType: q.protocolType,
        protocols: q.protocols.map(({ name, metadata }) => ({ name, metadata: subscription(metadata) })),
      },
      (r) => ({
        kind: q.kind,
        errorCode: code(r.errorCode),
        generationId: r.generationId,
        protocolType: r.protocolType,
        protocolName: r.protocolName,
        leader: r.leader,
        skipAssignment: r.skipAssignment,
        memberId: r.memberId,
        members: r.members.map((m) => ({
          memberId: m.memberId,
          groupInstanceId: m.groupInstanceId,
          metadata: m.metadata.length === 0 ? null : unpacked(m.metadata.subarray(10)),
        })),
      }),
    ),

  SyncGroup: (q, names) =>
    exchange(
      syncGroupApi,
      5,
      {
        groupId: names.id(q.groupId),
        generationId: q.generationId,
        memberId: q.memberId,
        groupInstanceId: q.groupInstanceId,
        protocolType: q.protocolType,
        protocolName: q.protocolName,
        assignments: q.assignments.map(({ memberId, assignment }) => ({ memberId, assignment: packed(assignment) })),
      },
      (r) => ({
        kind: q.kind,
        errorCode: code(r.errorCode),
        protocolType: r.protocolType,
        protocolName: r.protocolName,
        assignment: unpacked(r.assignment),
      }),
    ),

  Heartbeat: (q, names) =>
    exchange(
      heartbeatApi,
      4,
      {
        groupId: names.id(q.groupId),
        generationId: q.generationId,
        memberId: q.memberId,
        groupInstanceId: q.groupInstanceId,
      },
      (r) => ({ kind: q.kind, errorCode: code(r.errorCode) }),
    ),

  LeaveGroup: (q, names) =>
    exchange(
      leaveGroupApi,
      5,
      { groupId: names.id(q.groupId), members: q.members.map((m) => ({ ...m, reason: null })) },
      (r) => ({
        kind: q.kind,
        errorCode: code(r.errorCode),
        members: r.members.map(({ memberId, groupInstanceId, errorCode }) => ({
          memberId,
          groupInstanceId,
          errorCode: code(errorCode),
        })),
      }),
    ),

  OffsetCommit: (q, names) =>
    exchange(
      offsetCommitApi,
      9,
      {
        groupId: names.id(q.groupId),
        generationIdOrMemberEpoch: q.generationId,
        memberId: q.memberId,
        groupInstanceId: q.groupInstanceId,
        topics: committed(q.partitions, names),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.topics.flatMap(({ name, partitions }) =>
          partitions.map((p) => ({
            topic: names.scriptTopic(name),
            partition: p.partitionIndex,
            errorCode: code(p.errorCode),
          })),
        ),
      }),
    ),

  OffsetFetch: (q, names) => {
    const topics =
      q.partitions === null
        ? null
        : byTopic(q.partitions, (topic, list) => ({
            name: names.topic(topic),
            partitionIndexes: list.map((p) => p.partition),
          }))
    const groups = [{ groupId: names.id(q.groupId), memberId: null, memberEpoch: -1, topics }]
    return exchange(offsetFetchApi, 9, { groups, requireStable: q.requireStable }, (r) => ({
      kind: q.kind,
      errorCode: code(r.groups[0]!.errorCode),
      partitions: r.groups[0]!.topics.flatMap(({ name, partitions }) =>
        partitions.map((p) => ({
          topic: names.scriptTopic(name),
          partition: p.partitionIndex,
          errorCode: code(p.errorCode),
          committedOffset: Number(p.committedOffset),
          committedLeaderEpoch: p.committedLeaderEpoch,
          metadata: p.metadata,
        })),
      ),
    })) as Exchange
  },

  InitProducerId: (q, names) =>
    exchange(
      initProducerIdApi,
      5,
      {
        transactionalId: q.transactionalId === null ? null : names.id(q.transactionalId),
        transactionTimeoutMs: q.transactionTimeoutMs,
        producerId: BigInt(q.producerId),
        producerEpoch: q.producerEpoch,
      },
      (r) => ({
        kind: q.kind,
        errorCode: code(r.errorCode),
        producerId: Number(r.producerId),
        producerEpoch: r.producerEpoch,
      }),
    ),

  AddPartitionsToTxn: (q, names) =>
    exchange(
      addPartitionsToTxnApi,
      3,
      {
        v3AndBelowTransactionalId: names.id(q.transactionalId),
        v3AndBelowProducerId: BigInt(q.producerId),
        v3AndBelowProducerEpoch: q.producerEpoch,
        v3AndBelowTopics: byTopic(q.partitions, (topic, list) => ({
          name: names.topic(topic),
          partitions: list.map((p) => p.partition),
        })),
      },
      (r) => ({
        kind: q.kind,
        // Kafka answers in the order of a hash of the names, which are others in every run: back to the order of the question.
        partitions: r.resultsByTopicV3AndBelow
          .flatMap(({ name, resultsByPartition }) =>
            resultsByPartition.map((p) => ({
              topic: names.scriptTopic(name),
              partition: p.partitionIndex,
              errorCode: code(p.partitionErrorCode),
            })),
          )
          .sort((a, b) => placeIn(q.partitions, a) - placeIn(q.partitions, b)),
      }),
    ),

  AddOffsetsToTxn: (q, names) =>
    exchange(
      addOffsetsToTxnApi,
      4,
      {
        transactionalId: names.id(q.transactionalId),
        producerId: BigInt(q.producerId),
        producerEpoch: q.producerEpoch,
        groupId: names.id(q.groupId),
      },
      (r) => ({ kind: q.kind, errorCode: code(r.errorCode) }),
    ),

  TxnOffsetCommit: (q, names) =>
    exchange(
      txnOffsetCommitApi,
      4,
      {
        transactionalId: names.id(q.transactionalId),
        groupId: names.id(q.groupId),
        producerId: BigInt(q.producerId),
        producerEpoch: q.producerEpoch,
        generationId: q.generationId,
        memberId: q.memberId,
        groupInstanceId: q.groupInstanceId,
        topics: committed(q.partitions, names),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.topics.flatMap(({ name, partitions }) =>
          partitions.map((p) => ({
            topic: names.scriptTopic(name),
            partition: p.partitionIndex,
            errorCode: code(p.errorCode),
          })),
        ),
      }),
    ),

  EndTxn: (q, names) =>
    exchange(
      endTxnApi,
      4,
      {
        transactionalId: names.id(q.transactionalId),
        producerId: BigInt(q.producerId),
        producerEpoch: q.producerEpoch,
        committed: q.committed,
      },
      (r) => ({ kind: q.kind, errorCode: code(r.errorCode) }),
    ),

  Produce: (q, names) =>
    exchange(
      produceApi,
      11,
      {
        transactionalId: q.transactionalId === null ? null : names.id(q.transactionalId),
        acks: -1,
        timeoutMs: 10_000,
        topicData: byTopic(q.partitions, (topic, list) => ({
          name: names.topic(topic),
          partitionData: list.map((p) => ({
            index: p.partition,
            records: encodeBatch({
              producerId: p.producerId,
              producerEpoch: p.producerEpoch,
              baseSequence: p.baseSequence,
              transactional: p.isTransactional,
              records: p.records.map((r) => ({
                key: r.key === null ? null : Buffer.from(r.key),
                value: r.value === null ? null : Buffer.from(String(r.value)),
                timestampMs: r.timestamp ?? Date.now(),
              })),
            }),
          })),
        })),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.responses.flatMap(({ name, partitionResponses }) =>
          partitionResponses.map((p) => ({
            topic: names.scriptTopic(name),
            partition: p.index,
            errorCode: code(p.errorCode),
            baseOffset: Number(p.baseOffset),
            logStartOffset: Number(p.logStartOffset),
          })),
        ),
      }),
    ),

  Fetch: (q, names) =>
    exchange(
      fetchApi,
      12,
      {
        maxWaitMs: q.maxWaitMs,
        minBytes: 1,
        maxBytes: q.maxBytes,
        isolationLevel: isolation(q.isolationLevel),
        sessionEpoch: -1,
        topics: byTopic(q.partitions, (topic, list) => ({
          topic: names.topic(topic),
          partitions: list.map((p) => ({
            partition: p.partition,
            currentLeaderEpoch: p.currentLeaderEpoch,
            fetchOffset: BigInt(p.fetchOffset),
            partitionMaxBytes: p.partitionMaxBytes,
          })),
        })),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.responses.flatMap(({ topic, partitions }) =>
          partitions.map((p) => ({
            topic: names.scriptTopic(topic),
            partition: p.partitionIndex,
            errorCode: code(p.errorCode),
            highWatermark: Number(p.highWatermark),
            lastStableOffset: Number(p.lastStableOffset),
            logStartOffset: Number(p.logStartOffset),
            abortedTransactions:
              p.abortedTransactions?.map((t) => ({
                producerId: Number(t.producerId),
                firstOffset: Number(t.firstOffset),
              })) ?? null,
            batches: batchesOf(p.records),
          })),
        ),
      }),
    ),

  ListOffsets: (q, names) =>
    exchange(
      listOffsetsApi,
      7,
      {
        replicaId: -1,
        isolationLevel: isolation(q.isolationLevel),
        topics: byTopic(q.partitions, (topic, list) => ({
          name: names.topic(topic),
          partitions: list.map((p) => ({
            partitionIndex: p.partition,
            currentLeaderEpoch: p.currentLeaderEpoch,
            timestamp: BigInt(p.timestamp),
          })),
        })),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.topics.flatMap(({ name, partitions }) =>
          partitions.map((p) => ({
            topic: names.scriptTopic(name),
            partition: p.partitionIndex,
            errorCode: code(p.errorCode),
            offset: Number(p.offset),
            leaderEpoch: p.leaderEpoch,
          })),
        ),
      }),
    ),

  OffsetForLeaderEpoch: (q, names) =>
    exchange(
      offsetForLeaderEpochApi,
      4,
      {
        replicaId: -1,
        topics: byTopic(q.partitions, (topic, list) => ({
          topic: names.topic(topic),
          partitions: list.map((p) => ({
            partition: p.partition,
            currentLeaderEpoch: p.currentLeaderEpoch,
            leaderEpoch: p.leaderEpoch,
          })),
        })),
      },
      (r) => ({
        kind: q.kind,
        partitions: r.topics.flatMap(({ topic, partitions }) =>
          partitions.map((p) => ({
            topic: names.scriptTopic(topic),
            partition: p.partition,
            errorCode: code(p.errorCode),
            leaderEpoch: p.leaderEpoch,
            endOffset: Number(p.endOffset),
          })),
        ),
      }),
    ),
}

interface Placed {
  readonly topic: string
  readonly partition: number
}

function placeIn(asked: readonly Placed[], { topic, partition }: Placed): number {
  return asked.findIndex((each) => each.topic === topic && each.partition === partition)
}
