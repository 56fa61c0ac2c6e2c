import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsumerGroupHeartbeatRequest } from '../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { World } from './consumer-world.ts'

describe('G2 · consumer protocol: joining and moving partitions', () => {
  test('the first member gets everything, with its epoch and the heartbeat interval', async () => {
    const world = new World()
    assert.deepEqual(await world.join('a'), {
      error: 'NONE',
      memberId: 'a',
      epoch: 1,
      told: 't-0 t-1 t-2 t-3',
      heartbeatIntervalMs: 5000,
    })
    assert.equal(world.group.state, 'Stable')
    assert.equal((await world.beat('a', 1)).told, null)
  })

  test('version 0: the broker makes up the member id; from version 1 on the client must', async () => {
    const world = new World()
    const more = { rebalanceTimeoutMs: 1, subscribedTopicNames: ['t'], topicPartitions: [] }
    const old = world.heard(await world.send('', 0, more, 0))
    assert.match(old.memberId ?? '', /^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
    assert.equal((await world.beat(old.memberId ?? '', 1)).error, 'NONE')
    assert.equal((await world.beat('', 0, more)).error, 'INVALID_REQUEST')
  })

  test('a partition goes to its new owner only after the old one let it go', async () => {
    const world = new World()
    await world.join('a')
    assert.deepEqual(await world.join('b'), { ...noted('b', 2), told: '' })
    assert.equal(world.group.state, 'Reconciling')
    assert.deepEqual(await world.beat('a', 1), { ...noted('a', 1), told: 't-0 t-1' })
    assert.equal((await world.beat('b', 2)).told, null, 'still held by a')
    assert.equal((await world.beat('a', 1)).epoch, 1, 'a heartbeat without partitions lets nothing go')
    assert.equal((await world.own('a', 1, 't-0 t-1 t-2')).epoch, 1, 'one is still held')
    assert.deepEqual(await world.own('a', 1, 't-0 t-1'), noted('a', 2))
    assert.deepEqual(await world.own('b', 2, ''), { ...noted('b', 2), told: 't-2 t-3' })
    assert.equal(world.group.state, 'Stable')
  })

  test('who lets go in the same heartbeat that finds the new target takes no detour', async () => {
    const world = new World()
    await world.join('a')
    await world.join('b')
    assert.deepEqual(await world.own('a', 1, 't-0'), { ...noted('a', 2), told: 't-0 t-1' })
    assert.equal((await world.beat('b', 2)).told, 't-2 t-3')
  })

  test('a full heartbeat is answered in full, a keep-alive is not', async () => {
    const world = new World()
    await world.join('a')
    const full = { rebalanceTimeoutMs: 9, subscribedTopicNames: ['t'], topicPartitions: world.partitions('t-0') }
    assert.equal((await world.beat('a', 1, full)).told, 't-0 t-1 t-2 t-3')
    assert.equal((await world.beat('a', 1, { ...full, subscribedTopicNames: null })).told, null)
    assert.equal((await world.beat('a', 1, { ...full, rebalanceTimeoutMs: -1 })).told, null)
  })

  test('leaving frees the partitions and raises the epoch; the last one leaves an empty group', async () => {
    const world = new World()
    await world.join('a')
    await world.join('b')
    assert.deepEqual(await world.beat('a', -1), { ...noted('a', -1), heartbeatIntervalMs: 0 })
    assert.equal(world.group.state, 'Assigning')
    assert.deepEqual(await world.beat('b', 2), { ...noted('b', 3), told: 't-0 t-1 t-2 t-3' })
    await world.beat('b', -1)
    assert.deepEqual([world.group.state, world.group.isEmpty, world.group.memberIds.length], ['Empty', true, 0])
    assert.equal((await world.beat('b', 3)).error, 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.join('c')).epoch, 5)
  })

  test('a changed subscription moves partitions; a changed client id does not', async () => {
    const world = new World({ t: 2, u: 2 })
    await world.join('a')
    const changed = await world.beat('a', 1, { subscribedTopicNames: ['u'], topicPartitions: [] })
    assert.deepEqual(changed, { ...noted('a', 2), told: 'u-0 u-1' })
    assert.equal((await world.beat('a', 2, { rackId: 'r', serverAssignor: 'range' })).epoch, 2)
    assert.deepEqual([world.group.isSubscribedTo('t'), world.group.isSubscribedTo('u')], [false, true])
  })

  test('members without topics are members', async () => {
    const world = new World()
    assert.deepEqual(await world.join('a', { subscribedTopicNames: [] }), { ...noted('a', 1), told: '' })
    assert.deepEqual(await world.join('b', { subscribedTopicNames: [] }), { ...noted('b', 1), told: '' })
    assert.equal((await world.join('c', { subscribedTopicNames: ['nowhere'] })).epoch, 2)
  })

  test('Q8 · partitions that are added, topics that come and go, are noticed by the next heartbeat', async () => {
    const world = new World({ t: 1 })
    await world.join('a', { subscribedTopicNames: ['t', 'late'] })
    world.changeTopic('t', 2)
    assert.deepEqual(await world.beat('a', 1), { ...noted('a', 2), told: 't-0 t-1' })
    world.changeTopic('late', 1)
    assert.deepEqual(await world.beat('a', 2), { ...noted('a', 3), told: 'late-0 t-0 t-1' })
    world.changeTopic('other', 1)
    assert.equal((await world.beat('a', 3)).epoch, 3, 'a topic of others is none of its business')
    world.changeTopic('late', undefined)
    assert.deepEqual(await world.beat('a', 3), { ...noted('a', 3), told: 't-0 t-1' }, 'it must let go first')
    assert.deepEqual(await world.own('a', 3, 't-0 t-1'), noted('a', 4))
  })

  test('a topic that was deleted and created again is another topic', async () => {
    const world = new World({ t: 1 })
    await world.join('a')
    const old = world.topics.topicId('t')
    world.changeTopic('t', undefined)
    world.changeTopic('t', 1)
    assert.notEqual(world.topics.topicId('t'), old)
    assert.equal((await world.beat('a', 1)).told, '')
    assert.equal((await world.own('a', 1, '')).told, 't-0')
  })

  test('the assignor that most members ask for is used', async () => {
    const world = new World({ t: 3, u: 3 })
    const range = { subscribedTopicNames: ['t', 'u'], serverAssignor: 'range' }
    await world.join('a', range)
    await world.join('b', range)
    assert.equal(world.described().assignorName, 'range')
    assert.equal((await world.own('a', 1, '')).told, 't-0 t-1 u-0 u-1')
    await world.beat('a', 2, { serverAssignor: 'uniform' })
    await world.beat('b', 2, { serverAssignor: 'uniform' })
    assert.equal(world.described().assignorName, 'uniform')
  })
})

