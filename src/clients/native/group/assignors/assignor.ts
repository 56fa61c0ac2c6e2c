/**
 * How the leader of a classic group decides who reads which partition, and what its members tell it for that. An assignor is
 * pure: the same members and partitions give the same answer, in whatever order they come. Users may bring their own.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'

/** What a member said when it joined. */
export interface MemberSubscription {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly topics: readonly string[]
  /** What it still owns: with eager rebalancing nothing, it has let go of everything before it joined. */
  readonly owned: readonly TopicPartition[]
  /** In which generation it came to own them; −1: unknown. */
  readonly generationId: number
  readonly userData: Buffer | null
  readonly rackId: string | null
}

export interface Assignor {
  /** Of the protocol in the group: all members must have it in common. */
  readonly name: string
  /**
   * `eager`: everybody gives up everything before joining. `cooperative`: members keep what they own, and what moves is given
   * up first and assigned in the round after.
   */
  readonly kind: 'eager' | 'cooperative'
  /** Of the subscriptions and assignments that members with this assignor write; default 3, as Kafka's own clients. */
  readonly version?: number
  /** More bytes for our subscription. `owned`: what we own, or (eager) owned last; `generationId`: since which generation. */
  userData?(owned: readonly TopicPartition[], generationId: number): Buffer | null
  /** By member id. `partitionsOf` gives the number of partitions of a topic; 0: there is no such topic. */
  assign(
    members: readonly MemberSubscription[],
    partitionsOf: (topic: string) => number,
  ): ReadonlyMap<string, readonly TopicPartition[]>
}

/** Kafka's order of members: static ones first, by instance id, which outlives a restart; then the others by member id. */
export function inKafkaOrder(members: readonly MemberSubscription[]): readonly MemberSubscription[] {
  return [...members].sort((a, b) => {
    if (a.groupInstanceId !== null && b.groupInstanceId !== null) return compare(a.groupInstanceId, b.groupInstanceId)
    if (a.groupInstanceId !== null) return -1
    if (b.groupInstanceId !== null) return 1
    return compare(a.memberId, b.memberId)
  })
}

/** By topic that exists: its readers, as indexes into the members, ascending. Topics in the order in which they are named. */
export function readersOf(
  members: readonly { readonly topics: readonly string[] }[],
  partitionsOf: (topic: string) => number,
): ReadonlyMap<string, readonly number[]> {
  const readers = new Map<string, number[]>()
  for (const [index, { topics }] of members.entries()) {
    for (const topic of topics) {
      const known = readers.get(topic)
      if (known === undefined) readers.set(topic, [index])
      else if (known.at(-1) !== index) known.push(index)
    }
  }
  for (const topic of readers.keys()) if (partitionsOf(topic) <= 0) readers.delete(topic)
  return readers
}

/** By UTF-16 code units, as Java compares: every leader must come to the same order. */
export function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
