/**
 * What members of the classic protocol say to each other through the coordinator, if they are consumers: their subscription
 * when they join, and their assignment. Each begins with its version; later versions only add to earlier ones, so one that is
 * not known yet is read as the last that is. null: these bytes are none of it.
 */
import {
  consumerProtocolAssignmentVersions,
  readConsumerProtocolAssignment,
  writeConsumerProtocolAssignment,
} from '../../../protocol/generated/consumer-protocol-assignment.ts'
import {
  consumerProtocolSubscriptionVersions,
  readConsumerProtocolSubscription,
} from '../../../protocol/generated/consumer-protocol-subscription.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import { Reader } from '../../../protocol/reader.ts'
import type { Uuid } from '../../../protocol/types.ts'
import { Writer } from '../../../protocol/writer.ts'
import type { TopicsView } from '../ports.ts'

export interface NamedPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

export interface EmbeddedSubscription {
  readonly topics: readonly string[]
  readonly rackId: string | null
  readonly owned: readonly NamedPartitions[]
}

export interface EmbeddedAssignment {
  readonly partitions: readonly NamedPartitions[]
  /** An assignor of the client's own has more to tell its members than partitions. */
  readonly hasUserData: boolean
}

export function readEmbeddedSubscription(bytes: Buffer): EmbeddedSubscription | null {
  return attempt(bytes, consumerProtocolSubscriptionVersions.max, (reader, version) => {
    const { topics, rackId, ownedPartitions } = readConsumerProtocolSubscription(reader, version)
    return { topics, rackId, owned: ownedPartitions }
  })
}

export function readEmbeddedAssignment(bytes: Buffer): EmbeddedAssignment | null {
  return attempt(bytes, consumerProtocolAssignmentVersions.max, (reader, version) => {
    const { assignedPartitions, userData } = readConsumerProtocolAssignment(reader, version)
    return { partitions: assignedPartitions, hasUserData: userData !== null && userData.length > 0 }
  })
}

/** For a member that has subscribed with these bytes: it is answered in the version that it speaks. */
export function writeEmbeddedAssignment(subscription: Buffer, assignedPartitions: readonly NamedPartitions[]): Buffer {
  const version = attempt(subscription, consumerProtocolAssignmentVersions.max, (_, spoken) => spoken) ?? 0
  const writer = new Writer()
  writer.int16(version)
  writeConsumerProtocolAssignment(writer, { assignedPartitions, userData: null }, version)
  return writer.toBuffer()
}

/** Topics that do not exist are left out, here and in the other direction. */
export function withTopicIds(
  named: readonly NamedPartitions[],
  topics: TopicsView,
): { topicId: Uuid; partitions: readonly number[] }[] {
  return named.flatMap(({ topic, partitions }) => {
    const topicId = topics.topicId(topic)
    return topicId === undefined ? [] : [{ topicId, partitions }]
  })
}

export function withTopicNames(
  wired: readonly { readonly topicId: Uuid; readonly partitions: readonly number[] }[],
  topics: TopicsView,
): NamedPartitions[] {
  return wired.flatMap(({ topicId, partitions }) => {
    const topic = topics.topicName(topicId)
    return topic === undefined ? [] : [{ topic, partitions }]
  })
}

function attempt<T>(bytes: Buffer, versionMax: number, read: (reader: Reader, version: number) => T): T | null {
  const reader = new Reader(bytes)
  try {
    const version = reader.int16()
    return version < 0 ? null : read(reader, Math.min(version, versionMax))
  } catch (error) {
    if (error instanceof ProtocolError) return null
    throw error
  }
}