describe('G2 · consumer protocol: fencing', () => {
  test('an epoch that the group does not expect is fenced', async () => {
    const world = new World()
    await world.join('a')
    await world.join('b')
    await world.own('a', 1, 't-0 t-1')
    for (const epoch of [1, 3, 99]) assert.equal((await world.beat('a', epoch)).error, 'FENCED_MEMBER_EPOCH')
    assert.equal((await world.beat('a', 2)).error, 'NONE')
    assert.equal((await world.beat('x', 2)).error, 'UNKNOWN_MEMBER_ID')
  })

  test('the answer with the new epoch got lost: the epoch before passes, with nothing that is not its own', async () => {
    const world = new World()
    await world.join('a')
    await world.join('b')
    await world.own('a', 1, 't-0 t-1')
    assert.equal((await world.beat('a', 1)).error, 'FENCED_MEMBER_EPOCH', 'it must say what it owns')
    assert.equal((await world.own('a', 1, 't-0 t-2')).error, 'FENCED_MEMBER_EPOCH')
    assert.deepEqual(await world.own('a', 1, 't-0'), noted('a', 2))
  })

  test('joining again under the same id: passes when only the first answer got lost', async () => {
    const world = new World()
    await world.join('a')
    assert.deepEqual(await world.join('a'), { ...noted('a', 1), told: 't-0 t-1 t-2 t-3' })
    await world.join('b')
    await world.own('a', 1, 't-0 t-1')
    assert.equal((await world.join('a')).error, 'FENCED_MEMBER_EPOCH')
  })

  test('a full group takes nobody else', async () => {
    const world = new World()
    world.options.maxSize = 1
    await world.join('a')
    assert.equal((await world.join('b')).error, 'GROUP_MAX_SIZE_REACHED')
    assert.equal((await world.beat('a', 1)).error, 'NONE')
  })

  test('requests that make no sense change nothing', async () => {
    const world = new World()
    const joining = { rebalanceTimeoutMs: 1, subscribedTopicNames: ['t'], topicPartitions: [] }
    const cases: [number, Partial<ConsumerGroupHeartbeatRequest>, string][] = [
      [0, { ...joining, memberId: ' ' }, 'INVALID_REQUEST'],
      [0, { ...joining, groupId: '' }, 'INVALID_REQUEST'],
      [0, { ...joining, instanceId: '' }, 'INVALID_REQUEST'],
      [0, { ...joining, rackId: ' ' }, 'INVALID_REQUEST'],
      [0, { ...joining, rebalanceTimeoutMs: -1 }, 'INVALID_REQUEST'],
      [0, { ...joining, topicPartitions: null }, 'INVALID_REQUEST'],
      [0, { ...joining, topicPartitions: world.partitions('t-0') }, 'INVALID_REQUEST'],
      [0, { ...joining, subscribedTopicNames: null }, 'INVALID_REQUEST'],
      [0, { ...joining, memberId: 'ü'.repeat(16_384) }, 'INVALID_REQUEST'],
      [-2, {}, 'INVALID_REQUEST'],
      [-3, {}, 'INVALID_REQUEST'],
      [0, { ...joining, serverAssignor: 'mine' }, 'UNSUPPORTED_ASSIGNOR'],
      [0, { ...joining, subscribedTopicNames: ['n'.repeat(1_000_001)] }, 'UNKNOWN_SERVER_ERROR'],
    ]
    for (const [epoch, more, error] of cases) assert.equal((await world.beat('a', epoch, more)).error, error)
    assert.equal(world.group.exists, false)
    assert.deepEqual(world.log, [])
  })
})

