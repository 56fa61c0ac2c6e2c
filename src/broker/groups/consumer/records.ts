/**
 * Changes of a consumer group as the records that Kafka keeps in `__consumer_offsets`, and back. A key is the number of
 * its type and the key struct; a value is the number of its version and the value struct; no value is a tombstone.
 */
import { FanlaneError } from '../../../errors.ts'
import {
  consumerGroupCurrentMemberAssignmentKeyType,
  readConsumerGroupCurrentMemberAssignmentKey,
  writeConsumerGroupCurrentMemberAssignmentKey,
} from '../../../protocol/generated/consumer-group-current-member-assignment-key.ts'
import {
  consumerGroupMemberMetadataKeyType,
  readConsumerGroupMemberMetadataKey,
  writeConsumerGroupMemberMetadataKey,
} from '../../../protocol/generated/consumer-group-member-metadata-key.ts'
import {
  consumerGroupMetadataKeyType,
  writeConsumerGroupMetadataKey,
} from '../../../protocol/generated/consumer-group-metadata-key.ts'
import { consumerGroupPartitionMetadataKeyType } from '../../../protocol/generated/consumer-group-partition-metadata-key.ts'
import {
  consumerGroupRegularExpressionKeyType,
  readConsumerGroupRegularExpressionKey,
  writeConsumerGroupRegularExpressionKey,
} from '../../../protocol/generated/consumer-group-regular-expression-key.ts'
import {
  consumerGroupTargetAssignmentMemberKeyType,
  readConsumerGroupTargetAssignmentMemberKey,
  writeConsumerGroupTargetAssignmentMemberKey,
} from '../../../protocol/generated/consumer-group-target-assignment-member-key.ts'
import {
  consumerGroupTargetAssignmentMetadataKeyType,
  writeConsumerGroupTargetAssignmentMetadataKey,
} from '../../../protocol/generated/consumer-group-target-assignment-metadata-key.ts'
import { Reader } from '../../../protocol/reader.ts'
import { Writer } from '../../../protocol/writer.ts'
import type { StateRecord } from '../ports.ts'
import type { Change } from './changes.ts'
import * as values from './record-values.ts'

const structVersion = 0

export function encodeChange(groupId: string, change: Change): StateRecord {
  switch (change.kind) {
    case 'group':
      return record(
        consumerGroupMetadataKeyType,
        (w) => writeConsumerGroupMetadataKey(w, { groupId }, structVersion),
        change.value,
        values.writeGroup,
      )
    case 'member':
      return record(
        consumerGroupMemberMetadataKeyType,
        (w) => writeConsumerGroupMemberMetadataKey(w, { groupId, memberId: change.memberId }, structVersion),
        change.value,
        values.writeSubscription,
      )
    case 'target-epoch':
      return record(
        consumerGroupTargetAssignmentMetadataKeyType,
        (w) => writeConsumerGroupTargetAssignmentMetadataKey(w, { groupId }, structVersion),
        change.value,
        values.writeTargetEpoch,
      )
    case 'target-member':
      return record(
        consumerGroupTargetAssignmentMemberKeyType,
        (w) => writeConsumerGroupTargetAssignmentMemberKey(w, { groupId, memberId: change.memberId }, structVersion),
        change.value,
        values.writeTargetMember,
      )
    case 'progress':
      return record(
        consumerGroupCurrentMemberAssignmentKeyType,
        (w) => writeConsumerGroupCurrentMemberAssignmentKey(w, { groupId, memberId: change.memberId }, structVersion),
        change.value,
        values.writeProgress,
      )
    case 'regex':
      return record(
        consumerGroupRegularExpressionKeyType,
        (w) => writeConsumerGroupRegularExpressionKey(w, { groupId, regularExpression: change.regex }, structVersion),
        change.value,
        values.writeRegex,
      )
  }
}

function record<T>(
  type: number,
  writeKey: (w: Writer) => void,
  value: T | null,
  writeValue: (w: Writer, value: T) => void,
): StateRecord {
  const key = new Writer()
  key.int16(type)
  writeKey(key)
  if (value === null) return { key: key.toBuffer(), value: null }
  const bytes = new Writer()
  bytes.int16(structVersion)
  writeValue(bytes, value)
  return { key: key.toBuffer(), value: bytes.toBuffer() }
}

type Decode = (key: Reader, value: Reader | null) => Change | undefined

const decoders: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [consumerGroupMetadataKeyType, (_, value) => ({ kind: 'group', value: value && values.readGroup(value) })],
  [
    consumerGroupMemberMetadataKeyType,
    (key, value) => {
      const { memberId } = readConsumerGroupMemberMetadataKey(key, structVersion)
      return { kind: 'member', memberId, value: value && values.readSubscription(value) }
    },
  ],
  // Written by Kafka before 4.1 only; the hash in the group's own record took its place.
  [consumerGroupPartitionMetadataKeyType, () => undefined],
  [
    consumerGroupTargetAssignmentMetadataKeyType,
    (_, value) => ({ kind: 'target-epoch', value: value && values.readTargetEpoch(value) }),
  ],
  [
    consumerGroupTargetAssignmentMemberKeyType,
    (key, value) => {
      const { memberId } = readConsumerGroupTargetAssignmentMemberKey(key, structVersion)
      return { kind: 'target-member', memberId, value: value && values.readTargetMember(value) }
    },
  ],
  [
    consumerGroupCurrentMemberAssignmentKeyType,
    (key, value) => {
      const { memberId } = readConsumerGroupCurrentMemberAssignmentKey(key, structVersion)
      return { kind: 'progress', memberId, value: value && values.readProgress(value) }
    },
  ],
  [
    consumerGroupRegularExpressionKeyType,
    (key, value) => {
      const { regularExpression } = readConsumerGroupRegularExpressionKey(key, structVersion)
      return { kind: 'regex', regex: regularExpression, value: value && values.readRegex(value) }
    },
  ],
])

/** The record types that belong to groups of the `consumer` protocol. */
export const consumerGroupRecordTypes: ReadonlySet<number> = new Set(decoders.keys())

/** The change that a record stands for; none for a record that no longer says anything. */
export function decodeChange(type: number, key: Buffer, value: Buffer | null): Change | undefined {
  const decode = decoders.get(type)
  if (decode === undefined) {
    throw new FanlaneError(
      'STATE_RECORD_UNKNOWN',
      `Record type ${type} is none of a consumer group. Start the version of fanlane that wrote this data directory.`,
    )
  }
  const reader = value === null ? null : new Reader(value)
  const version = reader?.int16() ?? structVersion
  if (version !== structVersion) {
    throw new FanlaneError(
      'STATE_RECORD_UNKNOWN',
      `A record of type ${type} has version ${version}. Start the version of fanlane that wrote this data directory.`,
    )
  }
  return decode(new Reader(key, 2), reader)
}
