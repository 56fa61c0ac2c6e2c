/**
 * Kafka's range: of every topic alone, each reader gets a run of neighbouring partitions, the first ones one more where it
 * does not come out even. So partition 7 of two topics with the same readers is read by the same member.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Assignor, inKafkaOrder, topicsOf } from './assignor.ts'

export const range: Assignor = {
  name: 'range',
  kind: 'eager',
  assign(members, partitionsOf) {
    const sorted = inKafkaOrder(members)
    const plan = new Map<string, TopicPartition[]>(sorted.map(({ memberId }) => [memberId, []]))
    const readers = Map.groupBy(
      sorted.flatMap(({ memberId, topics }) => [...new Set(topics)].map((topic) => ({ topic, memberId }))),
      ({ topic }) => topic,
    )
    for (const topic of topicsOf(sorted, partitionsOf)) {
      const ids = readers.get(topic) ?? []
      const count = partitionsOf(topic)
      const few = Math.floor(count / ids.length)
      const withOneMore = count % ids.length
      let next = 0
      for (const [index, { memberId }] of ids.entries()) {
        const end = next + few + (index < withOneMore ? 1 : 0)
        for (; next < end; next++) plan.get(memberId)?.push({ topic, partition: next })
      }
    }
    return plan
  },
}
