/** A classic group with members becomes a consumer group, while its members go on speaking the classic protocol. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { MixedWorld, toldByJoin } from './support/migration.ts'
import { assignedIn, embeddedAssignment, embeddedSubscription } from './support/wire.ts'
import { codeOf, positions } from './support/world.ts'

const range = (metadata: Buffer): { name: string; metadata: Buffer }[] => [{ name: 'range', metadata }]

describe('group coordinator: from the classic to the consumer protocol', () => {
  it('G3 · members are moved over one by one, and every partition has one owner all the time', async () => {
    const mixed = new MixedWorld({ topics: { in: 6 } })
    const [a = '', b = ''] = await mixed.classicGroup(['in-0 in-1 in-2', 'in-3 in-4 in-5'])
    assert.equal(await mixed.consumer('new', 0), 'epoch 3:', 'nothing is free yet')
    assert.equal(await mixed.type(), 'consumer Reconciling')
    assert.deepEqual(await mixed.members(), {
      [a]: { type: 'classic', epoch: 2, owns: 'in-0 in-1 in-2', shallOwn: 'in-0 in-1' },
      [b]: { type: 'classic', epoch: 2, owns: 'in-3 in-4 in-5', shallOwn: 'in-3 in-4' },
      new: { type: 'consumer', epoch: 3, owns: '', shallOwn: 'in-2 in-5' },
    })
    assert.equal(await mixed.beat(a, 2), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.sync(a, 2), 'REBALANCE_IN_PROGRESS')
    // A cooperative member says what it owns, and is told to let one go; then it comes again without it.
    assert.equal(await mixed.join(a, 'in-0 in-1 in-2'), 'generation 2')
    assert.equal(await mixed.sync(a, 2), 'in-0 in-1')
    assert.equal(await mixed.beat(a, 2), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.join(a, 'in-0 in-1'), 'generation 3')
    assert.equal(await mixed.sync(a, 3), 'in-0 in-1')
    assert.equal(await mixed.beat(a, 3), 'NONE')
    assert.equal(await mixed.owns('new', 3), 'epoch 3: in-2')
    // An eager member has let everything go before it joins.
    assert.equal(await mixed.join(b), 'generation 3')
    assert.equal(await mixed.sync(b, 3), 'in-3 in-4')
    assert.equal(await mixed.owns('new', 3, 2), 'epoch 3: in-2 in-5')
    assert.equal(await mixed.type(), 'consumer Stable')
    // Both change to the consumer protocol.
    await mixed.world.leave({ members: [{ memberId: a }, { memberId: b }] })
    assert.equal(await mixed.owns('new', 3, 2, 5), 'epoch 4: in-0 in-1 in-2 in-3 in-4 in-5')
  })

  it('G3 · a member waits for partitions that others still own, and is told when they are free', async () => {
    const mixed = new MixedWorld()
    assert.equal(await mixed.consumer('c', 0), 'epoch 1: in-0 in-1 in-2 in-3')
    assert.equal(await mixed.join('m'), 'generation 2')
    assert.equal(await mixed.sync('m', 2), '')
    assert.equal(await mixed.beat('m', 2), 'NONE', 'it waits')
    assert.equal(await mixed.owns('c', 1, 0, 1, 2, 3), 'epoch 1: in-0 in-1')
    assert.equal(await mixed.beat('m', 2), 'NONE', 'it waits still')
    assert.equal(await mixed.owns('c', 1, 0, 1), 'epoch 2')
    assert.equal(await mixed.beat('m', 2), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.join('m'), 'generation 2')
    assert.equal(await mixed.sync('m', 2), 'in-2 in-3')
    assert.equal(await mixed.beat('m', 2), 'NONE')
  })

  it('G3 · the classic group goes and the consumer group comes in one batch; both are known after a restart', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0 in-1 in-2 in-3'])
    await mixed.world.commit({ memberId: a, generationIdOrMemberEpoch: 1, topics: positions(7) })
    const before = mixed.world.log.entries.length
    await mixed.consumer('c', 0)
    assert.equal(mixed.world.log.entries.length, before + 1)
    const members = await mixed.members()
    for (const log of [mixed.world.log.afterCrash(), mixed.world.log.compacted()]) {
      mixed.restart(log)
      assert.deepEqual(await mixed.members(), members)
      assert.equal(await mixed.beat(a, 1), 'REBALANCE_IN_PROGRESS')
      assert.deepEqual(await mixed.world.offsets(), { 'in/0': 7 })
    }
    assert.equal(await mixed.join(a), 'generation 2')
    assert.equal(await mixed.sync(a, 2), 'in-0 in-1')
    mixed.restart()
    assert.equal(await mixed.sync(a, 2), 'in-0 in-1')
  })

  it('G3 · whoever waits in a rebalance of the classic group is sent to join again', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0 in-1 in-2 in-3'])
    const b = (await mixed.send('')).answer.memberId
    const joins = await mixed.send(b)
    assert.equal(toldByJoin(joins), 'waiting')
    assert.equal(await mixed.consumer('c', 0), 'epoch 2:')
    assert.equal(toldByJoin(joins), 'REBALANCE_IN_PROGRESS')
    assert.equal(await mixed.join(b), 'generation 2')
    assert.deepEqual((await mixed.members())[a]?.owns, 'in-0 in-1 in-2 in-3', 'what was assigned before')
    const other = new MixedWorld()
    const d = (await other.send('')).answer.memberId
    await other.send(d)
    const e = (await other.send('')).answer.memberId
    await Promise.all([other.send(e), other.send(d)])
    const waits = await other.world.sync({ memberId: e, generationId: 2 })
    await other.consumer('c', 0)
    assert.equal(errorName(waits.answer.errorCode), 'REBALANCE_IN_PROGRESS')
    assert.equal((await other.members())[e]?.owns, '')
  })

  it('G3 · a group stays with the classic protocol where the policy says so, or where it cannot be read', async () => {
    const refused = async (mixed: MixedWorld): Promise<string> => {
      const said = await mixed.consumer('c', 0)
      assert.match(await mixed.type(), /^classic/)
      return said
    }
    for (const migrationPolicy of ['downgrade', 'disabled'] as const) {
      const mixed = new MixedWorld({ consumerOptions: { migrationPolicy } })
      await mixed.classicGroup(['in-0'])
      assert.equal(await refused(mixed), 'GROUP_ID_NOT_FOUND')
      assert.equal(await mixed.consumer('c', 3), 'GROUP_ID_NOT_FOUND')
    }
    const connect = new MixedWorld()
    await connect.classicGroup([''], { protocolType: 'connect' })
    assert.equal(await refused(connect), 'GROUP_ID_NOT_FOUND')
    const full = new MixedWorld({ consumerOptions: { maxSize: 1 } })
    await full.classicGroup(['in-0', 'in-1'])
    assert.equal(await refused(full), 'GROUP_ID_NOT_FOUND')
    const assigned = async (...assignments: Buffer[]): Promise<string> => {
      const mixed = new MixedWorld()
      const ids = await mixed.classicGroup(assignments.map(() => ''))
      await mixed.send(ids[0] ?? '')
      await Promise.all(ids.slice(1).map((id) => mixed.send(id)))
      const generationId = ids.length + 1
      const given = ids.map((memberId, i) => ({ memberId, assignment: assignments[i] ?? Buffer.alloc(0) }))
      for (const memberId of ids) await mixed.world.sync({ memberId, generationId, assignments: given })
      return refused(mixed)
    }
    assert.equal(await assigned(Buffer.from('junk')), 'GROUP_ID_NOT_FOUND')
    assert.equal(await assigned(embeddedAssignment('in-0', Buffer.from('mine'))), 'GROUP_ID_NOT_FOUND')
    const both = embeddedAssignment('in-0')
    assert.equal(await assigned(both, both), 'UNKNOWN_SERVER_ERROR', 'two owners of one partition')
    const late = new MixedWorld({ options: { groupInitialRebalanceDelayMs: 3_000 } })
    const memberId = (await late.send('')).answer.memberId
    const waits = await late.send(memberId)
    assert.equal(await refused(late), 'UNKNOWN_SERVER_ERROR', 'it has no generation yet')
    assert.equal(toldByJoin(waits), 'REBALANCE_IN_PROGRESS')
    assert.equal(await late.join(memberId), 'waiting')
  })

  it('G3 · what is too large for one batch of the state log stays where it is', async () => {
    const mixed = new MixedWorld({ options: { stateBatchBytesMax: 2_000 } })
    await mixed.classicGroup(['in-0'])
    const members = { subscribedTopicNames: ['x'.repeat(1_900)] }
    assert.equal(await mixed.consumer('c', 0, members), 'UNKNOWN_SERVER_ERROR')
    assert.equal(await mixed.type(), 'classic Stable')
    assert.equal(await mixed.consumer('c', 0), 'epoch 2: in-1 in-2')
  })

  it('G3 · a first heartbeat that is refused leaves the classic group and its sessions as they were', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0'])
    assert.equal(await mixed.consumer(a, 0), 'FENCED_MEMBER_EPOCH', 'the id of a member')
    const regex = { subscribedTopicNames: null, subscribedTopicRegex: '(' }
    assert.equal(await mixed.consumer('c', 0, regex), 'INVALID_REGULAR_EXPRESSION')
    assert.equal(await mixed.type(), 'classic Stable')
    assert.equal(await mixed.beat(a, 1), 'NONE')
    await mixed.world.advance(30_000)
    assert.equal(await mixed.type(), 'classic Empty')
    const types = new Set(mixed.world.log.records.map(({ key }) => key.readInt16BE(0)))
    assert.deepEqual([...types], [2], 'no record of a consumer group, then or later')
  })

  it('G3 · a member that reads nothing disturbs nobody', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0 in-1 in-2 in-3'])
    assert.equal(await mixed.consumer('c', 0, { subscribedTopicNames: [] }), 'epoch 1:')
    assert.equal(await mixed.type(), 'consumer Stable')
    assert.equal(await mixed.beat(a, 1), 'NONE')
    assert.equal(await mixed.sync(a, 1), 'in-0 in-1 in-2 in-3')
  })

  it('G2 · every member gets a whole session, of the length that it asked for as a classic member', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0'], { sessionTimeoutMs: 10_000 })
    await mixed.world.advance(9_999)
    await mixed.consumer('c', 0)
    await mixed.world.advance(9_999)
    assert.deepEqual(Object.keys(await mixed.members()), [a, 'c'])
    await mixed.world.advance(1)
    assert.deepEqual(Object.keys(await mixed.members()), ['c'])
  })

  it('G3 · a group whose members have all gone, and which waits for an id that was given out', async () => {
    const mixed = new MixedWorld({ options: { groupInitialRebalanceDelayMs: 3_000 } })
    const { memberId } = (await mixed.send('')).answer
    await mixed.send(memberId)
    await mixed.send('')
    await mixed.world.leave({ members: [{ memberId }] })
    assert.equal(await mixed.type(), 'classic PreparingRebalance')
    assert.equal(await mixed.consumer('c', 0), 'epoch 1: in-0 in-1 in-2 in-3')
    await mixed.world.advance(3_000)
    assert.equal(await mixed.type(), 'consumer Stable')
  })

  it('G3 · classic members commit with any version, under their generation', async () => {
    const mixed = new MixedWorld()
    const [a = ''] = await mixed.classicGroup(['in-0'])
    await mixed.consumer('c', 0)
    const commit = async (generationIdOrMemberEpoch: number, version = 9): Promise<string> =>
      codeOf((await mixed.world.commit({ memberId: a, generationIdOrMemberEpoch }, version)).answer)
    assert.equal(await commit(1, 2), 'NONE')
    assert.equal(await commit(1), 'NONE')
    assert.equal(await commit(2), 'ILLEGAL_GENERATION')
    const txn = { memberId: a, generationId: 2 }
    assert.equal(codeOf((await mixed.world.commitInTransaction(txn)).answer), 'ILLEGAL_GENERATION')
    const groups = [{ groupId: 'g', memberId: a, memberEpoch: 2, topics: null }]
    assert.equal(errorName((await mixed.world.fetch({ groups })).answer.groups[0]!.errorCode), 'ILLEGAL_GENERATION')
  })

  it('G3 · tools see a consumer group with members of two kinds', async () => {
    const mixed = new MixedWorld()
    await mixed.classicGroup(['in-0'])
    await mixed.consumer('c', 0)
    const { errorCode, errorMessage } = await mixed.world.describe()
    assert.deepEqual([errorName(errorCode), errorMessage], ['GROUP_ID_NOT_FOUND', 'Group g is not a classic group.'])
    assert.equal((await mixed.world.describe('g', 5)).groupState, 'Dead')
    const types = (await mixed.world.consumerDescribe()).members.map(({ memberType }) => memberType)
    assert.deepEqual(types, [0, 1])
  })

  it('G3 · subscriptions of versions to come, and topics that do not exist', async () => {
    const mixed = new MixedWorld()
    const protocols = range(embeddedSubscription(['in', 'gone'], '', 7))
    const [a = ''] = await mixed.classicGroup(['in-0 gone-0'], { protocols })
    await mixed.consumer('c', 0)
    assert.equal((await mixed.members())[a]?.owns, 'in-0')
    assert.equal(await mixed.join(a, 'in-0 gone-0', { protocols }), 'generation 2')
    const { assignment } = (await mixed.world.sync({ memberId: a, generationId: 2 })).answer
    assert.deepEqual([assignment.readInt16BE(0), assignedIn(assignment)], [3, 'in-0 in-3'], 'the last known version')
  })
})
