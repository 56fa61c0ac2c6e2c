/** Rebalances that the scripts of the conformance suite do not have: with an initial delay, on demand, cooperative. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { subscription } from './support/wire.ts'
import { World } from './support/world.ts'

const delayed = { options: { groupInitialRebalanceDelayMs: 3_000 } }

describe('group coordinator: first rebalance with a delay', () => {
  it('Q7 · a new group waits for more members, and begins with all of them', async () => {
    const world = new World(delayed)
    const a = await world.join({}, 3)
    await world.advance(2_000)
    assert.equal(a.isAnswered, false)
    const b = await world.join({}, 3)
    await world.advance(1_000)
    assert.equal(a.isAnswered, false, 'somebody came: it waits on')
    await world.advance(3_000)
    assert.equal(a.answer.generationId, 1)
    assert.equal(b.answer.generationId, 1)
    assert.equal(a.answer.members.length, 2)
  })

  it('Q7 · it waits no longer than the rebalance timeout, however many come', async () => {
    const world = new World(delayed)
    const first = await world.join({ rebalanceTimeoutMs: 7_000 }, 3)
    for (let second = 0; second < 7; second++) {
      assert.equal(first.isAnswered, false)
      await world.join({ rebalanceTimeoutMs: 7_000 }, 3)
      await world.advance(1_000)
    }
    assert.equal(first.answer.members.length, 8)
  })

  it('Q7 · a member that leaves while it waits does not end the wait; with nobody left the group is empty again', async () => {
    const world = new World(delayed)
    const { memberId } = (await world.join()).answer
    const waits = await world.join({ memberId })
    await world.leave({ members: [{ memberId }] })
    assert.equal(errorName(waits.answer.errorCode), 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.describe()).groupState, 'PreparingRebalance')
    await world.advance(3_000)
    assert.equal((await world.describe()).groupState, 'Empty')
  })

  it('Q7 · a later rebalance does not wait', async () => {
    const world = new World(delayed)
    const { memberId } = (await world.join()).answer
    const joins = await world.join({ memberId })
    await world.advance(3_000)
    assert.equal(joins.answer.generationId, 1)
    await world.sync({ memberId })
    assert.equal((await world.join({ memberId })).answer.generationId, 2)
  })

  it('Q7 · a new member whose client is gone is put out after five minutes', async () => {
    const world = new World({ options: { groupMaxSessionTimeoutMs: 3_600_000 } })
    const calm = { sessionTimeoutMs: 3_600_000, rebalanceTimeoutMs: 3_600_000 }
    const a = await world.soloMember(calm)
    const gone = await world.join(calm, 3)
    await world.advance(300_000)
    assert.equal(errorName(gone.answer.errorCode), 'UNKNOWN_MEMBER_ID')
    const { generationId, members } = (await world.join({ ...calm, memberId: a })).answer
    assert.deepEqual([generationId, members.length], [2, 1])
  })
})

describe('group coordinator: rebalance on demand', () => {
  it('Q7 · a forced rebalance makes everybody join again', async () => {
    const world = new World()
    assert.equal(world.coordinator.forceRebalance('g'), false)
    const memberId = await world.soloMember()
    assert.equal(world.coordinator.forceRebalance('g'), true)
    assert.equal(await world.heartbeat({ memberId }), 'REBALANCE_IN_PROGRESS')
    assert.equal(world.coordinator.forceRebalance('g'), false, 'one is under way')
    assert.equal((await world.join({ memberId })).answer.generationId, 2)
    assert.equal(world.coordinator.forceRebalance('g'), true)
    await world.advance(30_000)
    assert.equal((await world.describe()).groupState, 'Empty')
  })

  it('Q7 · a session can be ended, of one member or of all', async () => {
    const world = new World()
    assert.equal(world.coordinator.expireSession('g', 'x'), false)
    const a = await world.soloMember()
    const b = (await world.join()).answer.memberId
    const bJoins = await world.join({ memberId: b })
    assert.equal(world.coordinator.expireSession('g', 'x'), false)
    assert.equal(world.coordinator.expireSession('g', a), true)
    await world.advance(0)
    assert.deepEqual([bJoins.answer.generationId, bJoins.answer.leader], [2, b])
    assert.equal(world.coordinator.expireSession('g'), true)
    assert.equal((await world.describe()).groupState, 'Empty')
    assert.equal(world.coordinator.expireSession('g'), false)
  })
})

describe('group coordinator: the three flows', () => {
  const cooperative = (owned: string) => [{ name: 'cooperative-sticky', metadata: subscription(owned, ['in']) }]

  it('Q7 · join, cooperatively: what moves is given up in one generation and taken in the next', async () => {
    const world = new World()
    const named = { protocolName: 'cooperative-sticky' }
    const give = (memberId: string, what: string) => ({ memberId, assignment: Buffer.from(what) })
    const { memberId: a } = (await world.join({ protocols: cooperative('') }, 3)).answer
    await world.sync({ ...named, memberId: a, assignments: [give(a, '0 1')] })
    const b = (await world.join({ protocols: cooperative('') })).answer.memberId
    const bJoins = await world.join({ memberId: b, protocols: cooperative('') })
    assert.equal(await world.heartbeat({ memberId: a }), 'REBALANCE_IN_PROGRESS')
    await world.join({ memberId: a, protocols: cooperative('0 1') })
    assert.equal(bJoins.answer.generationId, 2)
    const bSyncs = await world.sync({ ...named, generationId: 2, memberId: b })
    await world.sync({ ...named, generationId: 2, memberId: a, assignments: [give(a, '0'), give(b, '')] })
    assert.equal(bSyncs.answer.assignment.toString(), '', 'the partition is still with its former owner')
    // It has given the partition up, and says so by joining again with other metadata.
    const aJoins = await world.join({ memberId: a, protocols: cooperative('0') })
    assert.equal(await world.heartbeat({ memberId: b, generationId: 2 }), 'REBALANCE_IN_PROGRESS')
    await world.join({ memberId: b, protocols: cooperative('') })
    assert.equal(aJoins.answer.generationId, 3)
    await world.sync({ ...named, generationId: 3, memberId: a, assignments: [give(a, '0'), give(b, '1')] })
    const { assignment } = (await world.sync({ ...named, generationId: 3, memberId: b })).answer
    assert.equal(assignment.toString(), '1')
  })

  it('Q7 · leave: the leader goes, another one is elected and assigns', async () => {
    const world = new World()
    const a = await world.soloMember()
    const b = (await world.join()).answer.memberId
    await world.join({ memberId: b })
    await world.join({ memberId: a })
    await world.sync({ memberId: a, generationId: 2 })
    await world.leave({ members: [{ memberId: a }] })
    const { leader, members } = (await world.join({ memberId: b })).answer
    assert.equal(leader, b)
    assert.deepEqual(
      members.map(({ memberId }) => memberId),
      [b],
    )
  })

  it('Q7 · crash: without heartbeats a member is out, and the others get its partitions', async () => {
    const world = new World()
    const a = await world.soloMember({ sessionTimeoutMs: 10_000 })
    const b = (await world.join()).answer.memberId
    await world.join({ memberId: b, sessionTimeoutMs: 6_000 })
    await world.join({ memberId: a, sessionTimeoutMs: 10_000 })
    const assignments = [a, b].map((memberId) => ({ memberId, assignment: Buffer.from(memberId) }))
    await world.sync({ memberId: a, generationId: 2, assignments })
    await world.sync({ memberId: b, generationId: 2 })
    await world.advance(5_999)
    assert.equal(await world.heartbeat({ memberId: a, generationId: 2 }), 'NONE')
    await world.advance(1)
    assert.equal(await world.heartbeat({ memberId: a, generationId: 2 }), 'REBALANCE_IN_PROGRESS')
    const { generationId, members } = (await world.join({ memberId: a })).answer
    assert.deepEqual([generationId, members.length], [3, 1])
    assert.equal(await world.heartbeat({ memberId: b, generationId: 3 }), 'UNKNOWN_MEMBER_ID')
  })
})
