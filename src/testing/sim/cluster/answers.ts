/**
 * What the simulated cluster may answer, complete. A pair that is not in this table must not leave the cluster (asserted
 * on every answer), and a pair that no conformance script exercises must not be in this table (tested): so everything
 * that the simulator ever hears was said by Apache Kafka first.
 */
import type { ErrorCode } from './errors.ts'
import type { RequestKind, Response } from './requests.ts'

export const ANSWERS: Readonly<Record<RequestKind, readonly ErrorCode[]>> = {
  FindCoordinator: ['NONE'],
  Metadata: ['NONE', 'UNKNOWN_TOPIC_OR_PARTITION'],
  JoinGroup: [
    'NONE',
    'MEMBER_ID_REQUIRED',
    'UNKNOWN_MEMBER_ID',
    'FENCED_INSTANCE_ID',
    'INCONSISTENT_GROUP_PROTOCOL',
    'INVALID_SESSION_TIMEOUT',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  SyncGroup: [
    'NONE',
    'REBALANCE_IN_PROGRESS',
    'UNKNOWN_MEMBER_ID',
    'ILLEGAL_GENERATION',
    'FENCED_INSTANCE_ID',
    'INCONSISTENT_GROUP_PROTOCOL',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  Heartbeat: [
    'NONE',
    'REBALANCE_IN_PROGRESS',
    'UNKNOWN_MEMBER_ID',
    'ILLEGAL_GENERATION',
    'FENCED_INSTANCE_ID',
    'NOT_COORDINATOR',
  ],
  LeaveGroup: ['NONE', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID', 'NOT_COORDINATOR', 'COORDINATOR_LOAD_IN_PROGRESS'],
  OffsetCommit: [
    'NONE',
    'REBALANCE_IN_PROGRESS',
    'UNKNOWN_MEMBER_ID',
    'ILLEGAL_GENERATION',
    'FENCED_INSTANCE_ID',
    'GROUP_ID_NOT_FOUND',
    'OFFSET_METADATA_TOO_LARGE',
    'UNKNOWN_TOPIC_OR_PARTITION',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  OffsetFetch: ['NONE', 'UNSTABLE_OFFSET_COMMIT', 'NOT_COORDINATOR', 'COORDINATOR_LOAD_IN_PROGRESS'],
  InitProducerId: [
    'NONE',
    'CONCURRENT_TRANSACTIONS',
    'PRODUCER_FENCED',
    'INVALID_TRANSACTION_TIMEOUT',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  AddPartitionsToTxn: [
    'NONE',
    'CONCURRENT_TRANSACTIONS',
    'PRODUCER_FENCED',
    'INVALID_PRODUCER_ID_MAPPING',
    'UNKNOWN_TOPIC_OR_PARTITION',
    'OPERATION_NOT_ATTEMPTED',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  AddOffsetsToTxn: [
    'NONE',
    'CONCURRENT_TRANSACTIONS',
    'PRODUCER_FENCED',
    'INVALID_PRODUCER_ID_MAPPING',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  TxnOffsetCommit: [
    'NONE',
    'CONCURRENT_TRANSACTIONS',
    'TRANSACTION_ABORTABLE',
    'INVALID_PRODUCER_EPOCH',
    'INVALID_PRODUCER_ID_MAPPING',
    'UNKNOWN_MEMBER_ID',
    'ILLEGAL_GENERATION',
    'FENCED_INSTANCE_ID',
    'OFFSET_METADATA_TOO_LARGE',
    'UNKNOWN_TOPIC_OR_PARTITION',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  EndTxn: [
    'NONE',
    'CONCURRENT_TRANSACTIONS',
    'PRODUCER_FENCED',
    'INVALID_PRODUCER_ID_MAPPING',
    'INVALID_TXN_STATE',
    'NOT_COORDINATOR',
    'COORDINATOR_LOAD_IN_PROGRESS',
  ],
  Produce: [
    'NONE',
    'OUT_OF_ORDER_SEQUENCE_NUMBER',
    'INVALID_PRODUCER_EPOCH',
    'INVALID_PRODUCER_ID_MAPPING',
    'TRANSACTION_ABORTABLE',
    'NOT_ENOUGH_REPLICAS',
    'MESSAGE_TOO_LARGE',
    'UNKNOWN_TOPIC_OR_PARTITION',
  ],
  Fetch: ['NONE', 'OFFSET_OUT_OF_RANGE', 'UNKNOWN_TOPIC_OR_PARTITION', 'FENCED_LEADER_EPOCH', 'UNKNOWN_LEADER_EPOCH'],
  ListOffsets: ['NONE', 'UNKNOWN_TOPIC_OR_PARTITION', 'FENCED_LEADER_EPOCH', 'UNKNOWN_LEADER_EPOCH'],
  OffsetForLeaderEpoch: ['NONE', 'UNKNOWN_TOPIC_OR_PARTITION', 'FENCED_LEADER_EPOCH', 'UNKNOWN_LEADER_EPOCH'],
}

interface Coded {
  readonly errorCode?: ErrorCode
}

/** Throws if this answer is one that no script has shown Kafka to give. */
export function assertKnownAnswer(response: Response): void {
  const known = ANSWERS[response.kind]
  const parts = response as Coded & Partial<Record<'partitions' | 'members' | 'topics', readonly Coded[]>>
  check(response.kind, known, parts.errorCode)
  for (const list of [parts.partitions, parts.members, parts.topics]) {
    if (list !== undefined) for (const part of list) check(response.kind, known, part.errorCode)
  }
}

function check(kind: RequestKind, known: readonly ErrorCode[], code: ErrorCode | undefined): void {
  if (code !== undefined && !known.includes(code))
    throw new Error(`${kind} is never answered with ${code}: see ANSWERS`)
}
