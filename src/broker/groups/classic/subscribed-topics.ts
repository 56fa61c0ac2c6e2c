/**
 * The topics that a group reads, as far as the coordinator can know: with the protocol type `consumer` members say it in the
 * first version of the consumer protocol, which all later versions begin with.
 *
 * null: it cannot know. That is no error (Kafka knows it in most such cases, and in others never answers the JoinGroup): the
 * group works all the same, only its offsets do not expire while it has members.
 */

import { readConsumerProtocolSubscription } from '../../../protocol/generated/consumer-protocol-subscription.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import { Reader } from '../../../protocol/reader.ts'

export const consumerProtocolType = 'consumer'

export function subscribedTopics(subscriptions: readonly Buffer[]): ReadonlySet<string> | null {
  const topics = new Set<string>()
  for (const bytes of subscriptions) {
    const own = topicsOf(bytes)
    if (own === null) return null
    for (const topic of own) topics.add(topic)
  }
  return topics
}

function topicsOf(bytes: Buffer): readonly string[] | null {
  const reader = new Reader(bytes)
  try {
    reader.int16()
    return readConsumerProtocolSubscription(reader, 0).topics
  } catch (error) {
    if (error instanceof ProtocolError) return null
    throw error
  }
}
