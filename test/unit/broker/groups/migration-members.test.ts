/** Members that speak the classic protocol in a consumer group: how they join, how long they may take, static ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import type { JoinGroupResponse } from '../../../../src/protocol/generated/11-join-group.ts'
import { MixedWorld } from './support/migration.ts'
import { embeddedSubscription } from './support/wire.ts'
import type { World } from './support/world.ts'

const range = (metadata: Buffer): { name: string; metadata: Buffer }[] => [{ name: 'range', metadata }]

async function consumerGroup(given: ConstructorParameters<typeof World>[0] = {}): Promise<MixedWorld> {
  const mixed = new MixedWorld(given)
  assert.equal(await mixed.consumer('c', 0), 'epoch 1: in-0 in-1 in-2 in-3')
  return mixed
}

describe('group coordinator: classic members of a consumer group', () => {
  it('G3 · a new member is given an id, of which nothing is kept', async () => {
    const mixed = await consumerGroup()
    const before = mixed.world.log.entries.length
    const { errorCode, memberId } = (await mixed.send('')).answer
    assert.equal(errorName(errorCode), 'MEMBER_ID_REQUIRED')
    assert.deepEqual(Object.keys(await mixed.members()), ['c'])
    assert.equal(mixed.world.log.entries.length, before)
    const { answer } = await mixed.send(memberId)
    const { generationId, protocolType, protocolName, leader, members, skipAssignment } = answer
    assert.deepEqual([generationId, protocolType, protocolName, leader], [2, 'consumer', 'range', ''])
    assert.deepEqual([members, skipAssignment], [[], false], 'nobody leads, nobody assigns')
    const protocols = range(embeddedSubscription(['in']))
    const old = (await mixed.world.join({ protocols }, 3)).answer
    assert.deepEqual([old.errorCode, old.generationId], [0, 3], 'old versions have no such step')
  })

  it('G3 · who cannot join is told why, and nothing changes', async () => {
    const mixed = await consumerGroup({ consumerOptions: { maxSize: 2 } })
    const before = mixed.world.log.entries.length
    const refused = async (fields: object): Promise<string> => mixed.join('m', '', fields)
    assert.equal(await refused({ protocolType: 'connect' }), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal(await refused({ protocols: [] }), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal(await refused({ protocols: range(Buffer.from([0, 1])) }), 'UNKNOWN_SERVER_ERROR')
    assert.equal(
      await refused({
        protocols: range(Buffer.concat([Buffer.from([255, 255]), embeddedSubscription(['in']).subarray(2)])),
      }),
      'UNKNOWN_SERVER_ERROR',
    )
    const much = Buffer.concat([embeddedSubscription(['in']), Buffer.alloc(1_000_001)])
    assert.equal(await refused({ protocols: range(much) }), 'UNKNOWN_SERVER_ERROR')
    assert.equal(await mixed.join('m'.repeat(32_768)), 'INVALID_REQUEST', 'no key has room for it')
    assert.equal(await refused({ groupInstanceId: 'one' }), 'UNKNOWN_MEMBER_ID', 'the instance is not there')
    assert.equal(mixed.world.log.entries.length, before)
    assert.equal(await mixed.join('m'), 'generation 2')
    const other = [{ name: 'sticky', metadata: embeddedSubscription(['in']) }]
    assert.equal(await mixed.join('m', '', { protocols: other }), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal(await mixed.join('n'), 'GROUP_MAX_SIZE_REACHED')
    const { memberId } = (await mixed.send('n')).answer
    assert.equal(memberId, '')
  })

  it('G3 · SyncGroup and Heartbeat are for members of the classic protocol, under their generation', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m')
    assert.equal(await mixed.sync('c', 1), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.beat('c', 1), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.sync('nobody', 2), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.beat('nobody', 2), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.sync('m', 1), 'ILLEGAL_GENERATION')
    assert.equal(await mixed.beat('m', 1), 'ILLEGAL_GENERATION')
    assert.equal(await mixed.sync('m', 2, { protocolName: 'sticky' }), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal(await mixed.sync('m', 2, { protocolType: 'connect' }), 'INCONSISTENT_GROUP_PROTOCOL')
    const { answer } = await mixed.world.sync({ memberId: 'm', generationId: 2 }, 4)
    assert.deepEqual([answer.errorCode, answer.protocolType], [0, null])
  })

  it('G3 · a member may change its protocol without leaving', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m')
    assert.equal(await mixed.owns('m', 2), 'epoch 2')
    assert.equal(await mixed.beat('m', 2), 'UNKNOWN_MEMBER_ID', 'it speaks the consumer protocol now')
    assert.equal(await mixed.join('m'), 'generation 2')
    assert.equal(await mixed.beat('m', 2), 'NONE')
    assert.equal(await mixed.join('c'), 'generation 2', 'the last one: the group stays what it is until somebody goes')
    assert.equal(await mixed.type(), 'consumer Reconciling')
  })

  it('G2 · a silent member is put out after the session time-out that it asked for', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m', '', { sessionTimeoutMs: 10_000 })
    await mixed.sync('m', 2)
    await mixed.world.advance(9_999)
    assert.equal(await mixed.beat('m', 2), 'NONE')
    await mixed.world.advance(9_999)
    assert.equal(await mixed.sync('m', 2), '', 'every request counts')
    await mixed.world.advance(10_000)
    assert.equal(await mixed.beat('m', 2), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.consumer('c', 1), 'epoch 3')
  })

  it('G2 · a restart gives every member a whole session of its own length', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m', '', { sessionTimeoutMs: 10_000 })
    await mixed.world.advance(9_999)
    mixed.restart()
    await mixed.world.advance(9_999)
    assert.equal(await mixed.beat('m', 2), 'NONE')
    mixed.restart()
    await mixed.world.advance(10_000)
    assert.equal(await mixed.beat('m', 2), 'UNKNOWN_MEMBER_ID')
    assert.equal(await mixed.consumer('c', 1), 'epoch 3')
  })

  it('G2 · a member that does not join again in its rebalance time-out is put out, however often it is heard of', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m', '', { rebalanceTimeoutMs: 10_000 })
    await mixed.sync('m', 2)
    await mixed.consumer('d', 0)
    assert.equal(await mixed.beat('m', 2), 'REBALANCE_IN_PROGRESS')
    await mixed.world.advance(9_000)
    assert.equal(await mixed.beat('m', 2), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.sync('m', 2), 'REBALANCE_IN_PROGRESS')
    await mixed.world.advance(1_000)
    assert.equal(await mixed.beat('m', 2), 'UNKNOWN_MEMBER_ID')
  })

  it('G2 · so is one that only asks for its assignment', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m', '', { rebalanceTimeoutMs: 10_000 })
    await mixed.sync('m', 2)
    await mixed.consumer('d', 0)
    assert.equal(await mixed.sync('m', 2), 'REBALANCE_IN_PROGRESS')
    await mixed.world.advance(10_000)
    assert.deepEqual(Object.keys(await mixed.members()), ['c', 'd'])
  })

  it('G2 · version 0 has one time-out for both', async () => {
    const mixed = await consumerGroup()
    const protocols = range(embeddedSubscription(['in']))
    const { memberId } = (await mixed.world.join({ protocols, sessionTimeoutMs: 10_000 }, 0)).answer
    await mixed.world.advance(9_999)
    assert.equal(await mixed.sync(memberId, 2), '')
    await mixed.world.advance(9_999)
    assert.equal(await mixed.beat(memberId, 2), 'NONE')
  })

  it('Q7 · what a member says when it joins again is stored', async () => {
    const mixed = await consumerGroup()
    const both = ['range', 'sticky'].map((name) => ({ name, metadata: embeddedSubscription(['in'], '', 3, 'r1') }))
    await mixed.join('m', '', { protocols: both })
    await mixed.join('m', '', { protocols: both, sessionTimeoutMs: 10_000 })
    await mixed.join('m', '', { protocols: both.toReversed(), sessionTimeoutMs: 10_000 })
    const sticky = [{ name: 'sticky', metadata: embeddedSubscription(['in']) }]
    await mixed.join('m', '', { protocols: sticky, sessionTimeoutMs: 10_000 })
    mixed.restart()
    assert.equal(await mixed.sync('m', 2), 'INCONSISTENT_GROUP_PROTOCOL')
    assert.equal(await mixed.sync('m', 2, { protocolName: 'sticky' }), '')
    const rackOf = async (): Promise<string | null | undefined> =>
      (await mixed.world.consumerDescribe()).members.find(({ memberId }) => memberId === 'm')?.rackId
    assert.equal(await rackOf(), 'r1', 'what it does not say stays as it was')
    await mixed.join('m', '', { protocols: sticky, sessionTimeoutMs: 8_000 })
    mixed.restart()
    await mixed.world.advance(8_000)
    assert.equal(await mixed.beat('m', 2), 'UNKNOWN_MEMBER_ID', 'the session that it asked for last')
  })

  it('G2 · so is one that joins and does not ask for its assignment; one that does both may take its time again', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m', '', { rebalanceTimeoutMs: 10_000 })
    await mixed.join('n', '', { rebalanceTimeoutMs: 10_000 })
    await mixed.join('m', '', { rebalanceTimeoutMs: 10_000 })
    assert.equal(await mixed.sync('m', 3), '')
    await mixed.world.advance(10_000)
    assert.deepEqual(Object.keys(await mixed.members()), ['c', 'm'])
    assert.equal(await mixed.beat('m', 3), 'REBALANCE_IN_PROGRESS', 'because of the one that is gone')
    await mixed.world.advance(9_999)
    assert.equal(await mixed.join('m', '', { rebalanceTimeoutMs: 10_000 }), 'generation 4')
    await mixed.world.advance(9_999)
    assert.equal(await mixed.sync('m', 4), '')
    await mixed.world.advance(10_000)
    assert.equal(await mixed.beat('m', 4), 'NONE')
  })

  it('G4 · a static member comes back with the other protocol and keeps its partitions', async () => {
    const mixed = await consumerGroup()
    const one = { groupInstanceId: 'one' }
    const first = (await mixed.send('', '', one)).answer.memberId
    await mixed.owns('c', 1, 0, 1)
    assert.equal(await mixed.join(first, '', one), 'generation 2')
    const kept = await mixed.sync(first, 2, one)
    assert.equal(kept, 'in-2 in-3')
    // Classic to consumer, without having left.
    assert.equal(await mixed.consumer('k', 0, { instanceId: 'one' }), `epoch 2: ${kept}`)
    assert.deepEqual((await mixed.members()).k, { type: 'consumer', epoch: 2, owns: kept, shallOwn: kept })
    for (const said of [await mixed.beat(first, 2, 'one'), await mixed.sync(first, 2, one)]) {
      assert.equal(said, 'FENCED_INSTANCE_ID')
    }
    assert.equal(await mixed.join(first, '', one), 'FENCED_INSTANCE_ID')
    assert.equal(await mixed.beat(first, 2), 'UNKNOWN_MEMBER_ID')
    // Two of the consumer protocol do not take over from each other.
    assert.equal(await mixed.consumer('l', 0, { instanceId: 'one' }), 'UNRELEASED_INSTANCE_ID')
    // Consumer to classic, without having left; then classic to classic.
    for (const _ of ['consumer', 'classic']) {
      const { memberId, generationId }: JoinGroupResponse = (await mixed.send('', kept, one)).answer
      assert.equal(generationId, 2)
      assert.equal(await mixed.sync(memberId, 2, one), kept)
      assert.equal(await mixed.beat(memberId, 2, 'one'), 'NONE')
    }
    assert.equal(await mixed.consumer('k', 2, { instanceId: 'one' }), 'FENCED_INSTANCE_ID')
    assert.equal(await mixed.consumer('c', 2), 'epoch 2', 'nobody else has noticed')
    const members = [{ memberId: first, groupInstanceId: 'one' }]
    const codes = (await mixed.world.leave({ members })).answer.members.map(({ errorCode }) => errorName(errorCode))
    assert.deepEqual(codes, ['FENCED_INSTANCE_ID'])
  })

  it('G4 · Heartbeat with an instance id of a member of the consumer protocol', async () => {
    const mixed = await consumerGroup()
    await mixed.consumer('s', 0, { instanceId: 'one' })
    assert.equal(await mixed.beat('other', 2, 'one'), 'FENCED_INSTANCE_ID')
    assert.equal(await mixed.beat('s', 2, 'one'), 'UNKNOWN_MEMBER_ID', 'it does not speak the classic protocol')
    assert.equal(await mixed.beat('s', 2, 'two'), 'UNKNOWN_MEMBER_ID')
  })

  it('Q7 · no answer tells of what the state log does not have yet', async () => {
    const mixed = await consumerGroup()
    mixed.world.log.hold()
    const joins = await mixed.send('m')
    assert.equal(joins.isAnswered, false)
    const syncs = await mixed.world.sync({ memberId: 'm', generationId: 2 })
    assert.equal(syncs.isAnswered, false)
    const leaves = await mixed.world.consumerHeartbeat({ memberId: 'c', memberEpoch: -1 })
    assert.equal(leaves.isAnswered, false)
    await mixed.world.log.release()
    assert.deepEqual([joins.answer.generationId, syncs.answer.errorCode, leaves.answer.memberEpoch], [2, 0, -1])
    assert.equal(await mixed.type(), 'classic PreparingRebalance')
  })

  it('Q7 · no timer of a group with members of both kinds is left when it is closed', async () => {
    const mixed = await consumerGroup()
    await mixed.join('m')
    await mixed.consumer('d', 0)
    await mixed.beat('m', 2)
    const before = mixed.world.log.entries.length
    mixed.world.coordinator.close()
    await mixed.world.advance(3_600_000)
    assert.equal(mixed.world.log.entries.length, before)
  })
})
