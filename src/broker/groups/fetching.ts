/** OffsetFetch: what is committed, in one group (before version 8) or in several. */
import { errorCodes } from '../../protocol/errors.ts'
import type {
  OffsetFetchRequest,
  OffsetFetchRequestGroup,
  OffsetFetchResponse,
  OffsetFetchResponseGroup,
  OffsetFetchResponsePartitions,
} from '../../protocol/generated/09-offset-fetch.ts'
import type { Input } from '../../protocol/types.ts'
import type { GroupCore } from './core.ts'
import type { CommittedOffset } from './offsets.ts'
import type { RequestContext } from './request-context.ts'

const severalGroupsFrom = 8
/** Before it there is no place for an error but the partitions. */
const groupErrorFrom = 2

type AskedGroup = Pick<OffsetFetchRequestGroup, 'groupId' | 'memberId' | 'memberEpoch'> & {
  readonly topics: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null
}
type Answer = Input<OffsetFetchResponseGroup>

export async function fetchOffsets(
  core: GroupCore,
  request: OffsetFetchRequest,
  { version }: RequestContext,
  refusal: number,
): Promise<Input<OffsetFetchResponse>> {
  const { requireStable } = request
  const fetch = (asked: AskedGroup): Answer | Promise<Answer> =>
    refusal === errorCodes.NONE ? fetchGroup(core, asked, requireStable) : refused(asked, refusal)
  if (version >= severalGroupsFrom) return { groups: await Promise.all(request.groups.map(fetch)) }
  const asked: AskedGroup = { groupId: request.groupId, memberId: null, memberEpoch: -1, topics: request.topics }
  const { errorCode = errorCodes.NONE, topics = [] } = await fetch(asked)
  if (errorCode === errorCodes.NONE || version >= groupErrorFrom) return { errorCode, topics }
  return {
    topics: (asked.topics ?? []).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({ ...nothing(partitionIndex), errorCode })),
    })),
  }
}

async function fetchGroup(core: GroupCore, asked: AskedGroup, requireStable: boolean): Promise<Answer> {
  const { groupId, memberId, memberEpoch } = asked
  const group = core.groups.get(groupId)
  if (group?.kind === 'consumer') {
    const refusal = group.consumer.checkFetch(memberId, memberEpoch)
    if (refusal !== errorCodes.NONE) return refused(asked, refusal)
  }
  const committed = core.offsets.ofGroup(groupId)
  const topics =
    asked.topics ?? [...committed].map(([name, offsets]) => ({ name, partitionIndexes: [...offsets.keys()] }))
  const answer = {
    groupId,
    errorCode: errorCodes.NONE,
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partition) => {
        if (requireStable && core.offsets.isPending({ group: groupId, topic: name, partition })) {
          return { ...nothing(partition), errorCode: errorCodes.UNSTABLE_OFFSET_COMMIT }
        }
        return tell(partition, committed.get(name)?.get(partition))
      }),
    })),
  }
  return core.writer.whenDurable(groupId, answer)
}

function tell(partitionIndex: number, found: CommittedOffset | undefined): Input<OffsetFetchResponsePartitions> {
  if (found === undefined) return nothing(partitionIndex)
  return {
    partitionIndex,
    committedOffset: BigInt(found.offset),
    committedLeaderEpoch: found.leaderEpoch,
    metadata: found.metadata,
    errorCode: errorCodes.NONE,
  }
}

function nothing(partitionIndex: number): Input<OffsetFetchResponsePartitions> {
  return { partitionIndex, committedOffset: -1n, committedLeaderEpoch: -1, metadata: '', errorCode: errorCodes.NONE }
}

function refused({ groupId }: AskedGroup, errorCode: number): Answer {
  return { groupId, errorCode, topics: [] }
}
