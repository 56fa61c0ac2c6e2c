/**
 * The values of a consumer group's records: Kafka's structs on one side, ours on the other.
 */
import {
  readConsumerGroupCurrentMemberAssignmentValue,
  writeConsumerGroupCurrentMemberAssignmentValue,
} from '../../../protocol/generated/consumer-group-current-member-assignment-value.ts'
import {
  readConsumerGroupMemberMetadataValue,
  writeConsumerGroupMemberMetadataValue,
} from '../../../protocol/generated/consumer-group-member-metadata-value.ts'
import {
  readConsumerGroupMetadataValue,
  writeConsumerGroupMetadataValue,
} from '../../../protocol/generated/consumer-group-metadata-value.ts'
import {
  readConsumerGroupRegularExpressionValue,
  writeConsumerGroupRegularExpressionValue,
} from '../../../protocol/generated/consumer-group-regular-expression-value.ts'
import {
  readConsumerGroupTargetAssignmentMemberValue,
  writeConsumerGroupTargetAssignmentMemberValue,
} from '../../../protocol/generated/consumer-group-target-assignment-member-value.ts'
import {
  readConsumerGroupTargetAssignmentMetadataValue,
  writeConsumerGroupTargetAssignmentMetadataValue,
} from '../../../protocol/generated/consumer-group-target-assignment-metadata-value.ts'
import type { Reader } from '../../../protocol/reader.ts'
import type { Writer } from '../../../protocol/writer.ts'
import type { ResolvedRegex } from './changes.ts'
import type { MemberState, Progress, Subscription } from './member.ts'
import { fromWire, type Partitions, toWire } from './partitions.ts'

const structVersion = 0

const stateBytes: Record<MemberState, number> = { stable: 0, unrevoked: 1, unreleased: 2, unknown: 127 }
const statesByByte: ReadonlyMap<number, MemberState> = new Map([
  [0, 'stable'],
  [1, 'unrevoked'],
  [2, 'unreleased'],
])

export function writeGroup(w: Writer, value: { readonly epoch: number; readonly metadataHash: bigint }): void {
  writeConsumerGroupMetadataValue(w, value, structVersion)
}

export function readGroup(r: Reader): { epoch: number; metadataHash: bigint } {
  const { epoch, metadataHash } = readConsumerGroupMetadataValue(r, structVersion)
  return { epoch, metadataHash }
}

export function writeSubscription(w: Writer, value: Subscription): void {
  const { classic } = value
  const { instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, serverAssignor } = value
  const subscribedTopicNames = [...value.topicNames].sort()
  writeConsumerGroupMemberMetadataValue(
    w,
    {
      instanceId,
      rackId,
      clientId,
      clientHost,
      subscribedTopicNames,
      subscribedTopicRegex: value.topicRegex,
      rebalanceTimeoutMs,
      serverAssignor,
      classicMemberMetadata: classic && {
        sessionTimeoutMs: classic.sessionTimeoutMs,
        supportedProtocols: classic.protocols,
      },
    },
    structVersion,
  )
}

export function readSubscription(r: Reader): Subscription {
  const value = readConsumerGroupMemberMetadataValue(r, structVersion)
  const { instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, serverAssignor } = value
  const classic = value.classicMemberMetadata
  return {
    instanceId,
    rackId,
    clientId,
    clientHost,
    topicNames: new Set(value.subscribedTopicNames),
    topicRegex: value.subscribedTopicRegex ?? '',
    rebalanceTimeoutMs,
    serverAssignor,
    classic: classic && {
      sessionTimeoutMs: classic.sessionTimeoutMs,
      protocols: classic.supportedProtocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
    },
  }
}

export function writeTargetEpoch(w: Writer, assignmentEpoch: number): void {
  writeConsumerGroupTargetAssignmentMetadataValue(w, { assignmentEpoch }, structVersion)
}

export function readTargetEpoch(r: Reader): number {
  return readConsumerGroupTargetAssignmentMetadataValue(r, structVersion).assignmentEpoch
}

export function writeTargetMember(w: Writer, partitions: Partitions): void {
  writeConsumerGroupTargetAssignmentMemberValue(w, { topicPartitions: toWire(partitions) }, structVersion)
}

export function readTargetMember(r: Reader): Partitions {
  return fromWire(readConsumerGroupTargetAssignmentMemberValue(r, structVersion).topicPartitions)
}

export function writeProgress(w: Writer, value: Progress): void {
  writeConsumerGroupCurrentMemberAssignmentValue(
    w,
    {
      memberEpoch: value.epoch,
      previousMemberEpoch: value.previousEpoch,
      state: stateBytes[value.state],
      assignedPartitions: toWire(value.assigned),
      partitionsPendingRevocation: toWire(value.pendingRevocation),
    },
    structVersion,
  )
}

export function readProgress(r: Reader): Progress {
  const value = readConsumerGroupCurrentMemberAssignmentValue(r, structVersion)
  return {
    epoch: value.memberEpoch,
    previousEpoch: value.previousMemberEpoch,
    state: statesByByte.get(value.state) ?? 'unknown',
    assigned: fromWire(value.assignedPartitions),
    pendingRevocation: fromWire(value.partitionsPendingRevocation),
  }
}

export function writeRegex(w: Writer, value: ResolvedRegex): void {
  writeConsumerGroupRegularExpressionValue(
    w,
    { topics: [...value.topics].sort(), version: BigInt(value.version), timestamp: BigInt(value.timestampMs) },
    structVersion,
  )
}

export function readRegex(r: Reader): ResolvedRegex {
  const { topics, version, timestamp } = readConsumerGroupRegularExpressionValue(r, structVersion)
  return { topics: new Set(topics), version: Number(version), timestampMs: Number(timestamp) }
}
