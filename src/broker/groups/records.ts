/**
 * The records of the state log, byte for byte as Apache Kafka 4.1 writes them to `__consumer_offsets`: a key is its type and
 * a struct, a value its version and a struct. No value: the key is gone.
 */

import { FanlaneError } from '../../errors.ts'
import {
  groupMetadataKeyType,
  readGroupMetadataKey,
  writeGroupMetadataKey,
} from '../../protocol/generated/group-metadata-key.ts'
import {
  type GroupMetadataValue,
  groupMetadataValueVersions,
  readGroupMetadataValue,
  writeGroupMetadataValue,
} from '../../protocol/generated/group-metadata-value.ts'
import {
  offsetCommitKeyType,
  readOffsetCommitKey,
  writeOffsetCommitKey,
} from '../../protocol/generated/offset-commit-key.ts'
import {
  type OffsetCommitValue,
  offsetCommitValueVersions,
  readOffsetCommitValue,
  writeOffsetCommitValue,
} from '../../protocol/generated/offset-commit-value.ts'
import { Reader } from '../../protocol/reader.ts'
import type { Input } from '../../protocol/types.ts'
import { Writer } from '../../protocol/writer.ts'
import { consumerGroupRecordTypes } from './consumer/records.ts'
import type { StateRecord } from './ports.ts'

export interface OffsetKey {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

export type StateKey =
  | ({ readonly kind: 'offset' } & OffsetKey)
  | { readonly kind: 'classic'; readonly group: string }
  /** All keys of the `consumer` protocol begin with the group. */
  | { readonly kind: 'consumer'; readonly type: number; readonly group: string }
  /** Of something that this broker does not have (share groups, streams groups). */
  | { readonly kind: 'foreign'; readonly type: number }

/** The first versions of an offset key had a type of their own. */
const oldOffsetCommitKeyType = 0

export function readStateKey(key: Buffer): StateKey {
  const reader = new Reader(key)
  const type = reader.int16()
  if (type === offsetCommitKeyType || type === oldOffsetCommitKeyType) {
    return { kind: 'offset', ...readOffsetCommitKey(reader, 0) }
  }
  if (type === groupMetadataKeyType) return { kind: 'classic', group: readGroupMetadataKey(reader, 0).group }
  if (consumerGroupRecordTypes.has(type)) return { kind: 'consumer', type, group: reader.string(false) }
  return { kind: 'foreign', type }
}

export function readOffsetValue(value: Buffer): OffsetCommitValue {
  const reader = new Reader(value)
  return readOffsetCommitValue(reader, versionOf(reader, offsetCommitValueVersions, 'a committed offset'))
}

export function readGroupValue(value: Buffer): GroupMetadataValue {
  const reader = new Reader(value)
  return readGroupMetadataValue(reader, versionOf(reader, groupMetadataValueVersions, 'a group'))
}

export function offsetRecord(key: OffsetKey, value: Input<OffsetCommitValue>): StateRecord {
  // Only the second version has room for an end that the client chose.
  const version = value.expireTimestamp === undefined || value.expireTimestamp < 0n ? 4 : 1
  return { key: offsetKey(key), value: valueBytes(version, (writer) => writeOffsetCommitValue(writer, value, version)) }
}

export function offsetTombstone(key: OffsetKey): StateRecord {
  return { key: offsetKey(key), value: null }
}

export function groupRecord(group: string, value: Input<GroupMetadataValue>): StateRecord {
  return { key: groupKey(group), value: valueBytes(3, (writer) => writeGroupMetadataValue(writer, value, 3)) }
}

export function groupTombstone(group: string): StateRecord {
  return { key: groupKey(group), value: null }
}

const batchHeaderBytes = 61

/** The size of the record batch that holds exactly these, uncompressed and with one timestamp. */
export function batchBytes(records: readonly StateRecord[]): number {
  let bytes = batchHeaderBytes
  for (const [i, { key, value }] of records.entries()) {
    const valueLength = value === null ? -1 : value.length
    // Attributes, timestamp delta and the count of headers take a byte each.
    const body =
      3 + varintBytes(i) + varintBytes(key.length) + key.length + varintBytes(valueLength) + Math.max(0, valueLength)
    bytes += varintBytes(body) + body
  }
  return bytes
}

function varintBytes(value: number): number {
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  let bytes = 1
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++
  return bytes
}

function offsetKey(key: OffsetKey): Buffer {
  const writer = new Writer()
  writer.int16(offsetCommitKeyType)
  writeOffsetCommitKey(writer, key, 0)
  return writer.toBuffer()
}

function groupKey(group: string): Buffer {
  const writer = new Writer()
  writer.int16(groupMetadataKeyType)
  writeGroupMetadataKey(writer, { group }, 0)
  return writer.toBuffer()
}

function valueBytes(version: number, write: (writer: Writer) => void): Buffer {
  const writer = new Writer()
  writer.int16(version)
  write(writer)
  return writer.toBuffer()
}

function versionOf(reader: Reader, known: { readonly min: number; readonly max: number }, what: string): number {
  const version = reader.int16()
  if (version >= known.min && version <= known.max) return version
  throw new FanlaneError(
    'STATE_RECORD_UNKNOWN',
    `${what} was stored in version ${version}, this broker knows ${known.min} to ${known.max}. Start the version of fanlane that wrote this data directory.`,
  )
}
