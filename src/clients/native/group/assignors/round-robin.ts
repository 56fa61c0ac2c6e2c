/** Kafka's round-robin: all partitions of all topics in order, dealt out one by one to the next member that reads the topic. */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Assignor, compare, inKafkaOrder, type MemberSubscription, readersOf } from './assignor.ts'

export const roundRobin: Assignor = {
  name: 'roundrobin',
  kind: 'eager',
  assign(members, partitionsOf) {
    const sorted = inKafkaOrder(members)
    const readers = [...readersOf(sorted, partitionsOf)].sort(([a], [b]) => compare(a, b))
    return deal(sorted, readers, partitionsOf)
  },
}

export function deal(
  members: readonly MemberSubscription[],
  readersByTopic: Iterable<readonly [topic: string, readers: readonly number[]]>,
  partitionsOf: (topic: string) => number,
): ReadonlyMap<string, readonly TopicPartition[]> {
  const hands = members.map((): TopicPartition[] => [])
  let last = -1
  for (const [topic, readers] of readersByTopic) {
    const count = partitionsOf(topic)
    // The first reader after the one that was dealt to last; behind the end, from the start again.
    let seat = readers.findIndex((reader) => reader > last)
    if (seat < 0) seat = 0
    for (let partition = 0; partition < count; partition++, seat = (seat + 1) % readers.length) {
      last = readers[seat] ?? last
      hands[last]?.push({ topic, partition })
    }
  }
  return new Map(members.map(({ memberId }, index) => [memberId, hands[index] ?? []]))
}
