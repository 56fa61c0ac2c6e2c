/**
 * KafkaJS's only assigner, under its name and in its version of the bytes, so that a group can move from KafkaJS to fanlane
 * member by member, whoever leads. KafkaJS deals every topic of the leader to everybody; where all members read the same
 * topics (KafkaJS needs that) this comes to the same plan, and where they do not, nobody gets what it does not read.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Assignor, compare } from './assignor.ts'
import { deal } from './round-robin.ts'

export const kafkaJsRoundRobin: Assignor = {
  name: 'RoundRobinAssigner',
  kind: 'eager',
  version: 0,
  // Empty, not null, as KafkaJS sends it.
  userData: () => Buffer.alloc(0),
  assign(members, partitionsOf) {
    const seats = [...members]
      .sort((a, b) => compare(a.memberId, b.memberId))
      .map(({ memberId, topics }) => ({ memberId, topics: new Set(topics), hand: [] as TopicPartition[] }))
    // In the order in which the members name them: KafkaJS does not sort.
    const topics = [...new Set(seats.flatMap((seat) => [...seat.topics]))].filter((topic) => partitionsOf(topic) > 0)
    deal(seats, topics, partitionsOf)
    return new Map(seats.map(({ memberId, hand }) => [memberId, hand]))
  },
}
