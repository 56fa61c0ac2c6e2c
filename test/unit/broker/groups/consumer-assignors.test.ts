import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AssignorInput } from '../../../../src/broker/groups/consumer/assignors/assignor.ts'
import { assignRange } from '../../../../src/broker/groups/consumer/assignors/range.ts'
import { assignUniform } from '../../../../src/broker/groups/consumer/assignors/uniform.ts'
import type { Partitions } from '../../../../src/broker/groups/consumer/partitions.ts'
import { randomStream } from '../../../../src/testing/sim/random.ts'

type Assignment = ReadonlyMap<string, Partitions>
interface Wish {
  readonly topics: string
  readonly instanceId?: string
}

/** Members and the topics they want, `a: 't u'`; partitions of topics; what they had before. */
function input(
  wishes: Readonly<Record<string, string | Wish>>,
  counts: Readonly<Record<string, number>>,
  before: Assignment = new Map(),
): AssignorInput {
  const members = Object.entries(wishes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([memberId, wish]) => {
      const { topics, instanceId = null } = typeof wish === 'string' ? { topics: wish } : wish
      const topicIds = new Set(topics.split(' ').filter((topic) => topic in counts))
      return { memberId, instanceId, topicIds, current: before.get(memberId) ?? new Map() }
    })
  const wanted = new Set(members.flatMap((member) => [...member.topicIds]))
  const topics = [...wanted].sort().map((topicId) => ({ topicId, partitionCount: counts[topicId] ?? 0 }))
  const same = members.every((member) => member.topicIds.size === wanted.size)
  return { members, topics, isHomogeneous: same }
}

function shown(assignment: Assignment): Record<string, string> {
  return Object.fromEntries([...assignment].map(([member, set]) => [member, flat(set).join(' ')]))
}

function flat(set: Partitions | undefined): string[] {
  return [...(set ?? [])].flatMap(([topic, partitions]) => [...partitions].map((p) => `${topic}${p}`)).sort()
}

describe('G3 · range', () => {
  test('contiguous ranges, the longer ones first', () => {
    assert.deepEqual(shown(assignRange(input({ a: 't', b: 't', c: 't' }, { t: 7 }))), {
      a: 't0 t1 t2',
      b: 't3 t4',
      c: 't5 t6',
    })
    assert.deepEqual(shown(assignRange(input({ a: 't', b: 't', c: 't' }, { t: 2 }))), { a: 't0', b: 't1', c: '' })
  })

  test('co-partitioned: the same numbers of every topic', () => {
    const both = assignRange(input({ a: 't u', b: 't u' }, { t: 3, u: 3 }))
    assert.deepEqual(shown(both), { a: 't0 t1 u0 u1', b: 't2 u2' })
  })

  test('mixed subscriptions: each topic among those that want it', () => {
    const mixed = assignRange(input({ a: 't u', b: 't', c: 'u' }, { t: 2, u: 3 }))
    assert.deepEqual(shown(mixed), { a: 't0 u0 u1', b: 't1', c: 'u2' })
  })

  test('static members stand first, by their instance id, whatever their member id', () => {
    const first = { x: { topics: 't', instanceId: 'i1' }, b: { topics: 't', instanceId: 'i2' }, a: 't' }
    const again = { c: { topics: 't', instanceId: 'i1' }, z: { topics: 't', instanceId: 'i2' }, a: 't' }
    assert.deepEqual(shown(assignRange(input(first, { t: 3 }))), { x: 't0', b: 't1', a: 't2' })
    assert.deepEqual(shown(assignRange(input(again, { t: 3 }))), { c: 't0', z: 't1', a: 't2' })
  })
})

describe('G3 · uniform', () => {
  test('equal shares of all topics together', () => {
    assert.deepEqual(shown(assignUniform(input({ a: 't u', b: 't u' }, { t: 3, u: 3 }))), {
      a: 't0 t1 t2',
      b: 'u0 u1 u2',
    })
  })

  test('who joins gets its share, and nothing moves between the others', () => {
    const two = assignUniform(input({ a: 't', b: 't' }, { t: 6 }))
    const three = assignUniform(input({ a: 't', b: 't', c: 't' }, { t: 6 }, two))
    assert.deepEqual(shown(three), { a: 't0 t1', b: 't3 t4', c: 't2 t5' })
  })

  test('who leaves is inherited from, and everybody keeps what it has', () => {
    const three = assignUniform(input({ a: 't', b: 't', c: 't' }, { t: 6 }))
    assert.deepEqual(shown(assignUniform(input({ a: 't', c: 't' }, { t: 6 }, three))), {
      a: 't0 t1 t2',
      c: 't3 t4 t5',
    })
  })

  test('the one that holds one more keeps it', () => {
    const alone = assignUniform(input({ c: 't' }, { t: 3 }))
    const both = assignUniform(input({ a: 't', c: 't' }, { t: 3 }, alone))
    assert.deepEqual(shown(both), { a: 't2', c: 't0 t1' })
  })

  test('mixed subscriptions: partitions move to the members with fewer', () => {
    const mixed = assignUniform(input({ a: 't u', b: 'u', c: 'u' }, { t: 2, u: 4 }))
    assert.deepEqual(shown(mixed), { a: 't0 t1', b: 'u0 u2', c: 'u1 u3' })
    const less = assignUniform(input({ a: 'u', b: 'u', c: 'u' }, { t: 2, u: 4 }, mixed))
    assert.deepEqual(shown(less), { a: 'u3', b: 'u0 u2', c: 'u1' })
  })

  test('no topics, no members with topics: empty hands', () => {
    assert.deepEqual(shown(assignUniform(input({ a: '', b: '' }, {}))), { a: '', b: '' })
    assert.deepEqual(shown(assignUniform(input({ a: 't', b: '' }, { t: 1 }))), { a: 't0', b: '' })
  })
})

