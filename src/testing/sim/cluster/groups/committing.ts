/** OffsetCommit, TxnOffsetCommit and OffsetFetch: who may commit, and what is read. */
import type { ErrorCode } from '../errors.ts'
import type {
  OffsetCommitPartition,
  OffsetCommitRequest,
  OffsetFetchRequest,
  OffsetFetchResponse,
  PartitionResult,
  TopicPartitionName,
} from '../group-messages.ts'
import type { Group } from './group.ts'
import type { OffsetStore } from './offset-store.ts'

/** A commit from outside the group: allowed only while nobody is in it. */
function isOutsider({ generationId, memberId, groupInstanceId }: CommitIdentity): boolean {
  return generationId < 0 && memberId === '' && groupInstanceId === null
}

type CommitIdentity = Pick<OffsetCommitRequest, 'generationId' | 'memberId' | 'groupInstanceId'>

/** Why this sender may not commit; NONE if it may. Transactions are fenced by membership, but not by the group's state. */
export function checkCommitter(group: Group, sender: CommitIdentity, transactional: boolean): ErrorCode {
  if (sender.generationId < 0 && group.state === 'Empty') return 'NONE'
  if (isOutsider(sender)) return transactional ? 'NONE' : 'UNKNOWN_MEMBER_ID'
  const refusal = group.checkMember(sender.memberId, sender.groupInstanceId)
  if (refusal !== 'NONE') return refusal
  if (sender.generationId !== group.generationId) return 'ILLEGAL_GENERATION'
  return !transactional && group.state === 'CompletingRebalance' ? 'REBALANCE_IN_PROGRESS' : 'NONE'
}

export interface CommitRules {
  readonly metadataMaxChars: number
  readonly exists: (partition: TopicPartitionName) => boolean
}

/** One result per partition: unknown partitions are sorted out first, then `refusal` holds for all, then the size. */
export function commitEach(
  partitions: readonly OffsetCommitPartition[],
  refusal: ErrorCode,
  rules: CommitRules,
  store: (partition: OffsetCommitPartition) => void,
): readonly PartitionResult[] {
  return partitions.map((asked) => {
    const { topic, partition } = asked
    if (!rules.exists(asked)) return { topic, partition, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' }
    if (refusal !== 'NONE') return { topic, partition, errorCode: refusal }
    if ((asked.committedMetadata?.length ?? 0) > rules.metadataMaxChars) {
      return { topic, partition, errorCode: 'OFFSET_METADATA_TOO_LARGE' }
    }
    store(asked)
    return { topic, partition, errorCode: 'NONE' }
  })
}

export function fetchOffsets(offsets: OffsetStore, request: OffsetFetchRequest): OffsetFetchResponse {
  const { groupId, requireStable } = request
  const asked: readonly TopicPartitionName[] = request.partitions ?? offsets.all(groupId)
  const partitions = asked.map(({ topic, partition }) => {
    const unstable = requireStable && offsets.isPending(groupId, topic, partition)
    const found = unstable ? null : offsets.get(groupId, topic, partition)
    const errorCode: ErrorCode = unstable ? 'UNSTABLE_OFFSET_COMMIT' : 'NONE'
    return {
      topic,
      partition,
      errorCode,
      committedOffset: found?.offset ?? -1,
      committedLeaderEpoch: found?.leaderEpoch ?? -1,
      metadata: found?.metadata ?? '',
    }
  })
  return { kind: 'OffsetFetch', errorCode: 'NONE', partitions }
}
