/** Deleting the oldest records of partitions. */
import { byTopic } from '../cluster/leaders.ts'
import { errorCodes } from '../protocol/errors.ts'
import { deleteRecordsApi } from '../protocol/generated/21-delete-records.ts'
import { exact, listed, whole } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { answersFor, type PartitionName, partitionName } from './partitions.ts'
import { toLeaders } from './routes.ts'

export interface RecordDeletion extends PartitionName {
  /** All records before this offset; 'all': everything that is in the log when the broker looks. */
  readonly before: number | 'all'
}

export interface DeletedRecords extends PartitionName {
  /** The first offset that is left. */
  readonly earliest: number
}

/** Brokers take this for the end of the log. */
const logEnd = -1

/**
 * Sent again after silence: the same offset twice does the same as once, 'all' is all that there is at the last try.
 */
export function deleteRecords(
  context: AdminContext,
  deletions: readonly RecordDeletion[],
  options: CallOptions,
): Promise<readonly DeletedRecords[]> {
  for (const { before } of listed(deletions, 'deletions', partitionName)) if (before !== 'all') whole(before, 'before')
  return run<RecordDeletion, DeletedRecords>(context, {
    request: deleteRecordsApi.name,
    items: deletions,
    nameOf: partitionName,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: (open, errand) =>
      toLeaders(errand, open, async (node, theirs) => {
        const topics = [...byTopic(theirs)].map(([name, list]) => ({
          name,
          partitions: list.map(({ partition, before }) => ({
            partitionIndex: partition,
            offset: BigInt(before === 'all' ? logEnd : before),
          })),
        }))
        const request = { topics, timeoutMs: errand.patienceMs }
        const answer = await errand.ask(theirs, node, deleteRecordsApi, request, { applies: true })
        for (const [item, { errorCode, lowWatermark }] of answersFor(theirs, answer?.body.topics ?? [])) {
          const { topic, partition } = item
          if (errorCode === errorCodes.NONE) errand.done(item, { topic, partition, earliest: exact(lowWatermark) })
          else errand.refused(item, errorCode, node, deleteRecordsApi)
        }
      }),
  })
}
