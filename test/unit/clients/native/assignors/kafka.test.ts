/** The same answers and the same bytes as Apache Kafka 4.1.1's own assignors, recorded from them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { cooperativeSticky } from '../../../../../src/clients/native/group/assignors/cooperative-sticky.ts'
import { range } from '../../../../../src/clients/native/group/assignors/range.ts'
import { roundRobin } from '../../../../../src/clients/native/group/assignors/round-robin.ts'
import { sticky } from '../../../../../src/clients/native/group/assignors/sticky.ts'
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../../../src/clients/native/group/assignors/subscription.ts'
import { counts, listed, member, partitions, plan } from './support.ts'

interface Recorded {
  readonly partitions: Readonly<Record<string, number>>
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly topics: string
    readonly owned: string
    readonly generationId: number
    readonly cooperativeSubscription: string
    readonly stickyUserData: string | null
    readonly range: string
    readonly rangeAssignment: string
    readonly roundrobin: string
  }[]
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('fixtures/kafka-4.1.1.json', import.meta.url), 'utf8'),
)

describe('as Apache Kafka assigns', () => {
  for (const [index, group] of recorded.entries()) {
    const members = group.members.map(({ memberId, groupInstanceId, topics }) =>
      member(memberId, topics, { groupInstanceId }),
    )
    for (const assignor of [range, roundRobin] as const) {
      test(`G3 · ${assignor.name}, group ${index}`, () => {
        const name = assignor.name as 'range' | 'roundrobin'
        const expected = Object.fromEntries(group.members.map((one) => [one.memberId, one[name]]))
        assert.deepEqual(plan(assignor.assign(members, counts(group.partitions))), expected)
        assert.deepEqual(plan(assignor.assign(members.toReversed(), counts(group.partitions))), expected)
      })
    }
  }
})

describe('as Apache Kafka writes', () => {
  for (const [index, group] of recorded.entries()) {
    test(`G3 · subscriptions and assignments, group ${index}`, () => {
      for (const one of group.members) {
        const owned = partitions(one.owned)
        const { generationId } = one
        const bytes = encodeSubscription({
          topics: one.topics.split(' ').filter((topic) => topic !== ''),
          owned,
          generationId,
          userData: cooperativeSticky.userData?.(owned, generationId) ?? null,
          rackId: null,
        })
        assert.equal(bytes.toString('hex'), one.cooperativeSubscription)
        const read = decodeSubscription(Buffer.from(one.cooperativeSubscription, 'hex'), one.memberId)
        assert.equal(listed(read.owned), listed(owned))
        assert.equal(read.generationId, generationId)
        const assignment = encodeAssignment(partitions(one.range)).toString('hex')
        assert.equal(assignment.length, one.rangeAssignment.length)
        if (isOfOneTopic(one.range)) assert.equal(assignment, one.rangeAssignment)
        assert.equal(listed(decodeAssignment(Buffer.from(one.rangeAssignment, 'hex'))), one.range)
      }
    })

    test(`G3 · what a sticky member had before, group ${index}`, () => {
      for (const one of group.members) {
        const owned = partitions(one.owned)
        const ours = sticky.userData?.(owned, one.generationId) ?? null
        const theirs = one.stickyUserData === null ? null : Buffer.from(one.stickyUserData, 'hex')
        assert.equal(ours?.length, theirs?.length)
        if (isOfOneTopic(one.owned)) assert.deepEqual(ours, theirs)
        const topics = owned.map(({ topic }) => topic).join(' ')
        const alone = sticky.assign(
          [member('other', topics), member('member', topics, { userData: theirs })],
          counts(group.partitions),
        )
        const kept = listed(alone.get('member')).split(' ')
        const half = Math.floor([...alone.values()].flat().length / 2)
        const stays = owned.filter((partition) => kept.includes(listed([partition])))
        assert.ok(stays.length >= Math.min(owned.length, half))
      }
    })
  }
})

/** Kafka writes several topics in the order of a hash map. */
function isOfOneTopic(text: string): boolean {
  return new Set(partitions(text).map(({ topic }) => topic)).size === 1
}
