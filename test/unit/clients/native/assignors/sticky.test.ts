import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Assignor, MemberSubscription } from '../../../../../src/clients/native/group/assignors/assignor.ts'
import { cooperativeSticky } from '../../../../../src/clients/native/group/assignors/cooperative-sticky.ts'
import { sticky } from '../../../../../src/clients/native/group/assignors/sticky.ts'
import type { TopicPartition } from '../../../../../src/kernel/ids.ts'
import { counts, listed, member, partitions, plan } from './support.ts'

const sizes = { a: 6, b: 3 }

function had(owned: string, generationId: number): Buffer | null {
  return sticky.userData?.(partitions(owned), generationId) ?? null
}

describe('sticky', () => {
  test('G3 · who comes takes only what it must, who leaves is shared out', () => {
    const before = [
      member('m1', 'a', { userData: had('a:0 a:1 a:2', 4) }),
      member('m2', 'a', { userData: had('a:3 a:4 a:5', 4) }),
    ]
    const grown = plan(sticky.assign([...before, member('m3', 'a')], counts(sizes)))
    assert.deepEqual(grown, { m1: 'a:0 a:1', m2: 'a:3 a:4', m3: 'a:2 a:5' })
    assert.deepEqual(plan(sticky.assign(before.slice(1), counts(sizes))), { m2: 'a:0 a:1 a:2 a:3 a:4 a:5' })
  })

  test('G3 · what is given up is spread over the topics', () => {
    const alone = member('m1', 'a b', { userData: had('a:0 a:1 a:2 b:0 b:1 b:2', 4) })
    const both = plan(sticky.assign([alone, member('m2', 'a b')], counts({ a: 3, b: 3 })))
    assert.deepEqual(both, { m1: 'a:0 a:1 b:0', m2: 'a:2 b:1 b:2' })
  })

  test('G3 · of two claims the newer generation is right', () => {
    const members = [
      member('m1', 'b', { userData: had('b:0 b:1', 4) }),
      member('m2', 'b', { userData: had('b:1 b:2', 5) }),
    ]
    assert.deepEqual(plan(sticky.assign(members, counts(sizes))), { m1: 'b:0', m2: 'b:1 b:2' })
  })

  test('G3 · user data that is damaged, old or foreign costs nothing but the stickiness', () => {
    const old = had('a:4 a:5 b:0', 3)?.subarray(0, -4) ?? null
    const members = [
      member('m1', 'a b', { userData: old }),
      member('m2', 'a b', { userData: Buffer.from('?') }),
      member('m3', 'a b', { userData: Buffer.from([127, 255, 255, 255]) }),
    ]
    const assigned = sticky.assign(members, counts(sizes))
    assert.equal(listed(assigned.get('m1')), 'a:4 a:5 b:0')
    assert.equal([...assigned.values()].flat().length, 9)
  })
})

describe('cooperative-sticky', () => {
  const owner = (id: string, owned: string, generationId: number): MemberSubscription =>
    member(id, 'a', { owned, generationId })

  test('G3 · what moves is given up first, and assigned in the round after', () => {
    const first = [owner('m1', 'a:0 a:1 a:2 a:3 a:4 a:5', 1), owner('m2', '', -1)]
    const round1 = plan(cooperativeSticky.assign(first, counts(sizes)))
    assert.deepEqual(round1, { m1: 'a:0 a:1 a:2', m2: '' })
    const second = [owner('m1', 'a:0 a:1 a:2', 2), owner('m2', '', 2)]
    assert.deepEqual(plan(cooperativeSticky.assign(second, counts(sizes))), { m1: 'a:0 a:1 a:2', m2: 'a:3 a:4 a:5' })
  })

  test('L1 · a partition claimed twice in one generation goes to nobody in this round', () => {
    const assigned = plan(
      cooperativeSticky.assign([owner('m1', 'a:0 a:1', 7), owner('m2', 'a:1 a:2', 7)], counts({ a: 3 })),
    )
    assert.doesNotMatch(Object.values(assigned).join(' '), /a:1/)
  })

  test('L1 · a late claim of an older generation does not count', () => {
    const assigned = plan(
      cooperativeSticky.assign([owner('m1', 'a:0 a:1 a:2', 6), owner('m2', 'a:0 a:3', 7)], counts({ a: 4 })),
    )
    assert.deepEqual(assigned, { m1: 'a:1 a:2', m2: 'a:0 a:3' })
  })

  const generation = (id: number): Buffer | null => cooperativeSticky.userData?.(partitions('a:0'), id) ?? null

  test('G3 · before version 2 the generation is in the user data', () => {
    const late = member('m1', 'a', { owned: 'a:0', userData: generation(6) })
    const newer = member('m2', 'a', { owned: 'a:0', userData: generation(7) })
    assert.deepEqual(plan(cooperativeSticky.assign([late, newer], counts({ a: 2 }))), { m1: 'a:1', m2: 'a:0' })
  })

  test('L1 · what a member still owns but reads no more waits for it, too', () => {
    const members = [member('m1', '', { owned: 'a:0', generationId: 3 }), owner('m2', '', -1)]
    assert.deepEqual(plan(cooperativeSticky.assign(members, counts({ a: 2 }))), { m1: '', m2: 'a:1' })
  })
})

interface Group {
  readonly sizes: Readonly<Record<string, number>>
  readonly members: readonly MemberSubscription[]
}

const names = ['t0', 't1', 't2', 't3', 't4']

