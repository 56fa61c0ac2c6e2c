/** As balanced as Apache Kafka 4.1.1's own sticky assignor, and no more moves, where members read different topics. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { MemberSubscription } from '../../../../../src/clients/native/group/assignors/assignor.ts'
import { claimsOf } from '../../../../../src/clients/native/group/assignors/claims.ts'
import { sticky } from '../../../../../src/clients/native/group/assignors/sticky.ts'
import { partitionKey } from '../../../../../src/clients/native/group/ownership.ts'
import { counts, member } from './support.ts'

interface Recorded {
  readonly partitions: Readonly<Record<string, number>>
  readonly members: readonly {
    readonly memberId: string
    readonly topics: string
    readonly owned: string
    readonly generationId: number
  }[]
  /** What Kafka's plan came to. */
  readonly loads: string
  readonly moves: number
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('fixtures/kafka-4.1.1-sticky.json', import.meta.url), 'utf8'),
)

type Plan = ReturnType<typeof sticky.assign>

/** Partitions that their owner could have kept, and has not. */
function movesIn(plan: Plan, members: readonly MemberSubscription[], size: (topic: string) => number): number {
  const claims = claimsOf(members)
  let moves = 0
  for (const { memberId, topics, owned } of members) {
    const kept = new Set(plan.get(memberId)?.map(partitionKey))
    for (const partition of owned) {
      const isOurs = claims.get(partitionKey(partition))?.memberId === memberId
      const mayStay = topics.includes(partition.topic) && partition.partition < size(partition.topic)
      if (isOurs && mayStay && !kept.has(partitionKey(partition))) moves++
    }
  }
  return moves
}

describe('as Apache Kafka balances', () => {
  for (const [index, group] of recorded.entries()) {
    test(`G3 · sticky, mixed group ${index}: ${group.loads}`, () => {
      const members = group.members.map(({ memberId, topics, owned, generationId }) =>
        member(memberId, topics, { owned, generationId }),
      )
      const plan = sticky.assign(members, counts(group.partitions))
      const loads = [...plan.values()].map(({ length }) => length).sort((a, b) => b - a)
      assert.equal(loads.join(' '), group.loads)
      assert.ok(movesIn(plan, members, counts(group.partitions)) <= group.moves)
    })
  }
})
