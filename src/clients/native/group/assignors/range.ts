/**
 * Kafka's range: of every topic alone, each reader gets a run of neighbouring partitions, the first ones one more where it
 * does not come out even. So partition 7 of two topics with the same readers is read by the same member.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Assignor, inKafkaOrder, readersOf } from './assignor.ts'

export const range: Assignor = {
  name: 'range',
  kind: 'eager',
  assign(members, partitionsOf) {
    const sorted = inKafkaOrder(members)
    const hands = sorted.map((): TopicPartition[] => [])
    for (const [topic, readers] of readersOf(sorted, partitionsOf)) {
      const count = partitionsOf(topic)
      const few = Math.floor(count / readers.length)
      const withOneMore = count % readers.length
      let next = 0
      for (const [seat, reader] of readers.entries()) {
        const end = next + few + (seat < withOneMore ? 1 : 0)
        for (; next < end; next++) hands[reader]?.push({ topic, partition: next })
        if (next === count) break
      }
    }
    return new Map(sorted.map(({ memberId }, index) => [memberId, hands[index] ?? []]))
  },
}