/** A group lives through joins, leaves, new subscriptions and new partitions. */
function lives(seed: number, equal: boolean, check: (now: AssignorInput, before: Assignment) => Assignment): void {
  const random = randomStream(seed, 'assignors')
  const below = (n: number): number => Math.floor(random() * n)
  const names = ['t', 'u', 'v', 'w']
  const some = (): string => names.filter(() => random() < 0.6).join(' ')
  let counts = Object.fromEntries(names.map((name) => [name, 1 + below(9)]))
  let common = some()
  const wishes: Record<string, string> = {}
  let assignment: Assignment = new Map()
  for (let step = 0; step < 12; step++) {
    const present = Object.keys(wishes)
    const who = present[below(present.length)]
    const what = below(5)
    if (what < 2 || who === undefined) wishes[`m${below(9)}`] = equal ? common : some()
    else if (what === 2) delete wishes[who]
    else if (what === 3 && equal) {
      common = some()
      for (const member of present) wishes[member] = common
    } else if (what === 3) wishes[who] = some()
    else counts = Object.fromEntries(names.map((name) => [name, (counts[name] ?? 0) + below(2)]))
    if (Object.keys(wishes).length > 0) assignment = check(input(wishes, counts, assignment), assignment)
  }
}

function eachOnce(now: AssignorInput, assignment: Assignment): void {
  const given = [...assignment.values()].flatMap(flat).sort()
  const wanted = now.topics.flatMap(({ topicId, partitionCount }) =>
    Array.from({ length: partitionCount }, (_, partition) => `${topicId}${partition}`),
  )
  assert.deepEqual(given, wanted.sort())
  for (const { memberId, topicIds } of now.members) {
    for (const topic of assignment.get(memberId)?.keys() ?? []) assert.ok(topicIds.has(topic), 'not subscribed')
  }
}

describe('G3 · assignors, whatever happens to a group', () => {
  test('every partition has one owner, who wants it', () => {
    for (let seed = 0; seed < 150; seed++) {
      for (const assign of [assignUniform, assignRange]) {
        lives(seed, seed % 2 === 0, (now) => {
          const assignment = assign(now)
          eachOnce(now, assignment)
          return assignment
        })
      }
    }
  })

  test('uniform, equal subscriptions: within one of each other, and nobody loses what fits into its share', () => {
    for (let seed = 0; seed < 150; seed++) {
      lives(seed, true, (now, before) => {
        const assignment = assignUniform(now)
        const sizes = now.members.map(({ memberId }) => flat(assignment.get(memberId)).length)
        assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, `seed ${seed}: ${sizes}`)
        const all = sizes.reduce((a, b) => a + b, 0)
        const share = Math.floor(all / sizes.length)
        const topics = new Set(now.topics.map(({ topicId }) => topicId))
        for (const { memberId } of now.members) {
          const had = flat(new Map([...(before.get(memberId) ?? [])].filter(([topic]) => topics.has(topic))))
          const kept = flat(assignment.get(memberId)).filter((one) => had.includes(one))
          assert.ok(kept.length >= Math.min(had.length, share), `seed ${seed}: ${memberId} had ${had}, kept ${kept}`)
        }
        return assignment
      })
    }
  })

  test('nothing has changed: nothing moves', () => {
    for (let seed = 0; seed < 60; seed++) {
      lives(seed, seed % 2 === 0, (now) => {
        const assignment = assignUniform(now)
        const members = now.members.map((member) => ({
          ...member,
          current: assignment.get(member.memberId) ?? new Map(),
        }))
        assert.deepEqual(shown(assignUniform({ ...now, members })), shown(assignment), `seed ${seed}`)
        return assignment
      })
    }
  })

  test('uniform, mixed subscriptions: no topic has two subscribers that are further apart than one move would mend', () => {
    for (let seed = 0; seed < 150; seed++) {
      lives(seed, false, (now) => {
        const assignment = assignUniform(now)
        const size = (memberId: string): number => flat(assignment.get(memberId)).length
        for (const { topicId } of now.topics) {
          const subscribers = now.members.filter((member) => member.topicIds.has(topicId))
          const givers = subscribers.filter(({ memberId }) => assignment.get(memberId)?.has(topicId))
          const most = Math.max(...givers.map(({ memberId }) => size(memberId)))
          const least = Math.min(...subscribers.map(({ memberId }) => size(memberId)))
          assert.ok(most - least <= 1, `seed ${seed}: ${topicId} ${most} ${least}`)
        }
        return assignment
      })
    }
  })
})
