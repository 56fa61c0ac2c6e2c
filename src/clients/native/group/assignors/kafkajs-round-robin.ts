/**
 * KafkaJS's only assigner, under its name and in its version of the bytes, so that a group can move from KafkaJS to fanlane
 * member by member, whoever leads. KafkaJS deals every topic of the leader to everybody; where all members read the same
 * topics (KafkaJS needs that) this comes to the same plan, and where they do not, nobody gets what it does not read.
 */
import { type Assignor, compare, readersOf } from './assignor.ts'
import { deal } from './round-robin.ts'

export const kafkaJsRoundRobin: Assignor = {
  name: 'RoundRobinAssigner',
  kind: 'eager',
  version: 0,
  // Empty, not null, as KafkaJS sends it.
  userData: () => Buffer.alloc(0),
  assign(members, partitionsOf) {
    const sorted = [...members].sort((a, b) => compare(a.memberId, b.memberId))
    // In the order in which members name their topics: KafkaJS does not sort them.
    return deal(sorted, readersOf(sorted, partitionsOf), partitionsOf)
  },
}
