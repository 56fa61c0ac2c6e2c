/**
 * DeleteRecords: everything below an offset. -1: up to the high watermark. The answer has the offset at which the log begins
 * afterwards.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DeleteRecordsPartitionResult,
  type DeleteRecordsRequest,
  type DeleteRecordsResponse,
  deleteRecordsApi,
} from '../../protocol/generated/21-delete-records.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { whenReadable } from '../fetch/readable.ts'
import { type Route, route } from '../server/route.ts'

type Result = Input<DeleteRecordsPartitionResult>

const upToHighWatermark = -1

export function deleteRecords(broker: Broker): Route {
  return route(deleteRecordsApi, {
    handle: (request, { hold }) => {
      const answer = deleteAll(broker, request)
      // Kafka takes the next request of a connection when it has answered this one: whoever asks right behind it where the
      // log begins hears the new beginning.
      hold?.(answer)
      return answer
    },
    refuse: ({ topics }, errorCode) => ({
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => failure(partitionIndex, errorCode)),
      })),
    }),
  })
}

async function deleteAll(broker: Broker, { topics }: DeleteRecordsRequest): Promise<Input<DeleteRecordsResponse>> {
  const all = [...Map.groupBy(topics, ({ name }) => name)].map(async ([name, sameTopic]) => {
    // A partition that is named twice: the last word counts.
    const offsets = new Map(sameTopic.flatMap((t) => t.partitions).map((p) => [p.partitionIndex, Number(p.offset)]))
    const results = [...offsets].map(([index, offset]) => remove(broker, name, index, offset))
    return { name, partitions: await Promise.all(results) }
  })
  return { topics: await Promise.all(all) }
}

function failure(partitionIndex: number, errorCode: number): Result {
  return { partitionIndex, lowWatermark: -1n, errorCode }
}

async function remove(broker: Broker, name: string, index: number, offset: number): Promise<Result> {
  const partition = broker.topics.get(name)?.partitions[index]
  if (partition === undefined) return failure(index, errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
  const { log, topic } = partition
  if (topic.isInternal) return failure(index, errorCodes.INVALID_TOPIC_EXCEPTION)
  if (!topic.settings.cleanupPolicies.has('delete')) return failure(index, errorCodes.POLICY_VIOLATION)
  await whenReadable(log)
  const wanted = offset === upToHighWatermark ? log.highWatermark : offset
  if (wanted < 0 || wanted > log.highWatermark) return failure(index, errorCodes.OFFSET_OUT_OF_RANGE)
  await log.deleteRecordsBefore(wanted)
  return { partitionIndex: index, lowWatermark: BigInt(log.logStartOffset), errorCode: errorCodes.NONE }
}
