/**
 * CreatePartitions: a topic grows while it is in use; it never shrinks. `count` is the number afterwards.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type CreatePartitionsRequest,
  type CreatePartitionsTopic,
  type CreatePartitionsTopicResult,
  createPartitionsApi,
} from '../../protocol/generated/37-create-partitions.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { granted, outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { replicasRefusal } from './assignments.ts'
import { isTooLate } from './controller-time.ts'
import { inTurn } from './topic-changes.ts'

type Result = Input<CreatePartitionsTopicResult>

/** Kafka's controller writes no more records than this for one request. */
const addedPerRequestMax = 10_000

export function createPartitions(broker: Broker): Route {
  return route(createPartitionsApi, {
    handle: async (request) => {
      if (isTooLate(request)) return refuseAll(request, errorCodes.REQUEST_TIMED_OUT)
      const results = [...Map.groupBy(request.topics, ({ name }) => name)].map(([name, [topic, ...others]]) =>
        topic === undefined || others.length > 0
          ? { name, errorCode: errorCodes.INVALID_REQUEST, errorMessage: 'Duplicate topic name.' }
          : inTurn(broker, () => grow(broker, topic, request.validateOnly)),
      )
      return { results: await Promise.all(results) }
    },
    refuse: refuseAll,
  })
}

function refuseAll({ topics }: CreatePartitionsRequest, errorCode: number): { results: Result[] } {
  return { results: topics.map(({ name }) => ({ name, errorCode, errorMessage: null })) }
}

async function grow(broker: Broker, wanted: CreatePartitionsTopic, validateOnly: boolean): Promise<Result> {
  const { name, count } = wanted
  try {
    const present = broker.topics.partitionCount(name)
    if (present === undefined) return { name, errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: null }
    if (count > present) checkGrowth(wanted, count - present)
    await broker.topics.addPartitions(name, count, validateOnly)
    return { name, ...granted }
  } catch (error) {
    return { name, ...outcomeOf(error) }
  }
}

function checkGrowth({ assignments }: CreatePartitionsTopic, added: number): void {
  if (added > addedPerRequestMax) {
    throw new Refused('POLICY_VIOLATION', `at most ${addedPerRequestMax} partitions can be added by one request`)
  }
  if (assignments === null) return
  if (assignments.length !== added) {
    const why = `Attempted to add ${added} additional partition(s), but only ${assignments.length} assignment(s) were specified.`
    throw new Refused('INVALID_REPLICA_ASSIGNMENT', why)
  }
  for (const { brokerIds } of assignments) {
    const refusal = replicasRefusal(brokerIds)
    if (refusal !== undefined) throw refusal
  }
}
