/** A group that is empty may change its protocol, whatever the policy says about groups with members. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { codeOf, positions, World } from './support/world.ts'

const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }

const disabled = { consumerOptions: { migrationPolicy: 'disabled' } } as const

async function typeOf(world: World): Promise<string | undefined> {
  return (await world.list()).groups.find(({ groupId }) => groupId === 'g')?.groupType
}

describe('group coordinator: two protocols', () => {
  it('G3 · an empty classic group becomes a consumer group, and keeps its offsets', async () => {
    let world = new World(disabled)
    const memberId = await world.soloMember()
    await world.commit({ memberId, generationIdOrMemberEpoch: 1 })
    await world.leave({ members: [{ memberId }] })
    const { answer } = await world.consumerHeartbeat(joins)
    assert.deepEqual([answer.errorCode, answer.memberEpoch], [0, 1])
    assert.equal(await typeOf(world), 'consumer')
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
    const last = world.log.entries.at(-1)
    const types = last?.kind === 'records' ? last.records.map(({ key }) => key.readInt16BE(0)) : []
    assert.equal(types[0], 2, 'the classic group goes in the same batch in which the consumer group comes')
    assert.ok(types.includes(3))
    world = world.restarted()
    assert.equal(await typeOf(world), 'consumer')
    assert.equal((await world.consumerHeartbeat({ memberEpoch: 1 })).answer.errorCode, 0)
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
  })

  it('G3 · an empty consumer group becomes a classic group, and keeps its offsets', async () => {
    let world = new World(disabled)
    await world.consumerHeartbeat(joins)
    await world.commit({ memberId: 'm', generationIdOrMemberEpoch: 1 })
    await world.consumerHeartbeat({ memberEpoch: -1 })
    assert.equal(errorName((await world.join({ memberId: 'x' })).answer.errorCode), 'UNKNOWN_MEMBER_ID')
    assert.equal(await typeOf(world), 'consumer')
    const memberId = await world.soloMember()
    assert.equal(await typeOf(world), 'classic')
    assert.equal(await world.heartbeat({ memberId }), 'NONE')
    world = world.restarted()
    assert.equal(await typeOf(world), 'classic')
    assert.equal(await world.heartbeat({ memberId }), 'NONE')
    assert.deepEqual(await world.offsets(), { 'in/0': 5 })
  })

  it('G3 · offsets of somebody without a group are taken over by both protocols', async () => {
    const world = new World(disabled)
    await world.commit()
    await world.consumerHeartbeat(joins)
    assert.deepEqual(await world.restarted().offsets(), { 'in/0': 5 })
    assert.equal(await typeOf(world.restarted(world.log.compacted())), 'consumer')
  })

  it('G3 · a first heartbeat that is refused leaves no group, and an empty classic one as it was', async () => {
    const world = new World(disabled)
    const bad = { ...joins, subscribedTopicNames: null }
    assert.equal(errorName((await world.consumerHeartbeat(bad)).answer.errorCode), 'INVALID_REQUEST')
    const late = { memberEpoch: 3 }
    assert.equal(errorName((await world.consumerHeartbeat(late)).answer.errorCode), 'GROUP_ID_NOT_FOUND')
    const regex = { ...bad, subscribedTopicRegex: '(' }
    assert.equal(errorName((await world.consumerHeartbeat(regex)).answer.errorCode), 'INVALID_REGULAR_EXPRESSION')
    assert.deepEqual((await world.list()).groups, [])
    await world.commit()
    await world.consumerHeartbeat(regex)
    assert.equal(await typeOf(world), 'classic')
    assert.deepEqual(world.log.records.length, 1)
  })

  it('G3 · ids that the classic group gave out are no members afterwards', async () => {
    const world = new World(disabled)
    const { memberId } = (await world.join()).answer
    await world.consumerHeartbeat(joins)
    assert.equal(await world.heartbeat({ memberId }), 'UNKNOWN_MEMBER_ID')
    assert.equal(errorName((await world.sync({ memberId })).answer.errorCode), 'UNKNOWN_MEMBER_ID')
    await world.advance(30_000)
    assert.equal(await typeOf(world), 'consumer')
  })

  it('Q7 · members of a consumer group commit and fetch under their epoch', async () => {
    const world = new World(disabled)
    await world.consumerHeartbeat(joins)
    const commit = async (fields: object, version = 9): Promise<string> =>
      codeOf((await world.commit({ memberId: 'm', ...fields }, version)).answer)
    assert.equal(await commit({ generationIdOrMemberEpoch: 1 }), 'NONE')
    assert.equal(await commit({ generationIdOrMemberEpoch: 0 }), 'STALE_MEMBER_EPOCH')
    assert.equal(await commit({ generationIdOrMemberEpoch: 1, memberId: 'x' }), 'UNKNOWN_MEMBER_ID')
    assert.equal(await commit({ generationIdOrMemberEpoch: -1, memberId: '' }), 'UNKNOWN_MEMBER_ID')
    assert.equal(await commit({ generationIdOrMemberEpoch: 1 }, 8), 'UNSUPPORTED_VERSION')
    const txn = { memberId: 'm', generationId: 0 }
    assert.equal(codeOf((await world.commitInTransaction(txn)).answer), 'ILLEGAL_GENERATION')
    const fetch = async (memberId: string | null, memberEpoch: number): Promise<string> => {
      const groups = [{ groupId: 'g', memberId, memberEpoch, topics: null }]
      return errorName((await world.fetch({ groups })).answer.groups[0]!.errorCode)
    }
    assert.equal(await fetch('m', 1), 'NONE')
    assert.equal(await fetch('m', 0), 'STALE_MEMBER_EPOCH')
    assert.equal(await fetch('x', 1), 'UNKNOWN_MEMBER_ID')
    assert.equal(await fetch(null, -1), 'NONE')
  })

  it('Q7 · an administrator puts members of a consumer group out with LeaveGroup', async () => {
    const world = new World(disabled)
    await world.consumerHeartbeat(joins)
    await world.consumerHeartbeat({ ...joins, memberId: 'n', instanceId: 'two' })
    const members = [{ memberId: 'x' }, { memberId: '', groupInstanceId: 'two' }, { memberId: 'm' }]
    const { answer } = await world.leave({ members })
    const codes = answer.members.map(({ memberId, errorCode }) => [memberId, errorName(errorCode)])
    assert.deepEqual(codes, [
      ['x', 'UNKNOWN_MEMBER_ID'],
      ['', 'NONE'],
      ['m', 'NONE'],
    ])
    assert.equal((await world.consumerDescribe()).groupState, 'Empty')
  })

  it('Q8 · members of a consumer group hear of new partitions', async () => {
    const world = new World(disabled)
    await world.consumerHeartbeat(joins)
    world.topics.set('in', 4)
    const { answer } = await world.consumerHeartbeat({ memberEpoch: 1 })
    assert.equal(answer.memberEpoch, 2)
    assert.deepEqual(answer.assignment?.topicPartitions[0]?.partitions, [0, 1, 2, 3])
  })

  it('Q7 · a consumer group can be rebalanced and its sessions ended on demand', async () => {
    const world = new World(disabled)
    await world.consumerHeartbeat(joins)
    assert.equal(world.coordinator.forceRebalance('g'), true)
    assert.equal((await world.consumerHeartbeat({ memberEpoch: 1 })).answer.memberEpoch, 2)
    assert.equal(world.coordinator.expireSession('g', 'x'), false)
    assert.equal(world.coordinator.expireSession('g'), true)
    assert.equal((await world.consumerDescribe()).groupState, 'Empty')
    assert.equal(world.coordinator.forceRebalance('g'), false)
    await world.commit({ topics: positions(8) })
    assert.deepEqual(await world.offsets(), { 'in/0': 8 })
  })
})
