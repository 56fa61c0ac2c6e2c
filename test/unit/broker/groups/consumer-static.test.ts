import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { World } from './consumer-world.ts'

const i1 = { instanceId: 'i1' }

describe('G4 · consumer protocol: static members', () => {
  test('a clean restart inside the session moves no partition and raises no epoch', async () => {
    const world = new World()
    await world.join('a', i1)
    await world.join('b')
    await world.own('a', 1, 't-0 t-1')
    await world.own('b', 2, '')
    assert.equal((await world.beat('a', -2, i1)).epoch, -2)
    assert.equal((await world.beat('b', 2)).told, null)
    world.clock.advance(20_000)
    await world.beat('b', 2)
    assert.deepEqual(await world.join('a2', i1), {
      error: 'NONE',
      memberId: 'a2',
      epoch: 2,
      told: 't-0 t-1',
      heartbeatIntervalMs: 5000,
    })
    assert.equal(world.group.memberIds.length, 2)
    world.clock.advance(44_000)
    await world.beat('b', 2)
    assert.equal((await world.beat('a2', 2, i1)).error, 'NONE', 'its session began when it came back')
  })

  test('who does not come back in time loses its place', async () => {
    const world = new World()
    await world.join('a', i1)
    await world.join('b')
    await world.beat('a', -2, i1)
    world.clock.advance(44_999)
    await world.beat('b', 2)
    world.clock.advance(1)
    assert.equal((await world.beat('b', 2)).told, 't-0 t-1 t-2 t-3')
    assert.deepEqual((await world.join('a2', i1)).told, '')
  })

  test('an instance id that is in use cannot be taken, not even by its own member', async () => {
    const world = new World()
    await world.join('a', i1)
    assert.equal((await world.join('b', i1)).error, 'UNRELEASED_INSTANCE_ID')
    assert.equal((await world.join('a', i1)).error, 'UNRELEASED_INSTANCE_ID')
    assert.equal((await world.beat('a', -2, i1)).error, 'NONE')
    assert.equal((await world.join('a', i1)).epoch, 1)
  })

  test('the one that was replaced is fenced', async () => {
    const world = new World()
    await world.join('a', i1)
    await world.beat('a', -2, i1)
    await world.join('b', i1)
    assert.equal((await world.beat('a', 1, i1)).error, 'FENCED_INSTANCE_ID')
    assert.equal((await world.beat('a', -1, i1)).error, 'FENCED_INSTANCE_ID')
    assert.equal((await world.beat('a', -2, i1)).error, 'FENCED_INSTANCE_ID')
    assert.equal((await world.beat('a', 1)).error, 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.beat('b', 1, { instanceId: 'i2' })).error, 'UNKNOWN_MEMBER_ID')
    assert.equal((await world.beat('b', 1, i1)).error, 'NONE')
  })

  test('who leaves while it should let partitions go, has let them go', async () => {
    const world = new World()
    await world.join('a', i1)
    await world.join('b')
    assert.equal((await world.beat('a', 1, i1)).told, 't-0 t-1')
    await world.beat('a', -2, i1)
    assert.equal((await world.beat('b', 2)).told, 't-2 t-3')
    const back = await world.join('a2', i1)
    assert.deepEqual([back.epoch, back.told], [2, 't-0 t-1'])
    assert.equal(world.group.state, 'Stable')
  })

  test('the time to let go is over for one who left meanwhile: it has its session to come back', async () => {
    const world = new World()
    await world.join('a', { ...i1, rebalanceTimeoutMs: 10_000 })
    await world.join('b')
    await world.beat('a', 1, i1)
    world.clock.advance(5000)
    await world.beat('a', -2, i1)
    world.clock.advance(39_999)
    await world.beat('b', 2)
    assert.equal((await world.join('a2', i1)).told, 't-0 t-1')
  })

  test('leaving for good, and with another subscription on the way back', async () => {
    const world = new World({ t: 2, u: 2 })
    await world.join('a', i1)
    await world.beat('a', -2, i1)
    const back = await world.join('b', { ...i1, subscribedTopicNames: ['u'] })
    assert.deepEqual([back.epoch, back.told], [2, 'u-0 u-1'])
    await world.beat('b', -1, i1)
    assert.equal(world.group.state, 'Empty')
    assert.equal((await world.join('c', i1)).error, 'NONE')
  })

  test('an administrator removes members by id or by instance id', async () => {
    const world = new World()
    await world.join('a', i1)
    await world.join('b')
    await world.join('c', { instanceId: 'i3' })
    const epoch = world.described().groupEpoch
    const codes = await world.group.remove([
      { memberId: '', groupInstanceId: 'i1' },
      { memberId: 'b', groupInstanceId: null },
      { memberId: 'x', groupInstanceId: 'i3' },
      { memberId: 'x', groupInstanceId: null },
      { memberId: '', groupInstanceId: 'i9' },
      { memberId: '', groupInstanceId: null },
    ])
    assert.deepEqual(codes, [0, 0, 82, 25, 25, 25])
    assert.equal(world.group.memberIds.length, 1)
    assert.equal(world.described().groupEpoch, epoch + 1, 'one rebalance for all of them')
    assert.deepEqual(await world.group.remove([{ memberId: 'x', groupInstanceId: null }]), [25])
    assert.equal(world.described().groupEpoch, epoch + 1)
  })
})

describe('G6 · consumer protocol: who may commit and fetch offsets', () => {
  const plain = { groupInstanceId: null, isTransactional: false, version: 9 }
  const txn = { ...plain, isTransactional: true, version: 3 }

  test('only a member with its present epoch', async () => {
    const world = new World()
    await world.join('a')
    assert.equal(world.group.checkCommit('a', 1, plain), 0)
    assert.equal(world.group.checkCommit('a', 0, plain), 113)
    assert.equal(world.group.checkCommit('a', 2, plain), 113)
    assert.equal(world.group.checkCommit('x', 1, plain), 25)
    assert.equal(world.group.checkCommit('', -1, plain), 25)
    assert.equal(world.group.checkCommit('a', 1, { ...plain, version: 8 }), 35)
    assert.equal(world.group.checkFetch('a', 1), 0)
    assert.equal(world.group.checkFetch('a', 2), 113)
    assert.equal(world.group.checkFetch('x', 1), 25)
    assert.equal(world.group.checkFetch(null, -1), 0)
    assert.equal(world.group.checkFetch(null, 1), 25)
  })

  test('anybody, while the group is empty', async () => {
    const world = new World()
    await world.join('a')
    await world.beat('a', -1)
    assert.equal(world.group.checkCommit('', -1, plain), 0)
    assert.equal(world.group.checkCommit('a', 1, plain), 25)
  })

  test('X3 · a transaction may leave the member out; a stale epoch is an illegal generation there', async () => {
    const world = new World()
    await world.join('a', i1)
    assert.equal(world.group.checkCommit('', -1, txn), 0)
    assert.equal(world.group.checkCommit('', -1, { ...txn, groupInstanceId: 'i1' }), 25)
    assert.equal(world.group.checkCommit('a', 1, txn), 0)
    assert.equal(world.group.checkCommit('a', 0, txn), 22)
    assert.equal(world.group.checkCommit('x', 1, txn), 25)
  })
})