/** Any group: same or mixed subscriptions, any claims, contradicting ones too. */
const groups: fc.Arbitrary<Group> = fc
  .record({
    sizes: fc.array(fc.nat(9), { minLength: 5, maxLength: 5 }),
    members: fc.array(
      fc.record({
        topics: fc.oneof(fc.constant(names), fc.subarray(names)),
        owned: fc.uniqueArray(fc.tuple(fc.nat(4), fc.nat(9)), { maxLength: 12, selector: String }),
        generationId: fc.integer({ min: -1, max: 3 }),
      }),
      { minLength: 1, maxLength: 9 },
    ),
  })
  .map(({ sizes: each, members }) => ({
    sizes: Object.fromEntries(names.map((name, index) => [name, each[index] ?? 0])),
    members: members.map(({ topics, owned, generationId }, index) => ({
      ...member(`m${index}`, topics.join(' '), { generationId }),
      owned: owned.map(([topic, partition]) => ({ topic: `t${topic}`, partition })),
    })),
  }))

type Plan = ReadonlyMap<string, readonly TopicPartition[]>

function assign(assignor: Assignor, { members, sizes: of }: Group): Plan {
  return assignor.assign(members, counts(of))
}

/** Whether one partition could go from a fuller member to an emptier one, directly or over others. */
function canBeMoreEqual(plans: Plan, { members }: Group): boolean {
  const reads = new Map(members.map(({ memberId, topics }) => [memberId, new Set(topics)]))
  const load = (id: string): number => plans.get(id)?.length ?? 0
  return members.some(({ memberId: start }) => {
    const seen = new Set([start])
    for (const from of seen) {
      const held = new Set((plans.get(from) ?? []).map(({ topic }) => topic))
      for (const [id, topics] of reads) if ([...held].some((topic) => topics.has(topic))) seen.add(id)
    }
    return [...seen].some((id) => load(id) <= load(start) - 2)
  })
}

/** After everybody has done as it was told, and joined again. */
function nextRound(group: Group, plans: Plan, generationId: number): Group {
  return {
    ...group,
    members: group.members.map((one) => ({ ...one, owned: plans.get(one.memberId) ?? [], generationId })),
  }
}

describe('any group', () => {
  test('G3 · sticky: everything is assigned once, to somebody who reads it, as equally as can be', () => {
    fc.assert(
      fc.property(groups, (group) => {
        const plans = assign(sticky, group)
        const all = [...plans].flatMap(([id, mine]) => mine.map((partition) => ({ id, partition })))
        const wanted = names.filter((name) => group.members.some(({ topics }) => topics.includes(name)))
        assert.equal(
          listed(all.map(({ partition }) => partition)),
          listed(wanted.flatMap((topic) => range(group.sizes[topic] ?? 0).map((partition) => ({ topic, partition })))),
        )
        for (const { id, partition } of all) {
          assert.ok(group.members.some(({ memberId, topics }) => memberId === id && topics.includes(partition.topic)))
        }
        assert.equal(canBeMoreEqual(plans, group), false)
      }),
    )
  })

  test('G3 · whoever leads comes to the same plan, and the plan stays as it is', () => {
    fc.assert(
      fc.property(groups, (group) => {
        for (const assignor of [sticky, cooperativeSticky]) {
          const plans = assign(assignor, group)
          assert.deepEqual(plan(assign(assignor, { ...group, members: group.members.toReversed() })), plan(plans))
        }
        const settled = assign(sticky, group)
        assert.deepEqual(plan(assign(sticky, nextRound(group, settled, 9))), plan(settled))
      }),
    )
  })

  test('L1 · cooperative: nobody is given what another still owns; two rounds later all is assigned and equal', () => {
    fc.assert(
      fc.property(groups, (group) => {
        const round1 = assign(cooperativeSticky, group)
        for (const [id, mine] of round1) {
          const others = group.members.filter(({ memberId }) => memberId !== id)
          const mineNow = group.members.find(({ memberId }) => memberId === id)
          for (const { topic, partition } of mine) {
            const claims = (one: MemberSubscription): boolean =>
              one.owned.some((owned) => owned.topic === topic && owned.partition === partition)
            const newest = Math.max(-1, ...others.filter(claims).map(({ generationId }) => generationId))
            const isFree = !others.some(claims)
            const isMine = mineNow !== undefined && claims(mineNow) && mineNow.generationId > newest
            assert.ok(isFree || isMine)
          }
        }
        const second = nextRound(group, round1, 4)
        const round2 = assign(cooperativeSticky, second)
        const round3 = assign(cooperativeSticky, nextRound(group, round2, 5))
        assert.deepEqual(plan(round3), plan(assign(sticky, nextRound(group, round2, 5))))
        assert.equal(canBeMoreEqual(round3, group), false)
      }),
    )
  })

  test('G3 · with the same topics nobody loses more than the new balance needs', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        fc.nat(3),
        (size, stays, more) => {
          const before = stays.map((_, index) => member(`m${index}`, 't'))
          const plans = sticky.assign(before, counts({ t: size }))
          const left = before.filter((_, index) => stays[index])
          const after = [
            ...left.map((one) => ({ ...one, owned: plans.get(one.memberId) ?? [], generationId: 1 })),
            ...range(more).map((index) => member(`n${index}`, 't')),
          ]
          if (after.length === 0) return
          const next = sticky.assign(after, counts({ t: size }))
          const least = Math.floor(size / after.length)
          let spare = size % after.length
          for (const { memberId, owned } of after) {
            const kept = (next.get(memberId) ?? []).filter((one) =>
              listed(owned)
                .split(' ')
                .includes(listed([one])),
            )
            if (kept.length > least) spare--
            assert.ok(kept.length >= Math.min(owned.length, least))
          }
          const wantMore = after.filter(({ owned }) => owned.length > least).length
          assert.equal(spare, Math.max(0, (size % after.length) - wantMore))
        },
      ),
    )
  })
})

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
