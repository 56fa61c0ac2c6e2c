/** Offsets that nobody uses any more, and groups that are left with nothing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { positions, World } from './support/world.ts'

const hourMs = 3_600_000
const retention = { options: { offsetsRetentionMs: 24 * hourMs, offsetsRetentionCheckIntervalMs: hourMs } }
const topics = { in: 3, old: 1 }

async function groupsOf(world: World): Promise<string[]> {
  return (await world.list()).groups.map(({ groupId }) => groupId)
}

describe('group coordinator: expiry', () => {
  it('Q7 · without members an offset lives from its commit; the group goes with the last one', async () => {
    let world = new World(retention)
    await world.commit()
    await world.advance(12 * hourMs)
    await world.commit({ topics: positions(6, 'm', 'in', 1) })
    await world.advance(12 * hourMs)
    assert.deepEqual(await world.offsets(), { 'in/1': 6 })
    assert.deepEqual(await groupsOf(world), ['g'])
    await world.advance(12 * hourMs)
    assert.deepEqual(await world.offsets(), {})
    assert.deepEqual(await groupsOf(world), [])
    world = world.restarted()
    assert.deepEqual(await groupsOf(world), [])
  })

  it('Q7 · of a group that had members they live from the day it was empty', async () => {
    let world = new World(retention)
    const memberId = await world.soloMember({ sessionTimeoutMs: hourMs / 2 })
    await world.commit({ memberId, generationIdOrMemberEpoch: 1 })
    for (let i = 0; i < 48 * 4; i++) {
      await world.advance(hourMs / 4)
      assert.equal(await world.heartbeat({ memberId }), 'NONE')
    }
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
    await world.leave({ members: [{ memberId }] })
    await world.advance(23 * hourMs)
    world = world.restarted()
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
    await world.advance(hourMs)
    await world.advance(hourMs)
    assert.deepEqual(await world.offsets(), {})
    assert.deepEqual(await groupsOf(world), [])
  })

  it('Q7 · a group at work loses only the offsets of topics that it no longer reads', async () => {
    const world = new World({ ...retention, topics })
    await world.commit({ topics: [...positions(5), ...positions(6, 'm', 'old')] })
    const memberId = await world.soloMember({ sessionTimeoutMs: hourMs / 2 })
    for (let i = 0; i < 25 * 4; i++) {
      await world.advance(hourMs / 4)
      assert.equal(await world.heartbeat({ memberId }), 'NONE')
    }
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
  })

  it('Q7 · while a group rebalances, or where nobody knows what it reads, nothing expires', async () => {
    const world = new World({
      ...retention,
      topics,
      options: { ...retention.options, groupMaxSessionTimeoutMs: 2 ** 31 },
    })
    const calm = { sessionTimeoutMs: 2 ** 30, rebalanceTimeoutMs: 2 ** 30 }
    await world.commit({ topics: positions(6, 'm', 'old') })
    await world.commit({ groupId: 'connect', topics: positions(6, 'm', 'old') })
    await world.soloMember(calm)
    await world.soloMember({ ...calm, groupId: 'connect', protocolType: 'connect' })
    await world.join(calm, 3)
    await world.advance(48 * hourMs)
    assert.deepEqual(await world.offsets(), { 'old/0': 6 })
    assert.deepEqual(await world.offsets('connect'), { 'old/0': 6 })
  })

  it('Q7 · a client that chose a retention time of its own gets that', async () => {
    const world = new World(retention)
    await world.commit({ retentionTimeMs: BigInt(2 * hourMs) }, 4)
    await world.commit({ retentionTimeMs: BigInt(72 * hourMs), topics: positions(6, 'm', 'in', 1) }, 4)
    await world.commit({ retentionTimeMs: 2n ** 62n, topics: positions(7, 'm', 'in', 2) }, 4)
    await world.advance(2 * hourMs)
    assert.deepEqual(await world.offsets(), { 'in/1': 6, 'in/2': 7 })
    const restarted = world.restarted()
    await restarted.advance(48 * hourMs)
    assert.deepEqual(await restarted.offsets(), { 'in/1': 6, 'in/2': 7 })
    await restarted.advance(24 * hourMs)
    assert.deepEqual(await restarted.offsets(), { 'in/2': 7 })
  })

  it('X8 · an offset with a pending transaction waits for its end, and so does its group', async () => {
    const world = new World(retention)
    await world.commit()
    await world.commitInTransaction()
    await world.commitInTransaction({ groupId: 'h' })
    await world.advance(48 * hourMs)
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
    assert.deepEqual(await groupsOf(world), ['g', 'h'])
    world.endTransaction('abort')
    await world.advance(hourMs)
    assert.deepEqual(await groupsOf(world), [])
  })

  it('Q7 · an empty group without offsets goes at the next look', async () => {
    const world = new World(retention)
    await world.join({ sessionTimeoutMs: 6_000 })
    const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }
    await world.consumerHeartbeat({ groupId: 'consumer', ...joins })
    assert.deepEqual(await groupsOf(world), ['g', 'consumer'])
    await world.advance(hourMs)
    await world.advance(hourMs)
    assert.deepEqual(await groupsOf(world), [])
  })

  it('Q7 · a consumer group at work keeps the offsets of what it reads', async () => {
    const world = new World({ ...retention, topics })
    await world.commit({ topics: [...positions(5), ...positions(6, 'm', 'old')] })
    const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }
    await world.consumerHeartbeat(joins)
    const sessionMs = 45_000
    for (let i = 0; i < (25 * hourMs) / (sessionMs - 1); i++) {
      world.clock.advance(sessionMs - 1)
      await world.consumerHeartbeat({ memberEpoch: 1 })
    }
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
  })
})
