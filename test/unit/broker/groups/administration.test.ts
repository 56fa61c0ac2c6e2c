/** Groups as tools see and delete them. The answers were compared with those of Apache Kafka 4.1.1. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorName } from '../../../../src/protocol/errors.ts'
import { describeGroupsApi } from '../../../../src/protocol/generated/15-describe-groups.ts'
import { subscription } from './support/wire.ts'
import { codeOf, positions, World } from './support/world.ts'

const joins = { memberEpoch: 0, rebalanceTimeoutMs: 1_000, subscribedTopicNames: ['in'], topicPartitions: [] }
const partitionsOf = (...partitions: readonly number[]) => partitions.map((partitionIndex) => ({ partitionIndex }))

describe('group coordinator: describe and list', () => {
  it('Q7 · a group is described in every state', async () => {
    const world = new World()
    const { memberId } = (await world.join()).answer
    assert.equal((await world.describe()).groupState, 'Empty')
    await world.join({ memberId })
    const completing = await world.describe()
    assert.deepEqual(
      [completing.groupState, completing.protocolType, completing.protocolData],
      ['CompletingRebalance', 'consumer', ''],
    )
    assert.equal(completing.members[0]!.memberMetadata.length, 0)
    await world.sync({ memberId, assignments: [{ memberId, assignment: Buffer.from('all') }] })
    const stable = await world.describe()
    assert.deepEqual([stable.groupState, stable.protocolData], ['Stable', 'range'])
    const [member] = stable.members
    assert.deepEqual(
      { ...member, memberMetadata: null },
      {
        memberId,
        groupInstanceId: null,
        clientId: 'c',
        clientHost: '/127.0.0.1',
        memberMetadata: null,
        memberAssignment: Buffer.from('all'),
      },
    )
    assert.deepEqual(member!.memberMetadata, subscription('', ['in']))
    await world.join({}, 3)
    assert.equal((await world.describe()).groupState, 'PreparingRebalance')
  })

  it('Q7 · a group that does not exist is an error from version 6 on, and dead before', async () => {
    const world = new World()
    const six = await world.describe('nope', 6)
    assert.deepEqual([errorName(six.errorCode), six.errorMessage], ['GROUP_ID_NOT_FOUND', 'Group nope not found.'])
    assert.equal(six.groupState, 'Dead')
    const five = await world.describe('nope', 5)
    assert.deepEqual([errorName(five.errorCode), five.groupState], ['NONE', 'Dead'])
  })

  it('Q7 · a consumer group is no classic group, and the other way round', async () => {
    const world = new World()
    await world.consumerHeartbeat(joins)
    assert.equal((await world.describe()).errorMessage, 'Group g is not a classic group.')
    assert.equal((await world.consumerDescribe()).groupState, 'Stable')
    await world.commit({ groupId: 'h' })
    assert.equal((await world.consumerDescribe('h')).errorMessage, 'Group h is not a consumer group.')
    assert.equal((await world.consumerDescribe('i')).errorMessage, 'Group i not found.')
  })

  it('Q7 · authorized operations are told if asked for', async () => {
    const world = new World()
    await world.commit()
    const ask = async (version: number, groups: string[]): Promise<number[]> => {
      const request = { groups, includeAuthorizedOperations: true }
      const asked = await world.ask(describeGroupsApi, version, request, (q, c) =>
        world.coordinator.describeGroups(q, c),
      )
      return asked.answer.groups.map(({ authorizedOperations }) => authorizedOperations)
    }
    assert.deepEqual(await ask(5, ['g', 'nope']), [3_400, 3_400])
    assert.deepEqual(await ask(6, ['g', 'nope']), [3_400, -2_147_483_648])
    assert.equal((await world.describe()).authorizedOperations, -2_147_483_648)
  })

  it('Q7 · groups are listed, by state and by type', async () => {
    const world = new World()
    await world.soloMember({ groupId: 'classic' })
    await world.commit({ groupId: 'simple' })
    await world.consumerHeartbeat({ groupId: 'consumer', ...joins })
    const all = (await world.list()).groups
    assert.deepEqual(
      all.map(({ groupId, protocolType, groupState, groupType }) => [groupId, protocolType, groupState, groupType]),
      [
        ['classic', 'consumer', 'Stable', 'classic'],
        ['simple', '', 'Empty', 'classic'],
        ['consumer', 'consumer', 'Stable', 'consumer'],
      ],
    )
    const ids = async (filters: object): Promise<string[]> =>
      (await world.list(filters)).groups.map(({ groupId }) => groupId)
    assert.deepEqual(await ids({ statesFilter: [' sTABLE '] }), ['classic', 'consumer'])
    assert.deepEqual(await ids({ typesFilter: ['Classic'] }), ['classic', 'simple'])
    assert.deepEqual(await ids({ statesFilter: ['Empty'], typesFilter: ['consumer'] }), [])
    assert.deepEqual(await ids({ typesFilter: ['nonsense'] }), [])
  })
})

describe('group coordinator: delete', () => {
  it('Q7 · a group without members is deleted, with all its offsets', async () => {
    let world = new World()
    const memberId = await world.soloMember()
    await world.commit({ memberId, generationIdOrMemberEpoch: 1 })
    await world.commitInTransaction({ topics: positions(9, 'm', 'in', 2) })
    assert.deepEqual(await world.deleteGroups('g', 'nope', 'g'), { g: 'NON_EMPTY_GROUP', nope: 'GROUP_ID_NOT_FOUND' })
    await world.leave({ members: [{ memberId }] })
    assert.deepEqual(await world.deleteGroups('g'), { g: 'NONE' })
    assert.deepEqual(await world.offsets('g', true), {})
    world.endTransaction('commit')
    assert.deepEqual(await world.offsets('g', true), {}, 'what the transaction would have committed is gone too')
    world = world.restarted()
    assert.deepEqual((await world.list()).groups, [])
    assert.deepEqual(await world.offsets('g', true), {})
  })

  it('Q7 · an id that was given out by a deleted group is worth nothing', async () => {
    const world = new World()
    const { memberId } = (await world.join()).answer
    assert.deepEqual(await world.deleteGroups('g'), { g: 'NONE' })
    assert.equal(errorName((await world.join({ memberId })).answer.errorCode), 'UNKNOWN_MEMBER_ID')
    await world.advance(60_000)
  })

  it('Q7 · a consumer group is deleted when it is empty', async () => {
    let world = new World()
    await world.consumerHeartbeat(joins)
    assert.deepEqual(await world.deleteGroups('g'), { g: 'NON_EMPTY_GROUP' })
    await world.consumerHeartbeat({ memberEpoch: -1 })
    assert.deepEqual(await world.deleteGroups('g'), { g: 'NONE' })
    world = world.restarted()
    assert.deepEqual((await world.list()).groups, [])
  })

  it('Q7 · more tombstones than one batch holds are written in several', async () => {
    const world = new World({ topics: { big: 300 } })
    const topics = [{ name: 'big', partitions: partitionsOf(...Array(300).keys()) }]
    await world.commit({ topics: topics.map((topic) => ({ ...topic, partitions: topic.partitions })) })
    const small = world.restarted(world.log, { stateBatchBytesMax: 2_000 })
    const before = small.log.entries.length
    assert.deepEqual(await small.deleteGroups('g'), { g: 'NONE' })
    assert.ok(small.log.entries.length > before + 10)
    assert.deepEqual((await small.restarted().list()).groups, [])
  })

  it('Q7 · offsets are deleted one by one, but not those of topics that the members read', async () => {
    const world = new World({ topics: { in: 3, old: 2 } })
    const memberId = await world.soloMember()
    const mine = { memberId, generationIdOrMemberEpoch: 1 }
    await world.commit(mine)
    await world.commit({ ...mine, topics: positions(7, 'm', 'old', 0) })
    await world.commit({ ...mine, topics: positions(8, 'm', 'old', 1) })
    const topics = [
      { name: 'in', partitions: partitionsOf(0) },
      { name: 'old', partitions: partitionsOf(0, 9) },
      { name: 'nope', partitions: partitionsOf(0) },
    ]
    const { answer } = await world.offsetDelete({ topics })
    assert.equal(errorName(answer.errorCode), 'NONE')
    const codes = answer.topics.flatMap((topic) => topic.partitions.map(({ errorCode }) => errorName(errorCode)))
    assert.deepEqual(codes, [
      'GROUP_SUBSCRIBED_TO_TOPIC',
      'NONE',
      'UNKNOWN_TOPIC_OR_PARTITION',
      'UNKNOWN_TOPIC_OR_PARTITION',
    ])
    assert.deepEqual(await world.offsets(), { 'in/0': 5, 'old/1': 8 })
    assert.deepEqual(await world.restarted().offsets(), { 'in/0': 5, 'old/1': 8 })
  })

  it('Q7 · offsets of a group that is no consumer’s can be deleted only when it is empty', async () => {
    const world = new World()
    const topics = [{ name: 'in', partitions: partitionsOf(0) }]
    assert.equal(errorName((await world.offsetDelete({ topics })).answer.errorCode), 'GROUP_ID_NOT_FOUND')
    await world.commit()
    const memberId = await world.soloMember({ protocolType: 'connect' })
    assert.equal(errorName((await world.offsetDelete({ topics })).answer.errorCode), 'NON_EMPTY_GROUP')
    await world.leave({ members: [{ memberId }] })
    assert.equal(codeOf((await world.offsetDelete({ topics })).answer), 'NONE')
    assert.deepEqual(await world.offsets(), {})
  })

  it('Q8 · the offsets of a deleted topic go, in all groups and in open transactions', async () => {
    let world = new World({ topics: { in: 3, other: 1 } })
    await world.commit({ groupId: 'a' })
    await world.commit({ groupId: 'b', topics: [...positions(1, 'm', 'in', 2), ...positions(2, 'm', 'other')] })
    await world.commitInTransaction({ groupId: 'c' })
    await world.coordinator.onTopicsDeleted(['in'])
    assert.deepEqual(await world.offsets('a'), {})
    assert.deepEqual(await world.offsets('b'), { 'other/0': 2 })
    world.endTransaction('commit')
    assert.deepEqual(await world.offsets('c'), {})
    world = world.restarted()
    assert.deepEqual(await world.offsets('a'), {})
    assert.deepEqual(await world.offsets('b'), { 'other/0': 2 })
    assert.deepEqual(await world.offsets('c'), {})
  })
})
