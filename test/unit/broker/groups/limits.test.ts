/** Bad input and bounds: a clear error, and nothing is kept. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { codeOf, positions, World } from './support/world.ts'

const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }

async function joinCode(world: World, fields: Parameters<World['join']>[0], version = 9): Promise<string> {
  return errorName((await world.join(fields, version)).answer.errorCode)
}

describe('group coordinator: limits', () => {
  it('Q7 · members need a group id; offsets do not', async () => {
    const world = new World()
    assert.equal(await joinCode(world, { groupId: '' }), 'INVALID_GROUP_ID')
    assert.equal(errorName((await world.sync({ groupId: '' })).answer.errorCode), 'INVALID_GROUP_ID')
    assert.equal(await world.heartbeat({ groupId: '', memberId: 'x' }), 'INVALID_GROUP_ID')
    assert.equal(errorName((await world.leave({ groupId: '' })).answer.errorCode), 'INVALID_GROUP_ID')
    assert.equal(errorName((await world.offsetDelete({ groupId: '' })).answer.errorCode), 'INVALID_GROUP_ID')
    assert.equal(codeOf((await world.commitInTransaction({ groupId: '' })).answer), 'INVALID_GROUP_ID')
    assert.equal(errorName((await world.consumerDescribe('')).errorCode), 'INVALID_GROUP_ID')
    assert.equal(codeOf((await world.commit({ groupId: '' })).answer), 'NONE')
    assert.deepEqual(await world.offsets(''), { 'in/0': 5 })
    assert.deepEqual(await world.deleteGroups(''), { '': 'NONE' })
  })

  it('Q7 · names that no record could hold are refused', async () => {
    const world = new World()
    const long = 'x'.repeat(32_768)
    const protocols = [{ name: long, metadata: Buffer.alloc(0) }]
    assert.equal(await joinCode(world, { groupId: long }), 'INVALID_GROUP_ID')
    assert.equal(await joinCode(world, { groupInstanceId: long }), 'INVALID_REQUEST')
    assert.equal(await joinCode(world, { protocolType: long }), 'INVALID_REQUEST')
    assert.equal(await joinCode(world, { protocols }), 'INVALID_REQUEST')
    assert.equal(codeOf((await world.commit({ groupId: long })).answer), 'INVALID_GROUP_ID')
    assert.equal(codeOf((await world.commitInTransaction({ groupId: long })).answer), 'INVALID_GROUP_ID')
    assert.deepEqual((await world.list()).groups, [])
  })

  it('Q7 · an offset that no number can hold is refused', async () => {
    const world = new World()
    const topics = [{ name: 'in', partitions: [{ partitionIndex: 0, committedOffset: 2n ** 60n }] }]
    assert.equal(codeOf((await world.commit({ topics })).answer), 'INVALID_COMMIT_OFFSET_SIZE')
    assert.equal(
      codeOf((await world.commit({ topics: positions(1, 'm', 'in', -1) })).answer),
      'UNKNOWN_TOPIC_OR_PARTITION',
    )
    assert.deepEqual(await world.offsets(), {})
  })

  it('Q7 · a full group takes no new member, and its members may come back', async () => {
    const world = new World({ options: { groupMaxSize: 1 } })
    const memberId = await world.soloMember()
    assert.equal(await joinCode(world, {}), 'GROUP_MAX_SIZE_REACHED')
    assert.equal(await joinCode(world, {}, 3), 'GROUP_MAX_SIZE_REACHED')
    assert.equal((await world.join({ memberId })).answer.generationId, 2)
  })

  it('Q7 · ids are given out to no more than may join', async () => {
    const world = new World({ options: { groupMaxSize: 2 } })
    assert.equal(await joinCode(world, {}), 'MEMBER_ID_REQUIRED')
    assert.equal(await joinCode(world, {}), 'MEMBER_ID_REQUIRED')
    assert.equal(await joinCode(world, {}), 'GROUP_MAX_SIZE_REACHED')
    await world.advance(30_000)
    assert.equal(await joinCode(world, {}), 'MEMBER_ID_REQUIRED', 'those who never came have made room')
  })

  it('Q7 · what the members of a group say about themselves is bounded, and counted once', async () => {
    const world = new World({ options: { groupMetadataBytesMax: 1_000 } })
    const protocols = (bytes: number) => [{ name: 'range', metadata: Buffer.alloc(bytes) }]
    const memberId = await world.soloMember({ protocols: protocols(600) })
    assert.equal(await joinCode(world, { protocols: protocols(500) }), 'GROUP_MAX_SIZE_REACHED')
    assert.equal(await joinCode(world, { memberId, protocols: protocols(900) }), 'NONE')
    assert.equal(await joinCode(world, { memberId, protocols: protocols(1_100) }), 'GROUP_MAX_SIZE_REACHED')
  })

  it('Q7 · a protocol that is named twice counts once', async () => {
    const world = new World()
    const range = { name: 'range', metadata: Buffer.from('first') }
    const { answer } = await world.join({ protocols: [range, { ...range, metadata: Buffer.from('second') }] }, 3)
    assert.equal(answer.members[0]!.metadata.toString(), 'first')
  })

  it('Q7 · the number of groups is bounded', async () => {
    const world = new World({ options: { groupsMax: 1 } })
    await world.commit({ groupId: 'a' })
    assert.equal(await joinCode(world, { groupId: 'b' }), 'POLICY_VIOLATION')
    assert.equal(codeOf((await world.commit({ groupId: 'b' })).answer), 'POLICY_VIOLATION')
    assert.equal(codeOf((await world.commitInTransaction({ groupId: 'b' })).answer), 'POLICY_VIOLATION')
    const { answer } = await world.consumerHeartbeat({ groupId: 'b', ...joins })
    assert.equal(errorName(answer.errorCode), 'POLICY_VIOLATION')
    assert.equal(await joinCode(world, { groupId: 'a' }), 'MEMBER_ID_REQUIRED')
  })

  it('Q7 · an assignment that is too large for the state log is refused, and the members join again', async () => {
    const world = new World()
    const { memberId } = (await world.join({}, 3)).answer
    const assignments = [{ memberId, assignment: Buffer.alloc(1_100_000) }]
    const { answer } = await world.sync({ memberId, assignments })
    assert.equal(errorName(answer.errorCode), 'UNKNOWN_SERVER_ERROR')
    const { groupState, members } = await world.describe()
    assert.equal(groupState, 'PreparingRebalance')
    assert.equal(members[0]!.memberAssignment.length, 0)
    assert.equal((await world.join({ memberId })).answer.generationId, 2)
  })

  it('Q7 · what is kept of a request does not hang on the frame that it came in', async () => {
    const world = new World()
    const metadata = Buffer.from('mine')
    const frame = { groupId: 'g', sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000, memberId: '', reason: null }
    const protocols = [{ name: 'range', metadata }]
    const request = { ...frame, groupInstanceId: 'one', protocolType: 'consumer', protocols }
    const { memberId = '' } = await world.coordinator.joinGroup(request, {
      version: 9,
      clientId: null,
      clientHost: '/h',
    })
    assert.match(memberId, /^one-/)
    const assignment = Buffer.from('yours')
    const assigned = { groupId: 'g', generationId: 1, memberId, groupInstanceId: 'one' }
    const named = { protocolType: 'consumer', protocolName: 'range', assignments: [{ memberId, assignment }] }
    await world.coordinator.syncGroup({ ...assigned, ...named }, { version: 5, clientId: null, clientHost: '/h' })
    metadata.fill(0)
    assignment.fill(0)
    const [member] = (await world.describe()).members
    assert.equal(member!.memberMetadata.toString(), 'mine')
    assert.equal(member!.memberAssignment.toString(), 'yours')
    assert.equal(member!.clientId, '')
  })

  it('Q7 · a subscription that cannot be read is no error: only what it subscribes to stays unknown', async () => {
    const world = new World()
    for (const bytes of ['', '00', '0000ffffffff', '00007fffffff', '000000000001fffe']) {
      const groupId = `g${bytes}`
      const protocols = [{ name: 'range', metadata: Buffer.from(bytes, 'hex') }]
      const memberId = await world.soloMember({ groupId, protocols })
      assert.equal(await world.heartbeat({ groupId, memberId }), 'NONE')
      await world.commit({ groupId, memberId, generationIdOrMemberEpoch: 1 })
      const topics = [{ name: 'in', partitions: [{ partitionIndex: 0 }] }]
      assert.equal(codeOf((await world.offsetDelete({ groupId, topics })).answer), 'GROUP_SUBSCRIBED_TO_TOPIC')
    }
  })
})
