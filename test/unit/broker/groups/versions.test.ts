/** Older versions of the requests, as KafkaJS and librdkafka send them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorCodes, errorName } from '../../../../src/protocol/errors.ts'
import { codeOf, positions, World } from './support/world.ts'

const one = { groupInstanceId: 'one' }

describe('group coordinator: versions', () => {
  it('Q7 · before JoinGroup 4 a new member joins at once, without an id', async () => {
    const world = new World()
    const { answer } = await world.join({}, 3)
    assert.equal(answer.errorCode, errorCodes.NONE)
    assert.equal(answer.memberId, 'c-1')
    assert.equal(answer.leader, 'c-1')
    assert.equal(answer.members.length, 1)
  })

  it('Q7 · before JoinGroup 7 there is no null for the protocol', async () => {
    const world = new World()
    assert.equal((await world.join({}, 6)).answer.protocolName, '')
    assert.equal((await world.join({}, 7)).answer.protocolName, null)
    assert.equal((await world.join({ sessionTimeoutMs: 1 }, 5)).answer.protocolName, '')
  })

  it('Q7 · JoinGroup 0 has no rebalance timeout: the session timeout counts', async () => {
    const world = new World()
    const a = await world.soloMember({ sessionTimeoutMs: 20_000 })
    const b = await world.join({ sessionTimeoutMs: 8_000, rebalanceTimeoutMs: -1 }, 0)
    // The longest of both is that of `a`, which keeps its session alive but does not join again.
    for (let i = 0; i < 3; i++) {
      await world.advance(10_000)
      await world.heartbeat({ memberId: a })
    }
    assert.equal(b.answer.generationId, 2)
    assert.deepEqual(
      b.answer.members.map(({ memberId }) => memberId),
      ['c-2'],
    )
  })

  it('G4 · before JoinGroup 9 a static leader that is back is told that its former self leads: it must not assign', async () => {
    const world = new World()
    const { memberId } = (await world.join(one, 5)).answer
    await world.sync({ ...one, memberId, assignments: [{ memberId, assignment: Buffer.from('all') }] }, 4)
    const back = (await world.join(one, 8)).answer
    assert.equal(back.errorCode, errorCodes.NONE)
    assert.equal(back.leader, memberId)
    assert.notEqual(back.memberId, memberId)
    assert.deepEqual(back.members, [])
    const { assignment } = (await world.sync({ ...one, memberId: back.memberId }, 4)).answer
    assert.equal(assignment.toString(), 'all')
    const again = (await world.join(one, 9)).answer
    assert.equal(again.leader, again.memberId)
    assert.equal(again.skipAssignment, true)
    assert.equal(again.members.length, 1)
  })

  it('Q7 · SyncGroup 5 must name the protocol', async () => {
    const world = new World()
    const memberId = await world.soloMember()
    const unnamed = (await world.sync({ memberId, protocolName: null })).answer
    assert.equal(errorName(unnamed.errorCode), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal((await world.sync({ memberId }, 4)).answer.errorCode, errorCodes.NONE)
  })

  it('Q7 · before LeaveGroup 3 one member leaves, and its error is that of the answer', async () => {
    const world = new World()
    const memberId = await world.soloMember()
    assert.equal(errorName((await world.leave({ memberId: 'x' }, 2)).answer.errorCode), 'UNKNOWN_MEMBER_ID')
    assert.equal(
      errorName((await world.leave({ memberId: 'x', groupId: 'h' }, 0)).answer.errorCode),
      'UNKNOWN_MEMBER_ID',
    )
    assert.equal((await world.leave({ memberId }, 1)).answer.errorCode, errorCodes.NONE)
    assert.equal((await world.describe()).groupState, 'Empty')
  })

  it('Q7 · several members leave with one request', async () => {
    const world = new World()
    const memberId = await world.soloMember()
    const members = [{ memberId: '', groupInstanceId: null }, { memberId: 'x' }, { memberId }, { memberId }]
    const { answer } = await world.leave({ members })
    const codes = answer.members.map(({ errorCode }) => errorName(errorCode))
    assert.deepEqual(codes, ['UNKNOWN_MEMBER_ID', 'UNKNOWN_MEMBER_ID', 'NONE', 'UNKNOWN_MEMBER_ID'])
    assert.equal(answer.errorCode, errorCodes.NONE)
    assert.deepEqual((await world.leave({ members: [] })).answer, { throttleTimeMs: 0, errorCode: 0, members: [] })
  })

  it('Q7 · before OffsetCommit 9 an unknown group is an illegal generation', async () => {
    const world = new World()
    const stranger = { generationIdOrMemberEpoch: 1, memberId: 'x' }
    assert.equal(codeOf((await world.commit(stranger, 8)).answer), 'ILLEGAL_GENERATION')
    assert.equal(codeOf((await world.commit(stranger, 9)).answer), 'GROUP_ID_NOT_FOUND')
  })

  it('Q7 · OffsetFetch before 8 asks for one group; before 2 errors are in the partitions', async () => {
    const world = new World()
    await world.commit()
    const topics = [{ name: 'in', partitionIndexes: [0, 1] }]
    for (const version of [1, 4, 7]) {
      const { answer } = await world.fetch({ groupId: 'g', topics }, version)
      const offsets = answer.topics[0]!.partitions.map(({ committedOffset }) => Number(committedOffset))
      assert.deepEqual(offsets, [5, -1])
    }
    assert.equal((await world.fetch({ groupId: 'g', topics: null }, 2)).answer.topics.length, 1)
    world.coordinator.unload()
    const oldest = (await world.fetch({ groupId: 'g', topics }, 1)).answer
    const codes = oldest.topics[0]!.partitions.map(({ errorCode }) => errorName(errorCode))
    assert.deepEqual(codes, ['NOT_COORDINATOR', 'NOT_COORDINATOR'])
    const { answer } = await world.fetch({ groupId: 'g', topics }, 2)
    assert.equal(errorName(answer.errorCode), 'NOT_COORDINATOR')
    assert.deepEqual(answer.topics, [])
  })

  it('Q7 · OffsetFetch 8 and above asks for several groups', async () => {
    const world = new World()
    await world.commit({ groupId: 'a' })
    await world.commit({ groupId: 'b', topics: positions(6) })
    const groups = ['a', 'nobody', 'b'].map((groupId) => ({ groupId, memberId: null, memberEpoch: -1, topics: null }))
    const { answer } = await world.fetch({ groups }, 8)
    assert.deepEqual(
      answer.groups.map(({ groupId, topics }) => [groupId, topics.length]),
      [
        ['a', 1],
        ['nobody', 0],
        ['b', 1],
      ],
    )
  })

  it('X3 · TxnOffsetCommit before 2 is told to wait in words that old producers understand', async () => {
    const world = new World()
    world.coordinator.beginLoading()
    assert.equal(codeOf((await world.commitInTransaction({}, 1)).answer), 'COORDINATOR_NOT_AVAILABLE')
    assert.equal(codeOf((await world.commitInTransaction({}, 2)).answer), 'COORDINATOR_LOAD_IN_PROGRESS')
  })
})
