/** Kafka's round-robin: all partitions of all topics in order, dealt out one by one to the next member that reads the topic. */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Assignor, inKafkaOrder, topicsOf } from './assignor.ts'

export const roundRobin: Assignor = {
  name: 'roundrobin',
  kind: 'eager',
  assign(members, partitionsOf) {
    const seats = inKafkaOrder(members).map(({ memberId, topics }) => ({
      memberId,
      topics: new Set(topics),
      hand: [] as TopicPartition[],
    }))
    deal(seats, topicsOf(members, partitionsOf), partitionsOf)
    return new Map(seats.map(({ memberId, hand }) => [memberId, hand]))
  },
}

export interface Seat {
  readonly topics: ReadonlySet<string>
  readonly hand: TopicPartition[]
}

/** Somebody reads each of the topics. */
export function deal(seats: readonly Seat[], topics: readonly string[], partitionsOf: (topic: string) => number): void {
  let next = 0
  for (const topic of topics) {
    const count = partitionsOf(topic)
    for (let partition = 0; partition < count; partition++) {
      while (!seats[next % seats.length]?.topics.has(topic)) next++
      seats[next % seats.length]?.hand.push({ topic, partition })
      next++
    }
  }
}
