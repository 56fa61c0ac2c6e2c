/** A consumer group goes back to the classic protocol when only members are left that speak it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { MixedWorld } from './support/migration.ts'
import { assignedIn, embeddedAssignment, embeddedSubscription } from './support/wire.ts'
import { positions, type World } from './support/world.ts'

/** `c` speaks the consumer protocol, `m` and `n` the classic one; all own what they shall. */
async function mixedGroup(given: ConstructorParameters<typeof World>[0] = {}): Promise<MixedWorld> {
  const mixed = new MixedWorld({ topics: { in: 6 }, ...given })
  await mixed.consumer('c', 0)
  await mixed.join('m')
  await mixed.join('n')
  await mixed.owns('c', 1, 0, 1)
  await mixed.owns('c', 1, 0, 1)
  for (const id of ['m', 'n']) {
    await mixed.join(id)
    await mixed.sync(id, 3)
  }
  assert.equal(await mixed.type(), 'consumer Stable')
  return mixed
}

describe('group coordinator: from the consumer to the classic protocol', () => {
  it('G3 · the last member of the consumer protocol leaves: the others join again, and one of them leads', async () => {
    const mixed = await mixedGroup()
    await mixed.world.commit({ memberId: 'm', generationIdOrMemberEpoch: 3, topics: positions(7) })
    const before = mixed.world.log.entries.length
    assert.equal(await mixed.consumer('c', -1), 'epoch -1')
    assert.equal(mixed.world.log.entries.length, before + 1, 'one batch')
    assert.equal(await mixed.type(), 'classic PreparingRebalance')
    assert.equal(await mixed.beat('m', 3), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.sync('m', 3), 'REBALANCE_IN_PROGRESS')
    const m = await mixed.send('m')
    const n = await mixed.send('n')
    assert.deepEqual([m.answer.generationId, n.answer.generationId], [4, 4])
    assert.deepEqual([m.answer.leader, m.answer.members.length, n.answer.members.length], ['m', 2, 0])
    const assignments = [{ memberId: 'n', assignment: embeddedAssignment('in-0') }]
    assert.equal(await mixed.sync('n', 4), 'waiting')
    await mixed.world.sync({ memberId: 'm', generationId: 4, assignments })
    assert.equal(await mixed.sync('n', 4), 'in-0')
    assert.equal(await mixed.type(), 'classic Stable')
    assert.deepEqual(await mixed.world.offsets(), { 'in/0': 7 })
    assert.equal(await mixed.consumer('c', 0), 'epoch 5: in-1 in-2', 'and there again')
  })

  it('G3 · what the target gave them is their assignment, also after a restart', async () => {
    const mixed = await mixedGroup()
    const owned = await mixed.members()
    await mixed.consumer('c', -1)
    for (const log of [mixed.world.log.afterCrash(), mixed.world.log.compacted()]) {
      mixed.restart(log)
      const { groupState, protocolType, protocolData, members } = await mixed.world.describe()
      assert.deepEqual([groupState, protocolType, protocolData], ['Stable', 'consumer', 'range'])
      const assigned = members.map(({ memberId, memberAssignment }) => [memberId, assignedIn(memberAssignment)])
      assert.deepEqual(assigned, [
        ['m', owned.m?.shallOwn],
        ['n', owned.n?.shallOwn],
      ])
      assert.equal(await mixed.beat('m', 3), 'NONE')
    }
  })

  it('G3 · it is the same when it is put out: its session ends, it is too slow, or an administrator removes it', async () => {
    const ways: ((mixed: MixedWorld) => Promise<unknown>)[] = [
      async (mixed) => {
        for (const _ of [1, 2]) {
          await mixed.world.advance(22_500)
          await Promise.all([mixed.beat('m', 3), mixed.beat('n', 3)])
        }
      },
      (mixed) => mixed.world.leave({ members: [{ memberId: 'c' }] }),
      async (mixed) => mixed.world.coordinator.expireSession('g', 'c'),
      async (mixed) => {
        const more = { subscribedTopicNames: ['other'] }
        await mixed.consumer('c', 3, more)
        for (const _ of [1, 2, 3]) {
          await mixed.world.advance(10_000)
          await mixed.consumer('c', 3)
          for (const id of ['m', 'n']) await mixed.join(id)
          for (const id of ['m', 'n']) await mixed.sync(id, 4)
        }
      },
    ]
    for (const way of ways) {
      const mixed = await mixedGroup()
      await way(mixed)
      assert.match(await mixed.type(), /^classic .*Rebalance$/)
      assert.equal(await mixed.beat('c', 3), 'UNKNOWN_MEMBER_ID')
    }
  })

  it('G3 · a classic member goes: the group changes only if nobody speaks the consumer protocol', async () => {
    const mixed = await mixedGroup()
    await mixed.world.leave({ members: [{ memberId: 'm' }] })
    assert.match(await mixed.type(), /^consumer/)
    assert.equal(await mixed.join('c'), 'generation 4')
    assert.match(await mixed.type(), /^consumer/)
    await mixed.world.leave({ members: [{ memberId: 'n' }, { memberId: 'x' }] })
    assert.equal(await mixed.type(), 'classic PreparingRebalance')
    const all = await mixedGroup()
    await all.world.leave({ members: ['m', 'n', 'c'].map((memberId) => ({ memberId })) })
    assert.equal(await all.type(), 'consumer Empty')
  })

  it('G3 · the group stays a consumer group where the policy or its size say so, and serves its members on', async () => {
    for (const given of [
      { consumerOptions: { migrationPolicy: 'upgrade' } },
      { consumerOptions: { migrationPolicy: 'disabled' } },
      { options: { groupMaxSize: 1 } },
      { options: { stateBatchBytesMax: 400 } },
    ] as const) {
      const mixed = await mixedGroup(given)
      assert.equal(await mixed.consumer('c', -1), 'epoch -1')
      assert.equal(await mixed.type(), 'consumer Assigning')
      assert.equal(await mixed.beat('m', 3), 'REBALANCE_IN_PROGRESS')
      assert.equal(await mixed.join('m'), 'generation 4')
      assert.equal(await mixed.join('n'), 'generation 4')
      const owned = [await mixed.sync('m', 4), await mixed.sync('n', 4)].join(' ')
      assert.equal(owned.split(' ').sort().join(' '), 'in-0 in-1 in-2 in-3 in-4 in-5')
      mixed.restart()
      assert.equal(await mixed.beat('m', 4), 'NONE')
    }
  })

  it('G3 · all sessions end at once', async () => {
    const mixed = await mixedGroup()
    assert.equal(mixed.world.coordinator.expireSession('g'), true)
    assert.equal(await mixed.type(), 'classic Empty')
    assert.equal(mixed.world.coordinator.expireSession('g'), false)
  })

  it('G3 · sessions run on: who is silent afterwards is put out of the classic group', async () => {
    const mixed = await mixedGroup()
    await mixed.join('n', '', { sessionTimeoutMs: 10_000 })
    const before = mixed.world.log.records.length
    await mixed.consumer('c', -1)
    const waits = await mixed.send('m')
    await mixed.world.advance(9_999)
    assert.equal(waits.isAnswered, false)
    await mixed.world.advance(1)
    assert.equal(waits.answer.generationId, 4)
    assert.equal(await mixed.beat('n', 3), 'UNKNOWN_MEMBER_ID')
    await mixed.world.advance(120_000)
    assert.equal(await mixed.type(), 'classic Empty')
    const later = mixed.world.log.records.slice(before).map(({ key, value }) => [key.readInt16BE(0), value !== null])
    const written = later.filter(([, isValue]) => isValue)
    assert.ok(written.length > 0 && written.every(([type]) => type === 2), 'nothing of the consumer group')
  })

  it('Q7 · offsets of topics that the classic group reads are kept, others can be deleted', async () => {
    const mixed = await mixedGroup({ topics: { in: 6, out: 1 } })
    await mixed.consumer('c', -1)
    const topics = ['in', 'out'].map((name) => ({ name, partitions: [{ partitionIndex: 0 }] }))
    const { answer } = await mixed.world.offsetDelete({ topics })
    const codes = answer.topics.map(({ partitions }) => errorName(partitions[0]?.errorCode ?? -1))
    assert.deepEqual(codes, ['GROUP_SUBSCRIBED_TO_TOPIC', 'NONE'])
  })

  it('G4 · the group stays where nobody who speaks the consumer protocol is replaced by its instance id', async () => {
    const mixed = new MixedWorld()
    await mixed.consumer('c', 0)
    const one = { groupInstanceId: 'one' }
    const { memberId } = (await mixed.send('', '', one)).answer
    assert.equal(await mixed.join('c'), 'generation 2', 'all speak the classic protocol now')
    assert.equal(await mixed.join(memberId, '', one), 'generation 2')
    await mixed.send('', '', one)
    assert.match(await mixed.type(), /^consumer/)
    const other = new MixedWorld()
    await other.consumer('s', 0, { instanceId: 'one' })
    assert.equal(await other.join('s'), 'generation 1', 'a static member that does not say so')
    assert.equal(await other.type(), 'consumer Stable')
  })

  it('G4 · a static member changes to the classic protocol as the last one: nothing moves, nobody joins again', async () => {
    const mixed = new MixedWorld()
    await mixed.consumer('s', 0, { instanceId: 'one' })
    await mixed.join('m')
    await mixed.consumer('s', 1, { instanceId: 'one', topicPartitions: [] })
    const [mine, theirs] = [(await mixed.members()).s?.shallOwn ?? '', (await mixed.members()).m?.shallOwn]
    await mixed.join('m')
    assert.equal(await mixed.sync('m', 2), theirs)
    const one = { groupInstanceId: 'one' }
    const { memberId, generationId, leader } = (await mixed.send('', mine, one)).answer
    assert.deepEqual([generationId, leader], [2, ''])
    assert.equal(await mixed.type(), 'classic Stable')
    assert.equal(await mixed.sync(memberId, 2, one), mine)
    assert.equal(await mixed.beat(memberId, 2, 'one'), 'NONE')
    assert.equal(await mixed.beat('m', 2), 'NONE')
    assert.equal(await mixed.beat('s', 2, 'one'), 'FENCED_INSTANCE_ID')
    mixed.restart()
    assert.equal(await mixed.beat(memberId, 2, 'one'), 'NONE')
    assert.equal(await mixed.sync(memberId, 2, one), mine)
  })

  it('G4 · with other topics than before there is a rebalance; alone it is the whole group', async () => {
    const mixed = new MixedWorld({ topics: { in: 2, out: 1 } })
    await mixed.consumer('s', 0, { instanceId: 'one' })
    const protocols = [{ name: 'range', metadata: embeddedSubscription(['out']) }]
    const { answer } = await mixed.send('', '', { groupInstanceId: 'one', protocols })
    assert.deepEqual([errorName(answer.errorCode), answer.generationId], ['NONE', 0])
    assert.equal(await mixed.type(), 'classic PreparingRebalance')
    assert.equal(await mixed.sync(answer.memberId, 0, { groupInstanceId: 'one' }), 'ILLEGAL_GENERATION')
    const again = await mixed.send(answer.memberId, '', { groupInstanceId: 'one', protocols })
    assert.deepEqual([again.answer.generationId, again.answer.leader], [2, answer.memberId])
    // With its own member id instead of none.
    const own = new MixedWorld()
    await own.consumer('s', 0, { instanceId: 'one' })
    assert.equal(await own.join('s', '', { groupInstanceId: 'one' }), 'generation 1')
    assert.equal(await own.type(), 'classic Stable')
    assert.equal(await own.beat('s', 1, 'one'), 'NONE')
    const kept = new MixedWorld({ consumerOptions: { migrationPolicy: 'upgrade' } })
    await kept.consumer('s', 0, { instanceId: 'one' })
    assert.equal(await kept.join('s', '', { groupInstanceId: 'one' }), 'generation 1')
    assert.equal(await kept.type(), 'consumer Stable')
  })
})
