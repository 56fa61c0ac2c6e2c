/** Changing by hand what groups have committed. */
import { byTopic } from '../cluster/leaders.ts'
import { errorCodes } from '../protocol/errors.ts'
import { offsetCommitApi } from '../protocol/generated/08-offset-commit.ts'
import { offsetDeleteApi } from '../protocol/generated/47-offset-delete.ts'
import { listed, whole } from './checks.ts'
import type { CommittedOffset } from './committed.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { type Errand, run } from './errand.ts'
import { answersFor, indexesByTopic, type PartitionName, partitionName } from './partitions.ts'
import { toCoordinatorOf } from './routes.ts'

export interface OffsetChange extends PartitionName {
  readonly offset: number
  readonly leaderEpoch?: number
  readonly metadata?: string
}

/** The next version names topics by id. */
const offsetCommitMax = 9

/** A commit becomes one batch of the offsets log, of at most one megabyte; names take room there as well. */
const commitBytesMax = 512 * 1024
const entryOverheadBytes = 64

/**
 * Only while the group has no members. A try that met silence is sent again, and may still arrive late: after a TIMEOUT look
 * at what is committed before consumers are started.
 */
export function alterOffsets(
  context: AdminContext,
  group: string,
  offsets: readonly OffsetChange[],
  options: CallOptions,
): Promise<readonly CommittedOffset[]> {
  for (const { offset, partition } of listed(offsets, 'offsets', partitionName)) {
    whole(offset, 'offset')
    whole(partition, 'partition')
  }
  return run<OffsetChange, CommittedOffset>(context, {
    request: offsetCommitApi.name,
    items: offsets,
    nameOf: (item) => `${partitionName(item)} for ${group}`,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: (open, errand) =>
      toCoordinatorOf(errand, group, open, async (node, theirs) => {
        for (const part of split(theirs)) await commit(errand, node, group, part)
      }),
  })
}

async function commit(
  errand: Errand<OffsetChange, CommittedOffset>,
  node: number,
  groupId: string,
  changes: readonly OffsetChange[],
): Promise<void> {
  const topics = [...byTopic(changes)].map(([name, theirs]) => ({
    name,
    partitions: theirs.map(({ partition, offset, leaderEpoch = -1, metadata = '' }) => ({
      partitionIndex: partition,
      committedOffset: BigInt(offset),
      committedLeaderEpoch: leaderEpoch,
      committedMetadata: metadata,
    })),
  }))
  // No member, no generation: brokers take this for a commit from outside, which only an empty group allows.
  const request = { groupId, generationIdOrMemberEpoch: -1, memberId: '', topics }
  const answer = await errand.ask(changes, node, offsetCommitApi, request, {
    applies: true,
    maxVersion: offsetCommitMax,
  })
  for (const [item, { errorCode }] of answersFor(changes, answer?.body.topics ?? [])) {
    const { topic, partition, offset, leaderEpoch = null, metadata = '' } = item
    if (errorCode === errorCodes.NONE) errand.done(item, { topic, partition, offset, leaderEpoch, metadata })
    else errand.refused(item, errorCode, node, offsetCommitApi)
  }
}

/** What is deleted is as if it had never been committed. Not for topics that members of the group read. */
export function deleteOffsets(
  context: AdminContext,
  group: string,
  partitions: readonly PartitionName[],
  options: CallOptions,
): Promise<readonly PartitionName[]> {
  return run<PartitionName, PartitionName>(context, {
    request: offsetDeleteApi.name,
    items: listed(partitions, 'partitions', partitionName),
    nameOf: (item) => `${partitionName(item)} for ${group}`,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: (open, errand) =>
      toCoordinatorOf(errand, group, open, async (node, theirs) => {
        const topics = indexesByTopic(theirs).map(({ name, indexes }) => ({
          name,
          partitions: indexes.map((partitionIndex) => ({ partitionIndex })),
        }))
        const answer = await errand.ask(theirs, node, offsetDeleteApi, { groupId: group, topics }, { applies: true })
        if (answer === null) return
        const { errorCode } = answer.body
        const told = answersFor(theirs, answer.body.topics)
        for (const item of theirs) {
          const code = errorCode || told.get(item)?.errorCode
          // After a silence: the group went with the last of its offsets.
          const isGone = code === errorCodes.GROUP_ID_NOT_FOUND && errand.isUnsure(item)
          if (code === errorCodes.NONE || isGone) errand.done(item, { topic: item.topic, partition: item.partition })
          else if (code !== undefined) errand.refused(item, code, node, offsetDeleteApi)
        }
      }),
  })
}

function split(changes: readonly OffsetChange[]): readonly (readonly OffsetChange[])[] {
  const parts: OffsetChange[][] = [[]]
  let bytes = 0
  for (const change of changes) {
    const size = entryOverheadBytes + Buffer.byteLength(change.metadata ?? '') + Buffer.byteLength(change.topic)
    if (bytes > 0 && bytes + size > commitBytesMax) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(change)
    bytes += size
  }
  return parts
}
