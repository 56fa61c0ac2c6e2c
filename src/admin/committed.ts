/** What groups have committed. */
import { errorCodes } from '../protocol/errors.ts'
import { offsetFetchApi } from '../protocol/generated/09-offset-fetch.ts'
import { exactOrNull, listed, orNull } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { type Errand, run } from './errand.ts'
import { byName, indexesByTopic, type PartitionName, partitionName } from './partitions.ts'
import { toCoordinatorOf, toCoordinators } from './routes.ts'

export interface CommittedOffset extends PartitionName {
  /** The next record to read; null: nothing is committed. */
  readonly offset: number | null
  readonly leaderEpoch: number | null
  readonly metadata: string
}

export interface CommittedOptions extends CallOptions {
  /**
   * Wait for transactions that are about to change it. Default false: what is committed now, for those who only look. After a
   * coordinator died, Kafka 4.1 was seen to tell an older offset for half a second then: whoever acts on it says true.
   */
  readonly requireStable?: boolean
}

/** From this version of OffsetFetch on several groups can be asked for at once. */
const groupsFrom = 8
/** The next version names topics by id. */
const offsetFetchMax = 9

/** Without `partitions`: everything that the group has committed. A group that nobody knows has committed nothing. */
export async function committed(
  context: AdminContext,
  group: string,
  partitions: readonly PartitionName[] | undefined,
  options: CommittedOptions,
): Promise<readonly CommittedOffset[]> {
  if (partitions !== undefined) return committedOf(context, group, partitions, options)
  const [offsets = []] = await run<string, readonly CommittedOffset[]>(context, {
    request: offsetFetchApi.name,
    items: [group],
    nameOf: (name) => name,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinators(errand, 'group', open, String, async (node, theirs) => {
        const told = await askOffsets(errand, theirs, node, { group, topics: null, options })
        if (told === null) return
        // One that a transaction is about to change: the whole is asked for again.
        const bad = told.find(({ errorCode }) => errorCode !== errorCodes.NONE)
        if (bad !== undefined) return errand.refused(group, bad.errorCode, node, offsetFetchApi)
        const found = told.map(({ stored }) => stored).filter(({ offset }) => offset !== null)
        errand.done(group, found.sort(byName))
      }),
  })
  return offsets
}

function committedOf(
  context: AdminContext,
  group: string,
  partitions: readonly PartitionName[],
  options: CommittedOptions,
): Promise<readonly CommittedOffset[]> {
  return run<PartitionName, CommittedOffset>(context, {
    request: offsetFetchApi.name,
    items: listed(partitions, 'partitions', partitionName),
    nameOf: (item) => `${partitionName(item)} for ${group}`,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinatorOf(errand, group, open, async (node, theirs) => {
        const topics = indexesByTopic(theirs).map(({ name, indexes }) => ({ name, partitionIndexes: indexes }))
        const told = await askOffsets(errand, theirs, node, { group, topics, options })
        const byPartition = new Map(theirs.map((item) => [partitionName(item), item]))
        for (const { stored, errorCode } of told ?? []) {
          const item = byPartition.get(partitionName(stored))
          if (item === undefined) continue
          if (errorCode === errorCodes.NONE) errand.done(item, stored)
          else errand.refused(item, errorCode, node, offsetFetchApi)
        }
      }),
  })
}

interface OffsetQuestion {
  readonly group: string
  readonly topics: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null
  readonly options: CommittedOptions
}

interface Told {
  readonly stored: CommittedOffset
  readonly errorCode: number
}

async function askOffsets<Item, Result>(
  errand: Errand<Item, Result>,
  items: readonly Item[],
  node: number,
  { group: groupId, topics, options: { requireStable = false } }: OffsetQuestion,
): Promise<readonly Told[] | null> {
  const answer = await errand.ask(
    items,
    node,
    offsetFetchApi,
    (version) =>
      version < groupsFrom ? { groupId, requireStable, topics } : { groups: [{ groupId, topics }], requireStable },
    { maxVersion: offsetFetchMax },
  )
  if (answer === null) return null
  const group = answer.version < groupsFrom ? answer.body : answer.body.groups[0]
  if (group === undefined) return null
  if (group.errorCode !== errorCodes.NONE) {
    for (const item of items) errand.refused(item, group.errorCode, node, offsetFetchApi)
    return null
  }
  return group.topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode }) => ({
      stored: {
        topic: name,
        partition: partitionIndex,
        offset: exactOrNull(committedOffset),
        leaderEpoch: orNull(committedLeaderEpoch),
        metadata: metadata ?? '',
      },
      errorCode,
    })),
  )
}