describe('G2 · consumer protocol: time', () => {
  test('who is silent for a session is put out, and its partitions go to the others', async () => {
    const world = new World()
    await world.join('a')
    await world.join('b')
    world.clock.advance(30_000)
    await world.beat('b', 2)
    world.clock.advance(14_999)
    assert.equal(world.group.memberIds.length, 2)
    world.clock.advance(1)
    assert.equal(world.group.memberIds.length, 1)
    assert.equal((await world.beat('a', 1)).error, 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.beat('b', 2)).told, 't-0 t-1 t-2 t-3')
  })

  test('a group may have a session and a heartbeat interval of its own, and change them', async () => {
    const world = new World()
    let sessionTimeoutMs = 10_000
    world.options.ownSettings = (groupId) => {
      assert.equal(groupId, 'g')
      return { sessionTimeoutMs, heartbeatIntervalMs: 700 }
    }
    world.group = world.newGroup()
    await world.join('a')
    assert.equal((await world.beat('a', 1)).heartbeatIntervalMs, 700)
    world.clock.advance(9_999)
    sessionTimeoutMs = 3_000
    assert.equal((await world.beat('a', 1)).error, 'NONE')
    world.clock.advance(3_000)
    assert.equal((await world.beat('a', 1)).error, 'UNKNOWN_MEMBER_ID')
  })

  test('who does not let go within its rebalance time-out is put out, heartbeats or not', async () => {
    const world = new World()
    await world.join('a', { rebalanceTimeoutMs: 10_000 })
    await world.join('b')
    await world.beat('a', 1)
    for (let second = 1; second < 10; second++) {
      world.clock.advance(1000)
      assert.equal((await world.own('a', 1, 't-0 t-1 t-2 t-3')).error, 'NONE')
    }
    world.clock.advance(1000)
    assert.equal((await world.own('a', 1, 't-0 t-1')).error, 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.beat('b', 2)).told, 't-0 t-1 t-2 t-3')
  })

  test('who let go in time stays; a later request to let go has a time-out of its own', async () => {
    const world = new World({ t: 6 })
    await world.join('a', { rebalanceTimeoutMs: 10_000 })
    await world.join('b')
    await world.beat('a', 1)
    world.clock.advance(9000)
    await world.own('a', 1, 't-0 t-1 t-2')
    await world.join('c')
    await world.beat('a', 2)
    world.clock.advance(9999)
    assert.equal((await world.beat('a', 2)).error, 'NONE')
    world.clock.advance(1)
    assert.equal((await world.beat('a', 2)).error, 'UNKNOWN_MEMBER_ID')
  })

  test('a closed group has no timers left', async () => {
    const world = new World()
    await world.join('a')
    const written = world.log.length
    world.group.close()
    world.clock.advance(1_000_000)
    assert.equal(world.group.state, 'Dead')
    assert.equal(world.log.length, written)
  })

  test('a session that is ended by hand, a rebalance that is forced', async () => {
    const world = new World()
    await world.join('a')
    world.group.forceRebalance()
    assert.deepEqual(await world.beat('a', 1), noted('a', 2))
    world.group.expireSession('a')
    world.group.expireSession('nobody')
    assert.equal((await world.beat('a', 2)).error, 'UNKNOWN_MEMBER_ID')
  })
})

/** The answer to a heartbeat that brought nothing new. */
function noted(memberId: string, epoch: number): { [key: string]: unknown } {
  return { error: 'NONE', memberId, epoch, told: null, heartbeatIntervalMs: 5000 }
}
