/**
 * The requests of a transaction, each asked once. Answers are error codes; null is silence. Two flows: the explicit one,
 * where partitions and groups are added before they are written to, and (from `transaction.version` 2 on) the one where
 * writing adds them and every end gives a new epoch.
 */
import type { Wire } from '../../cluster/wire.ts'
import { errorCodes } from '../../protocol/errors.ts'
import { addPartitionsToTxnApi } from '../../protocol/generated/24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from '../../protocol/generated/25-add-offsets-to-txn.ts'
import { endTxnApi } from '../../protocol/generated/26-end-txn.ts'
import { txnOffsetCommitApi } from '../../protocol/generated/28-txn-offset-commit.ts'
import type { ProducerIdentity } from '../identity.ts'

export type TransactionFlow = 'explicit' | 'implicit'

/** The newest version of each request that belongs to a flow. */
const maxVersions: Readonly<Record<TransactionFlow, { produce: number; offsets: number; end: number }>> = {
  explicit: { produce: 11, offsets: 4, end: 4 },
  implicit: { produce: 13, offsets: 5, end: 5 },
}

export function flowOf(wire: Wire): TransactionFlow {
  return wire.featureLevel('transaction.version') >= 2 ? 'implicit' : 'explicit'
}

export function produceVersion(flow: TransactionFlow): number {
  return maxVersions[flow].produce
}

export interface TransactionName extends ProducerIdentity {
  readonly transactionalId: string
}

export interface PartitionName {
  readonly topic: string
  readonly partition: number
}

/** Newer versions of it are for brokers among themselves. */
const addPartitionsVersion = 3

export async function addPartitions(
  wire: Wire,
  node: number,
  name: TransactionName,
  partitions: readonly PartitionName[],
  /** Hears the answer for each partition. */
  onAnswer?: (topic: string, code: number) => void,
): Promise<number | null> {
  const byTopic = Map.groupBy(partitions, ({ topic }) => topic)
  const answer = await wire.ask(
    node,
    addPartitionsToTxnApi,
    {
      v3AndBelowTransactionalId: name.transactionalId,
      v3AndBelowProducerId: BigInt(name.producerId),
      v3AndBelowProducerEpoch: name.producerEpoch,
      v3AndBelowTopics: [...byTopic].map(([topic, each]) => ({
        name: topic,
        partitions: each.map(({ partition }) => partition),
      })),
    },
    { maxVersion: addPartitionsVersion },
  )
  if (answer === null) return null
  const { resultsByTopicV3AndBelow: topics } = answer.body
  for (const { name: topic, resultsByPartition } of topics) {
    for (const { partitionErrorCode } of resultsByPartition) onAnswer?.(topic, partitionErrorCode)
  }
  const results = topics.flatMap(({ resultsByPartition }) => resultsByPartition)
  return worst(results.map(({ partitionErrorCode }) => partitionErrorCode))
}

export async function addOffsets(
  wire: Wire,
  node: number,
  name: TransactionName,
  groupId: string,
): Promise<number | null> {
  const answer = await wire.ask(node, addOffsetsToTxnApi, { ...wireName(name), groupId })
  return answer?.body.errorCode ?? null
}

export interface OffsetToCommit extends PartitionName {
  readonly offset: number
  readonly metadata: string
  readonly leaderEpoch: number
}

export interface GroupMemberName {
  readonly groupId: string
  readonly memberId: string
  readonly generationId: number
  readonly groupInstanceId: string | null
}

export async function commitOffsets(
  wire: Wire,
  node: number,
  name: TransactionName,
  member: GroupMemberName,
  offsets: readonly OffsetToCommit[],
  flow: TransactionFlow,
): Promise<number | null> {
  const byTopic = Map.groupBy(offsets, ({ topic }) => topic)
  const { groupId, memberId, generationId, groupInstanceId } = member
  const answer = await wire.ask(
    node,
    txnOffsetCommitApi,
    (version) => ({
      ...wireName(name),
      groupId,
      // Before version 3 the group did not fence.
      ...(version >= 3 ? { memberId, generationId, groupInstanceId } : {}),
      topics: [...byTopic].map(([topic, each]) => ({
        name: topic,
        partitions: each.map(({ partition, offset, metadata, leaderEpoch }) => ({
          partitionIndex: partition,
          committedOffset: BigInt(offset),
          committedMetadata: metadata,
          ...(version >= 2 ? { committedLeaderEpoch: leaderEpoch } : {}),
        })),
      })),
    }),
    { maxVersion: maxVersions[flow].offsets },
  )
  if (answer === null) return null
  return worst(answer.body.topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode)))
}

export interface Ended {
  readonly code: number
  /** Who we are from now on, where the end gives a new epoch. */
  readonly next: ProducerIdentity | null
}

export async function endTransaction(
  wire: Wire,
  node: number,
  name: TransactionName,
  committed: boolean,
  flow: TransactionFlow,
): Promise<Ended | null> {
  const question = { ...wireName(name), committed }
  const answer = await wire.ask(node, endTxnApi, question, { maxVersion: maxVersions[flow].end })
  if (answer === null) return null
  const { errorCode, producerId, producerEpoch } = answer.body
  const isRenamed = errorCode === errorCodes.NONE && answer.version >= 5 && producerId >= 0n
  return { code: errorCode, next: isRenamed ? { producerId: Number(producerId), producerEpoch } : null }
}

function wireName({ transactionalId, producerId, producerEpoch }: TransactionName): {
  transactionalId: string
  producerId: bigint
  producerEpoch: number
} {
  return { transactionalId, producerId: BigInt(producerId), producerEpoch }
}

/** Of the answers for several partitions, the one that says why. */
function worst(codes: readonly number[]): number {
  const errors = codes.filter((code) => code !== errorCodes.NONE)
  return errors.find((code) => code !== errorCodes.OPERATION_NOT_ATTEMPTED) ?? errors[0] ?? errorCodes.NONE
}
