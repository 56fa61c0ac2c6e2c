/**
 * Kafka's sticky assignor: eager, everybody gives up everything, and most get it back. What a member had before is in the user
 * data of its subscription: its partitions by topic, and (version 1) the generation in which it had them.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { ProtocolError } from '../../../../protocol/protocol-error.ts'
import { Reader, readScalars, readStructs, scalar } from '../../../../protocol/reader.ts'
import { Writer } from '../../../../protocol/writer.ts'
import type { Assignor, MemberSubscription } from './assignor.ts'
import type { Claimant } from './claims.ts'
import { stickyPlan } from './sticky-plan.ts'
import { byTopic, flat, type PartitionsOfTopic } from './subscription.ts'

const minTopicBytes = 6
const partitionBytes = 4

export const sticky: Assignor = {
  name: 'sticky',
  kind: 'eager',
  userData(owned, generationId) {
    if (owned.length === 0) return null
    const topics = byTopic(owned)
    const writer = new Writer()
    writer.count(topics.length, false)
    for (const { topic, partitions } of topics) {
      writer.string(topic, false)
      writer.count(partitions.length, false)
      for (const partition of partitions) writer.int32(partition)
    }
    writer.int32(generationId)
    return writer.toBuffer()
  },
  assign(members, partitionsOf) {
    return stickyPlan(members.map(claimantOf), partitionsOf).plan
  },
}

function claimantOf(member: MemberSubscription): Claimant {
  const { memberId, topics } = member
  const isOwning = member.owned.length > 0 && member.generationId >= 0
  return { memberId, topics, ...(isOwning ? member : previous(member.userData)) }
}

interface Previous {
  readonly owned: readonly TopicPartition[]
  readonly generationId: number
}

const nothing: Previous = { owned: [], generationId: -1 }

/** Bytes of somebody else's making only cost us what is sticky about it. */
function previous(userData: Buffer | null): Previous {
  if (userData === null || userData.length === 0) return nothing
  try {
    const reader = new Reader(userData)
    const owned = flat(readStructs(reader, 0, false, minTopicBytes, readTopic))
    return { owned, generationId: reader.remaining >= partitionBytes ? reader.int32() : -1 }
  } catch (error) {
    if (error instanceof ProtocolError) return nothing
    throw error
  }
}

function readTopic(reader: Reader): PartitionsOfTopic {
  return { topic: reader.string(false), partitions: readScalars(reader, false, partitionBytes, scalar.int32) }
}
