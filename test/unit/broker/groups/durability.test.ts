/** What is answered is in the state log; what is not, may be gone after a crash. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorCodes, errorName } from '../../../../src/protocol/errors.ts'
import { listGroupsApi } from '../../../../src/protocol/generated/16-list-groups.ts'
import { codeOf, positions, World } from './support/world.ts'

describe('group coordinator: durability', () => {
  it('L1 · a commit is acknowledged when it is durable', async () => {
    const world = new World()
    world.log.hold()
    const commit = await world.commit()
    assert.equal(commit.isAnswered, false)
    await world.log.release()
    assert.equal(codeOf(commit.answer), 'NONE')
  })

  it('L1 · an offset is not told before it is durable, or a crash could take it back', async () => {
    const world = new World()
    await world.commit({ topics: positions(4) })
    world.log.hold()
    await world.commit({ topics: positions(5) })
    const groups = [{ groupId: 'g', memberId: null, memberEpoch: -1, topics: null }]
    const fetch = await world.fetch({ groups })
    const elsewhere = await world.fetch({ groups: [{ ...groups[0]!, groupId: 'h' }] })
    assert.equal(fetch.isAnswered, false)
    assert.equal(elsewhere.isAnswered, true, 'other groups do not wait')
    assert.deepEqual(await world.restarted().offsets(), { 'in/0': 4 })
    await world.log.release()
    assert.equal(Number(fetch.answer.groups[0]!.topics[0]!.partitions[0]!.committedOffset), 5)
  })

  it('L1 · an assignment is told to nobody before it is durable', async () => {
    const world = new World()
    const a = await world.soloMember()
    const b = (await world.join()).answer.memberId
    const bJoins = await world.join({ memberId: b })
    await world.join({ memberId: a })
    assert.equal(bJoins.answer.generationId, 2)
    const follower = await world.sync({ memberId: b, generationId: 2 })
    world.log.hold()
    const assignments = [a, b].map((memberId) => ({ memberId, assignment: Buffer.from(memberId) }))
    const leader = await world.sync({ memberId: a, generationId: 2, assignments })
    const again = await world.sync({ memberId: b, generationId: 2 })
    for (const asked of [follower, leader, again]) assert.equal(asked.isAnswered, false)
    const crashed = world.restarted()
    assert.equal(await crashed.heartbeat({ memberId: a, generationId: 1 }), 'NONE', 'back in the generation before')
    await world.log.release()
    assert.equal(follower.answer.assignment.toString(), b)
    assert.equal(leader.answer.assignment.toString(), a)
    assert.equal(again.answer.assignment.toString(), b)
  })

  it('L1 · a member that leaves last is answered when the empty group is durable', async () => {
    const world = new World()
    const memberId = await world.soloMember()
    world.log.hold()
    const leave = await world.leave({ members: [{ memberId }] })
    assert.equal(leave.isAnswered, false)
    await world.log.release()
    assert.equal(leave.answer.errorCode, errorCodes.NONE)
  })

  it('L1 · a deleted group and deleted offsets are told when they are durable', async () => {
    const world = new World()
    await world.commit()
    world.log.hold()
    const topics = [{ name: 'in', partitions: [{ partitionIndex: 0 }] }]
    const asked = await world.offsetDelete({ topics })
    assert.equal(asked.isAnswered, false)
    assert.deepEqual(await world.restarted().offsets(), { 'in/0': 5 })
    await world.log.release()
    assert.equal(asked.answer.errorCode, errorCodes.NONE)
  })

  it('L1 · a group is shown when it is durable', async () => {
    const world = new World()
    world.log.hold()
    await world.join()
    const asked = await world.ask(listGroupsApi, 5, {}, (q, c) => world.coordinator.listGroups(q, c))
    assert.equal(asked.isAnswered, false)
    await world.log.release()
    assert.equal(asked.answer.groups.length, 1)
  })

  it('L6 · once the state log has failed nothing is acknowledged any more', async () => {
    const world = new World()
    const memberId = await world.soloMember()
    world.log.hold()
    const commit = await world.commit({ memberId, generationIdOrMemberEpoch: 1 })
    const leave = await world.leave({ members: [{ memberId }] })
    await world.log.fail(new Error('EIO'))
    assert.equal(commit.isAnswered, false)
    assert.match(String(commit.error), /EIO/)
    assert.match(String(leave.error), /EIO/)
    assert.equal(codeOf((await world.commit()).answer), 'COORDINATOR_NOT_AVAILABLE')
    assert.equal(errorName((await world.join()).answer.errorCode), 'COORDINATOR_NOT_AVAILABLE')
    assert.equal(await world.heartbeat({ memberId }), 'COORDINATOR_NOT_AVAILABLE')
    assert.equal(errorName((await world.list()).errorCode), 'COORDINATOR_NOT_AVAILABLE')
  })

  it('L6 · a failure that no request waits for stops it too', async () => {
    const world = new World()
    const memberId = await world.soloMember({ sessionTimeoutMs: 6_000 })
    world.log.hold()
    await world.advance(7_000)
    await world.log.fail(new Error('EIO'))
    assert.equal(await world.heartbeat({ memberId }), 'COORDINATOR_NOT_AVAILABLE')
  })
})
