/**
 * What members of a classic group told each other through the coordinator, which does not look into it: subscriptions and
 * assignments. It is other clients' bytes, so what cannot be read is null and no error.
 */
import { FanlaneError } from '../errors.ts'
import {
  consumerProtocolAssignmentVersions,
  readConsumerProtocolAssignment,
} from '../protocol/generated/consumer-protocol-assignment.ts'
import {
  consumerProtocolSubscriptionVersions,
  readConsumerProtocolSubscription,
} from '../protocol/generated/consumer-protocol-subscription.ts'
import { Reader } from '../protocol/reader.ts'

export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

/** No bytes: the member has no assignment yet. */
export function assignmentOf(bytes: Buffer): readonly TopicPartitions[] | null {
  if (bytes.length === 0) return []
  return readOrNull(bytes, consumerProtocolAssignmentVersions.max, (reader, version) =>
    sorted(readConsumerProtocolAssignment(reader, version).assignedPartitions),
  )
}

/** While a group rebalances, brokers do not show the subscriptions. */
export function subscribedTopicsOf(bytes: Buffer): readonly string[] | null {
  if (bytes.length === 0) return null
  return readOrNull(bytes, consumerProtocolSubscriptionVersions.max, (reader, version) =>
    [...readConsumerProtocolSubscription(reader, version).topics].sort(),
  )
}

export function sorted(topics: readonly TopicPartitions[]): readonly TopicPartitions[] {
  return topics
    .map(({ topic, partitions }) => ({ topic, partitions: [...partitions].sort((a, b) => a - b) }))
    .sort((a, b) => (a.topic < b.topic ? -1 : 1))
}

/** A newer version than ours only has more at the end. */
function readOrNull<T>(bytes: Buffer, newest: number, read: (reader: Reader, version: number) => T): T | null {
  try {
    const reader = new Reader(bytes)
    const version = reader.int16()
    return version < 0 ? null : read(reader, Math.min(version, newest))
  } catch (error) {
    if (error instanceof FanlaneError) return null
    throw error
  }
}
