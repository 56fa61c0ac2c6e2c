/** What a coordinator knows after a restart, a move or a compaction. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../../src/broker/clock.ts'
import { errorCodes, errorName } from '../../../../src/protocol/errors.ts'
import { Random } from './support/random.ts'
import { codeOf, positions, World } from './support/world.ts'

class CountingClock extends ManualClock {
  readonly timers = new Set<object>()

  override timer(delayMs: number, callback: () => void): () => void {
    const timer = {}
    this.timers.add(timer)
    const cancel = super.timer(delayMs, () => {
      this.timers.delete(timer)
      callback()
    })
    return () => {
      this.timers.delete(timer)
      cancel()
    }
  }
}

describe('group coordinator: restart', () => {
  it('Q7 · members survive a restart of the broker, with a whole session each', async () => {
    let world = new World()
    const memberId = await world.soloMember({ sessionTimeoutMs: 10_000 })
    await world.commit({ memberId, generationIdOrMemberEpoch: 1 })
    await world.advance(9_000)
    world = world.restarted()
    await world.advance(9_000)
    assert.equal(await world.heartbeat({ memberId }), 'NONE')
    assert.equal((await world.sync({ memberId })).answer.assignment.toString(), 'everything')
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
    await world.advance(10_000)
    assert.equal(await world.heartbeat({ memberId }), 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.describe()).groupState, 'Empty')
  })

  it('G4 · a static member keeps its partitions over a restart of the broker', async () => {
    let world = new World()
    const one = { groupInstanceId: 'one' }
    const { memberId } = (await world.join(one)).answer
    await world.sync({ ...one, memberId, assignments: [{ memberId, assignment: Buffer.from('all') }] })
    world = world.restarted()
    const back = (await world.join(one)).answer
    assert.equal(back.generationId, 1)
    assert.equal(back.skipAssignment, true)
    assert.equal(await world.heartbeat({ ...one, memberId }), 'FENCED_INSTANCE_ID')
    world = world.restarted()
    assert.equal(await world.heartbeat({ ...one, memberId: back.memberId }), 'NONE', 'the new id is stored too')
  })

  it('Q7 · the leader is stored: after a restart it starts a rebalance, a follower does not', async () => {
    let world = new World()
    const a = await world.soloMember()
    const b = (await world.join()).answer.memberId
    await world.join({ memberId: b })
    await world.join({ memberId: a })
    await world.sync({ memberId: a, generationId: 2, assignments: [{ memberId: b, assignment: Buffer.from('b') }] })
    await world.sync({ memberId: b, generationId: 2 })
    world = world.restarted()
    const follower = (await world.join({ memberId: b })).answer
    assert.deepEqual([follower.generationId, follower.leader], [2, a])
    const leader = await world.join({ memberId: a })
    assert.equal(leader.isAnswered, false)
    assert.equal(await world.heartbeat({ memberId: b, generationId: 2 }), 'REBALANCE_IN_PROGRESS')
  })

  it('X8 · an open transaction is still open after a restart, and its end counts', async () => {
    let world = new World()
    await world.commit({ topics: positions(3) })
    await world.commitInTransaction()
    world = world.restarted()
    assert.deepEqual(await world.offsets('g', true), { 'in/0': 'UNSTABLE_OFFSET_COMMIT' })
    assert.deepEqual(await world.offsets(), { 'in/0': 3 })
    world.endTransaction('commit')
    assert.deepEqual(await world.offsets('g', true), { 'in/0': 9 })
    world = world.restarted()
    assert.deepEqual(await world.offsets('g', true), { 'in/0': 9 })
  })

  it('X8 · a plain commit after one in a transaction wins in the replay too', async () => {
    let world = new World()
    await world.commitInTransaction()
    await world.commit({ topics: positions(4) })
    world.endTransaction('commit')
    assert.deepEqual(await world.offsets(), { 'in/0': 4 })
    world = world.restarted()
    assert.deepEqual(await world.offsets(), { 'in/0': 4 })
  })

  it('Q7 · a group above a lowered limit rebalances; those who join first may stay', async () => {
    let world = new World()
    const a = await world.soloMember()
    const b = (await world.join()).answer.memberId
    await world.join({ memberId: b })
    await world.join({ memberId: a })
    await world.sync({ memberId: a, generationId: 2 })
    world = world.restarted(world.log, { groupMaxSize: 1 })
    assert.equal(await world.heartbeat({ memberId: a, generationId: 2 }), 'REBALANCE_IN_PROGRESS')
    const stays = await world.join({ memberId: b })
    const goes = (await world.join({ memberId: a })).answer
    assert.equal(errorName(goes.errorCode), 'GROUP_MAX_SIZE_REACHED')
    assert.deepEqual([stays.answer.generationId, stays.answer.leader], [3, b])
  })

  it('Q7 · a moved coordinator tells everybody, and knows after loading what was stored', async () => {
    const world = new World()
    const { coordinator } = world
    const memberId = await world.soloMember()
    const waiting = await world.join({ memberId: (await world.join()).answer.memberId })
    coordinator.unload()
    await world.advance(0)
    assert.equal(errorName(waiting.answer.errorCode), 'NOT_COORDINATOR')
    assert.equal(await world.heartbeat({ memberId }), 'NOT_COORDINATOR')
    assert.deepEqual(await world.list(), { throttleTimeMs: 0, errorCode: 0, groups: [] })
    assert.equal(errorName((await world.describe()).errorCode), 'NOT_COORDINATOR')
    assert.deepEqual(await world.deleteGroups('g'), { g: 'NOT_COORDINATOR' })
    assert.equal(errorName((await world.offsetDelete({ topics: [] })).answer.errorCode), 'NOT_COORDINATOR')
    assert.equal(errorName((await world.consumerHeartbeat({ memberEpoch: 0 })).answer.errorCode), 'NOT_COORDINATOR')
    assert.equal(errorName((await world.consumerDescribe()).errorCode), 'NOT_COORDINATOR')

    coordinator.beginLoading()
    assert.equal(errorName((await world.list()).errorCode), 'COORDINATOR_LOAD_IN_PROGRESS')
    assert.equal(await world.heartbeat({ memberId: 'nobody' }), 'NONE')
    world.log.replayInto(coordinator)
    coordinator.load()
    assert.equal(await world.heartbeat({ memberId }), 'NONE')
    coordinator.close()
    assert.equal(await world.heartbeat({ memberId }), 'COORDINATOR_NOT_AVAILABLE')
    coordinator.load()
    assert.equal(await world.heartbeat({ memberId }), 'COORDINATOR_NOT_AVAILABLE', 'closed is closed')
  })

  it('Q7 · no timer of a coordinator that moved away is left', async () => {
    const clock = new CountingClock()
    const world = new World({ clock, options: { groupInitialRebalanceDelayMs: 3_000 } })
    await world.join()
    await world.join({ groupInstanceId: 'one' })
    const memberId = await world.join({ groupId: 'h' }, 3).then(async (asked) => {
      await world.advance(3_000)
      return asked.answer.memberId
    })
    await world.sync({ groupId: 'h', memberId })
    await world.join({ groupId: 'h' }, 3)
    assert.ok(clock.timers.size >= 5)
    world.coordinator.unload()
    assert.equal(clock.timers.size, 0)
  })

  it('Q7 · what was not stored is forgotten when the coordinator loads again', async () => {
    const world = new World()
    await world.commit({ topics: positions(4) })
    world.log.hold()
    await world.commit({ topics: positions(5) })
    await world.commit({ groupId: 'h' })
    const stored = world.log.afterCrash()
    await world.log.release()
    world.coordinator.unload()
    world.coordinator.beginLoading()
    stored.replayInto(world.coordinator)
    world.coordinator.load()
    assert.deepEqual(await world.offsets(), { 'in/0': 4 })
    assert.deepEqual(await world.offsets('h'), {})
  })

  it('Q7 · the log says the same before and after compaction (random commits, joins and deletions)', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = new Random(seed)
      let world = new World({ topics: { in: 3, out: 1 } })
      for (let i = 0; i < 30; i++) await randomStep(world, random)
      const log = world.log
      world = world.restarted(log)
      const plain = await snapshot(world)
      const compacted = log.compacted()
      assert.ok(compacted.entries.length <= log.records.length)
      assert.deepEqual(await snapshot(world.restarted(compacted)), plain, `seed ${seed}`)
    }
  })
})

async function randomStep(world: World, random: Random): Promise<void> {
  const groupId = random.pick(['g', 'h', 'i'])
  switch (random.below(6)) {
    case 0:
      world.coordinator.expireSession(groupId)
      await world.soloMember({ groupId })
      return
    case 1:
      await world.leave({ groupId, members: (await world.describe(groupId)).members })
      return
    case 2:
      await world.deleteGroups(groupId)
      return
    case 3: {
      const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }
      await world.consumerHeartbeat({ groupId, ...joins, memberId: random.pick(['m', 'n']) })
      return
    }
    case 4:
      world.coordinator.expireSession(groupId)
      return
    default:
      await world.commit({ groupId, topics: positions(random.below(100), 'm', 'in', random.below(3)) })
  }
}

async function snapshot(world: World): Promise<unknown> {
  const { groups } = await world.list()
  const all = await Promise.all(
    groups.map(async ({ groupId, groupType, groupState }) => [
      groupId,
      groupType,
      groupState,
      await world.offsets(groupId),
      (await world.describe(groupId)).members.map(({ memberId }) => memberId),
      (await world.consumerDescribe(groupId)).members.map(({ memberId, memberEpoch }) => [memberId, memberEpoch]),
    ]),
  )
  return all.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
}

describe('group coordinator: transactions', () => {
  it('X3 · the transaction coordinator is asked only where it must be, and its refusal is the answer', async () => {
    const world = new World()
    let asked = 0
    const verify = (errorCode: number) => () => {
      asked++
      return errorCode
    }
    const refused = await world.commitInTransaction({}, 4, verify(errorCodes.TRANSACTION_ABORTABLE))
    assert.equal(codeOf(refused.answer), 'TRANSACTION_ABORTABLE')
    assert.equal(codeOf((await world.commitInTransaction({}, 4, verify(errorCodes.NONE))).answer), 'NONE')
    assert.equal(asked, 2)
    await world.commitInTransaction({}, 4, verify(errorCodes.NONE))
    assert.equal(asked, 2, 'its transaction is known to be open')
    await world.commitInTransaction({ topics: positions(1, 'm', 'nope') }, 4, verify(errorCodes.NONE))
    world.coordinator.unload()
    const moved = await world.commitInTransaction({ producerEpoch: 1 }, 4, verify(errorCodes.NONE))
    assert.equal(codeOf(moved.answer), 'NOT_COORDINATOR')
    assert.equal(asked, 2, 'neither for partitions that do not exist, nor from somewhere else')
  })

  it('X8 · offsets of an aborted transaction never show, and several producers do not mix', async () => {
    const world = new World()
    await world.commitInTransaction({ producerId: 7n })
    await world.commitInTransaction({ producerId: 8n, topics: positions(2, 'm', 'in', 1) })
    world.endTransaction('abort', 7)
    assert.deepEqual(await world.offsets('g', true), {})
    world.endTransaction('commit', 8)
    assert.deepEqual(await world.offsets('g', true), { 'in/1': 2 })
    world.endTransaction('commit', 9)
    assert.deepEqual(await world.offsets('g', true), { 'in/1': 2 })
  })
})
