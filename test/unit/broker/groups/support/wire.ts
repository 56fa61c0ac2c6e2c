/** Requests and answers as the wire carries them: nothing is used in a test that a version has no room for. */
import type { Api } from '../../../../../src/protocol/api.ts'
import {
  readConsumerProtocolAssignment,
  writeConsumerProtocolAssignment,
} from '../../../../../src/protocol/generated/consumer-protocol-assignment.ts'
import { writeConsumerProtocolSubscription } from '../../../../../src/protocol/generated/consumer-protocol-subscription.ts'
import { Reader } from '../../../../../src/protocol/reader.ts'
import type { Input } from '../../../../../src/protocol/types.ts'
import { Writer } from '../../../../../src/protocol/writer.ts'

/** Through the codec and back, so that nothing is used that the wire would not carry. */
export function overTheWire<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>): Q {
  const writer = new Writer()
  api.writeRequest(writer, request, version)
  return api.readRequest(new Reader(writer.toBuffer()), version)
}

export function backOverTheWire<Q, R>(api: Api<Q, R>, version: number, response: Input<R>): R {
  const writer = new Writer()
  api.writeResponse(writer, response, version)
  return api.readResponse(new Reader(writer.toBuffer()), version)
}

/** A subscription of the consumer protocol, version 0, with a value of the script as user data. */
export function subscription(value: unknown, topics: readonly string[] = []): Buffer {
  const writer = new Writer()
  writer.int16(0)
  writer.int32(topics.length)
  for (const topic of topics) writer.string(topic, false)
  writer.bytes(Buffer.from(JSON.stringify(value)), false)
  return writer.toBuffer()
}

/** What consumers say when they join, as Kafka's own clients do. `owned` is `in-0 in-1`. */
export function embeddedSubscription(
  topics: readonly string[],
  owned = '',
  version = 3,
  rackId: string | null = null,
): Buffer {
  const writer = new Writer()
  writer.int16(version)
  const ownedPartitions = named(owned)
  writeConsumerProtocolSubscription(writer, { topics, userData: null, ownedPartitions, rackId }, Math.min(version, 3))
  return writer.toBuffer()
}

export function embeddedAssignment(partitions: string, userData: Buffer | null = null): Buffer {
  const writer = new Writer()
  writer.int16(1)
  writeConsumerProtocolAssignment(writer, { assignedPartitions: named(partitions), userData }, 1)
  return writer.toBuffer()
}

/** `in-0 in-1`, sorted. */
export function assignedIn(bytes: Buffer): string {
  const reader = new Reader(bytes)
  const { assignedPartitions } = readConsumerProtocolAssignment(reader, reader.int16())
  return listed(assignedPartitions.map(({ topic, partitions }) => ({ topicName: topic, partitions })))
}

export function listed(
  topics: readonly { readonly topicName: string; readonly partitions: readonly number[] }[],
): string {
  return topics
    .flatMap(({ topicName, partitions }) => partitions.map((partition) => `${topicName}-${partition}`))
    .sort()
    .join(' ')
}

function named(text: string): { topic: string; partitions: number[] }[] {
  const all = text.split(' ').filter((one) => one !== '')
  return [...Map.groupBy(all, (one) => one.replace(/-\d+$/, ''))].map(([topic, ones]) => ({
    topic,
    partitions: ones.map((one) => Number(one.slice(topic.length + 1))),
  }))
}
