/**
 * The bytes that members and leader exchange through the coordinator, which does not look into them: the subscription in
 * JoinGroup, the assignment in SyncGroup. A newer version than ours only has more at the end. They come from other clients:
 * bytes that make no sense are an error that tells whose they are.
 */
import { FanlaneError } from '../../../../errors.ts'
import type { TopicPartition } from '../../../../kernel/ids.ts'
import {
  consumerProtocolAssignmentVersions,
  readConsumerProtocolAssignment,
  writeConsumerProtocolAssignment,
} from '../../../../protocol/generated/consumer-protocol-assignment.ts'
import {
  consumerProtocolSubscriptionVersions,
  readConsumerProtocolSubscription,
  writeConsumerProtocolSubscription,
} from '../../../../protocol/generated/consumer-protocol-subscription.ts'
import { Reader } from '../../../../protocol/reader.ts'
import { Writer } from '../../../../protocol/writer.ts'
import { compare, type MemberSubscription } from './assignor.ts'

/** A subscription without who it is of: that is told beside it. */
export type Subscription = Omit<MemberSubscription, 'memberId' | 'groupInstanceId'>

export function encodeSubscription(
  subscription: Subscription,
  version: number = consumerProtocolSubscriptionVersions.max,
): Buffer {
  const { topics, owned, generationId, userData, rackId } = subscription
  const writer = new Writer()
  writer.int16(version)
  writeConsumerProtocolSubscription(
    writer,
    { topics: [...topics].sort(compare), userData, ownedPartitions: byTopic(owned), generationId, rackId },
    version,
  )
  return writer.toBuffer()
}

/** `memberId`: for the error. */
export function decodeSubscription(bytes: Buffer, memberId: string): Subscription {
  return reading('SUBSCRIPTION_UNREADABLE', `The subscription of member '${memberId}'`, () => {
    const reader = new Reader(bytes)
    const version = versionOf(reader, consumerProtocolSubscriptionVersions.max)
    const { topics, userData, ownedPartitions, generationId, rackId } = readConsumerProtocolSubscription(
      reader,
      version,
    )
    return { topics, userData, owned: flat(ownedPartitions), generationId, rackId }
  })
}

export function encodeAssignment(
  partitions: readonly TopicPartition[],
  version: number = consumerProtocolAssignmentVersions.max,
): Buffer {
  const writer = new Writer()
  writer.int16(version)
  // Empty, not null: older clients do not expect null here.
  const value = { assignedPartitions: byTopic(partitions), userData: version === 0 ? Buffer.alloc(0) : null }
  writeConsumerProtocolAssignment(writer, value, version)
  return writer.toBuffer()
}

/** No bytes at all: the leader had nothing for us, and did not say so. */
export function decodeAssignment(bytes: Buffer): readonly TopicPartition[] {
  if (bytes.length === 0) return []
  return reading('ASSIGNMENT_UNREADABLE', 'The assignment from the leader of the group', () => {
    const reader = new Reader(bytes)
    const version = versionOf(reader, consumerProtocolAssignmentVersions.max)
    return flat(readConsumerProtocolAssignment(reader, version).assignedPartitions)
  })
}

export interface PartitionsOfTopic {
  readonly topic: string
  readonly partitions: readonly number[]
}

/** Grouped and sorted, so that the same partitions are the same bytes. */
export function byTopic(partitions: readonly TopicPartition[]): readonly PartitionsOfTopic[] {
  const grouped = Map.groupBy(partitions, ({ topic }) => topic)
  return [...grouped]
    .sort(([a], [b]) => compare(a, b))
    .map(([topic, ones]) => ({ topic, partitions: ones.map(({ partition }) => partition).sort((a, b) => a - b) }))
}

export function flat(topics: readonly PartitionsOfTopic[]): readonly TopicPartition[] {
  return topics.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })))
}

function versionOf(reader: Reader, newest: number): number {
  const version = reader.int16()
  if (version < 0) throw new FanlaneError('VERSION_INVALID', `There is no version ${version}.`)
  return Math.min(version, newest)
}

function reading<T>(code: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const fix = 'Every member of the group must be a consumer with the same assignors: look for a foreign client in it.'
    throw new FanlaneError(code, `${what} cannot be read. ${fix}`, { cause })
  }
}
