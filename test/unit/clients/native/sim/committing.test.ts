import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entry, Script } from './script.ts'

describe('a commit', () => {
  const outcomes = [
    ['NONE', 'ok'],
    ['OFFSET_METADATA_TOO_LARGE', 'too-large'],
    ['REBALANCE_IN_PROGRESS', 'refused'],
    ['COORDINATOR_LOAD_IN_PROGRESS', 'refused'],
    ['NOT_COORDINATOR', 'refused'],
    ['ILLEGAL_GENERATION', 'fenced'],
    ['UNKNOWN_MEMBER_ID', 'fenced'],
    ['FENCED_INSTANCE_ID', 'fenced'],
    ['silence', 'unknown'],
  ] as const
  for (const [answer, outcome] of outcomes) {
    test(`answered with ${answer} is ${outcome}`, async () => {
      const script = new Script()
      await script.start()
      script.reply('OffsetCommit', answer)
      assert.deepEqual(await script.during(script.client.commit([entry(0, 5), entry(1, 6)])), [outcome, outcome])
    })
  }

  test('carries position, map and leader epoch under the present member and generation', async () => {
    const script = new Script()
    await script.start()
    await script.during(script.client.commit([entry(1, 42)]))
    const { memberId, generationId, partitions } = script.last('OffsetCommit')
    assert.match(memberId, /^m\d+$/)
    assert.equal(generationId, 1)
    const stored = { committedOffset: 42, committedLeaderEpoch: 0, committedMetadata: 'map' }
    assert.deepEqual(partitions, [{ topic: 'in', partition: 1, ...stored }])
  })

  test('of a partition that is not ours is not sent; the others are', async () => {
    const script = new Script()
    await script.start()
    const outcomes = await script.during(script.client.commit([entry(7, 1), entry(0, 5)]))
    assert.deepEqual(outcomes, ['fenced', 'ok'])
    assert.equal(script.last('OffsetCommit').partitions.length, 1)
    assert.deepEqual(await script.during(script.client.commit([entry(7, 1)])), ['fenced'])
    assert.equal(script.count('OffsetCommit'), 1)
  })

  test('of an earlier stay is not sent, although the partition is ours again', async () => {
    const script = new Script()
    await script.start()
    script.client.rejoin()
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['fenced'])
    assert.equal(script.count('OffsetCommit'), 0)
  })

  test('an unknown member has lost everything at once, and joins under a new name', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetCommit', 'UNKNOWN_MEMBER_ID')
    const before = script.last('JoinGroup').memberId
    await script.during(script.client.commit([entry(0, 5)]))
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1'])
    await script.until(() => script.told.length === 3)
    assert.notEqual(script.last('JoinGroup').memberId, before)
  })

  test('a stale generation has lost everything, but keeps its name', async () => {
    const script = new Script()
    await script.start()
    const before = script.last('JoinGroup').memberId
    script.reply('OffsetCommit', 'ILLEGAL_GENERATION')
    await script.during(script.client.commit([entry(0, 5)]))
    await script.until(() => script.told.length === 3)
    assert.equal(script.last('JoinGroup').memberId, before)
  })

  test('a stale generation while the next one is on its way is only refused', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', 'silence')
    await script.until(() => script.count('JoinGroup') === 3)
    script.reply('OffsetCommit', 'ILLEGAL_GENERATION')
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['refused'])
    assert.deepEqual(script.told, ['assigned in-0,in-1'])
  })

  test('a fenced instance fails', async () => {
    const script = new Script({ instanceId: 'i' })
    await script.start()
    script.reply('OffsetCommit', 'FENCED_INSTANCE_ID')
    await script.during(script.client.commit([entry(0, 5)]))
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'failed FENCED_INSTANCE_ID'])
    const sent = script.sent.length
    await script.clock.runUntil(60_000)
    assert.equal(script.sent.length, sent, 'nothing more is sent but what was under way')
  })

  test('a moved coordinator is looked for again', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetCommit', 'NOT_COORDINATOR')
    await script.during(script.client.commit([entry(0, 5)]))
    const before = script.count('FindCoordinator')
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'])
    assert.equal(script.count('FindCoordinator'), before + 1)
  })
})
