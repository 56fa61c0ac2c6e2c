/**
 * The group leader's decision: who reads which partition. Balanced, and sticky by what members say they own (nothing,
 * with eager rebalancing).
 *
 * Cooperative rule: a partition that somebody still owns is given to nobody else in this round. Its owner finds it
 * missing from its assignment, gives it up, joins again, and then it is free.
 */
import type { TopicPartition } from '../../../kernel/ids.ts'
import { partitionKey } from './ownership.ts'

/** What a member says when it joins. */
export interface Subscription {
  readonly topics: readonly string[]
  readonly owned: readonly TopicPartition[]
  /** In which generation it came to own them. A join request that arrives late claims what was given away since. */
  readonly generationId: number
}

export interface SubscribedMember {
  readonly memberId: string
  readonly subscription: Subscription
}

interface Claim {
  readonly memberId: string | null
  readonly generationId: number
}

type Plan = Map<string, TopicPartition[]>

export function assign(
  members: readonly SubscribedMember[],
  partitionCounts: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly TopicPartition[]> {
  const sorted = [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1))
  const claims = claimsOf(sorted)
  const plan: Plan = new Map(sorted.map(({ memberId }) => [memberId, []]))
  const readers = readersOf(sorted)
  const free: TopicPartition[] = []
  for (const [topic, ids] of readers) {
    for (let partition = 0; partition < (partitionCounts.get(topic) ?? 0); partition++) {
      const owner = claims.get(partitionKey({ topic, partition }))?.memberId ?? null
      const kept = owner !== null && ids.includes(owner) ? plan.get(owner) : undefined
      if (kept === undefined) free.push({ topic, partition })
      else kept.push({ topic, partition })
    }
  }
  for (const partition of free) leastLoaded(plan, readers.get(partition.topic) ?? [])?.push(partition)
  balance(plan, readers)
  return withhold(plan, claims)
}

/** Of two members that claim the same partition the newer generation is right; of the same generation, nobody is. */
function claimsOf(members: readonly SubscribedMember[]): ReadonlyMap<string, Claim> {
  const claims = new Map<string, Claim>()
  for (const { memberId, subscription } of members) {
    const { generationId } = subscription
    for (const partition of subscription.owned) {
      const key = partitionKey(partition)
      const other = claims.get(key)
      if (other === undefined || other.generationId < generationId) claims.set(key, { memberId, generationId })
      else if (other.generationId === generationId) claims.set(key, { memberId: null, generationId })
    }
  }
  return claims
}

function readersOf(members: readonly SubscribedMember[]): ReadonlyMap<string, readonly string[]> {
  const topics = [...new Set(members.flatMap(({ subscription }) => subscription.topics))].sort()
  return new Map(
    topics.map((topic) => [
      topic,
      members.filter(({ subscription }) => subscription.topics.includes(topic)).map(({ memberId }) => memberId),
    ]),
  )
}

function leastLoaded(plan: Plan, memberIds: readonly string[]): TopicPartition[] | undefined {
  let least: TopicPartition[] | undefined
  for (const id of memberIds) {
    const load = plan.get(id)
    if (load !== undefined && (least === undefined || load.length < least.length)) least = load
  }
  return least
}

/** Move single partitions from the fullest to the emptiest, as long as that makes them more equal. */
function balance(plan: Plan, readers: ReadonlyMap<string, readonly string[]>): void {
  for (let moved = true; moved; ) {
    moved = false
    for (const load of plan.values()) {
      for (let at = load.length - 1; at >= 0; at--) {
        const partition = load[at] as TopicPartition
        const least = leastLoaded(plan, readers.get(partition.topic) ?? [])
        if (least === undefined || least.length + 1 >= load.length) continue
        least.push(...load.splice(at, 1))
        moved = true
      }
    }
  }
}

function withhold(plan: Plan, claims: ReadonlyMap<string, Claim>): ReadonlyMap<string, readonly TopicPartition[]> {
  const isFree = (memberId: string, partition: TopicPartition): boolean => {
    const claim = claims.get(partitionKey(partition))
    return claim === undefined || claim.memberId === memberId
  }
  return new Map([...plan].map(([id, load]) => [id, load.filter((partition) => isFree(id, partition))]))
}
