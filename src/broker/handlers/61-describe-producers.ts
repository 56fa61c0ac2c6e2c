/**
 * DescribeProducers: what partitions know of idempotent and transactional producers.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { describeProducersApi, type PartitionResponse } from '../../protocol/generated/61-describe-producers.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { topicNameRefusal } from '../topics/name-refusal.ts'

export function describeProducers(broker: Broker): Route {
  return route(describeProducersApi, {
    handle: ({ topics }) => ({
      topics: topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => describe(broker, name, partitionIndex)),
      })),
    }),
    refuse: ({ topics }, errorCode) => ({
      topics: topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({ partitionIndex, errorCode, errorMessage: null })),
      })),
    }),
  })
}

function describe(broker: Broker, name: string, partitionIndex: number): Input<PartitionResponse> {
  const badName = topicNameRefusal(name)
  if (badName !== undefined) return { partitionIndex, errorCode: badName.errorCode, errorMessage: badName.message }
  const topic = broker.topics.get(name)
  const partition = topic?.partitions[partitionIndex]
  if (partition === undefined) {
    const errorMessage = topic === undefined ? 'This server does not host this topic-partition.' : null
    return { partitionIndex, errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION, errorMessage }
  }
  const activeProducers = partition.log.producers.describe().map((producer) => ({
    producerId: BigInt(producer.producerId),
    producerEpoch: producer.producerEpoch,
    lastSequence: producer.lastSequence,
    lastTimestamp: BigInt(producer.lastTimestampMs),
    coordinatorEpoch: producer.coordinatorEpoch,
    currentTxnStartOffset: BigInt(producer.openTransactionFrom),
  }))
  return { partitionIndex, errorCode: errorCodes.NONE, errorMessage: null, activeProducers }
}
