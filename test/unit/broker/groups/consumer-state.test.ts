import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consumerGroupRecordTypes } from '../../../../src/broker/groups/consumer/records.ts'
import type { StateRecord } from '../../../../src/broker/groups/ports.ts'
import { readConsumerGroupCurrentMemberAssignmentValue } from '../../../../src/protocol/generated/consumer-group-current-member-assignment-value.ts'
import { writeConsumerGroupPartitionMetadataKey } from '../../../../src/protocol/generated/consumer-group-partition-metadata-key.ts'
import { Reader } from '../../../../src/protocol/reader.ts'
import { Writer } from '../../../../src/protocol/writer.ts'
import { compacted, World } from './consumer-world.ts'

const types = (records: readonly StateRecord[]): number[] => records.map(({ key }) => key.readInt16BE(0))

describe('Q7 · consumer groups: durable state', () => {
  test("a join is written in Kafka's own records, in one step", async () => {
    const world = new World()
    const steps: number[][] = []
    world.persist = (records) => {
      steps.push(types(records))
      world.log.push(...records)
      return Promise.resolve()
    }
    await world.join('a')
    // The member, the group, the target of the member, the epoch of the target, the progress of the member.
    assert.deepEqual(steps, [[5, 3, 7, 6, 8]])
    await world.beat('a', 1)
    assert.equal(steps.length, 1, 'a keep-alive writes nothing')
    const progress = world.log.at(-1)
    assert.equal(progress?.key.toString('hex'), '0008000167000161')
    const reader = new Reader(progress?.value ?? Buffer.alloc(0))
    assert.equal(reader.int16(), 0)
    assert.deepEqual(readConsumerGroupCurrentMemberAssignmentValue(reader, 0), {
      memberEpoch: 1,
      previousMemberEpoch: 0,
      state: 0,
      assignedPartitions: [{ topicId: world.topics.topicId('t'), partitions: [0, 1, 2, 3] }],
      partitionsPendingRevocation: [],
    })
  })

  test('a member that leaves leaves tombstones, its subscription last', async () => {
    const world = new World()
    await world.join('a')
    const before = world.log.length
    await world.beat('a', -1)
    const left = world.log.slice(before)
    assert.deepEqual(types(left), [8, 7, 5, 3])
    assert.deepEqual(
      left.map(({ value }) => value === null),
      [true, true, true, false],
    )
  })

  test('an answer waits until what it tells is durable; so does a later one that tells nothing new', async () => {
    const world = new World()
    const heard: string[] = []
    let written = (): void => {}
    world.persist = () => new Promise((resolve) => (written = resolve))
    const first = world.join('a').then(() => heard.push('join'))
    const second = world.beat('a', 1).then(() => heard.push('keep-alive'))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(heard, [])
    written()
    await Promise.all([first, second])
    assert.deepEqual(heard, ['join', 'keep-alive'])
    assert.ok(!(world.send('a', 1) instanceof Promise), 'nothing is under way any more')
  })

  test('a state log that failed lets no further answer pass', async () => {
    const world = new World()
    world.persist = () => Promise.reject(new Error('disk'))
    await assert.rejects(world.join('a'), /disk/)
    await assert.rejects(world.beat('a', 1), /disk/)
  })

  test('a restart in the middle of a rebalance knows where everybody is', async () => {
    const world = new World({ t: 4, ra: 1 })
    await world.join('a', { rebalanceTimeoutMs: 10_000, rackId: 'r', serverAssignor: 'uniform' })
    await world.join('b', { instanceId: 'i1', subscribedTopicRegex: 'ra', subscribedTopicNames: ['t'] })
    world.clock.advance(0)
    await world.beat('a', 1)
    const before = world.described()
    for (const log of [world.log, compacted(world.log)]) {
      world.restart(log)
      assert.deepEqual(world.described(), before)
    }
    assert.equal(world.group.state, 'Reconciling')
    assert.equal((await world.own('a', 1, 't-0 t-1 t-2')).error, 'NONE')
    world.clock.advance(10_000)
    assert.equal((await world.beat('a', 1)).error, 'UNKNOWN_MEMBER_ID', 'the time to let go runs again after a restart')
    world.clock.advance(35_000)
    assert.equal(world.group.state, 'Empty', 'so does the session')
  })

  test('a topic that changed while the broker was down is noticed', async () => {
    const world = new World({ t: 1 })
    await world.join('a')
    world.topics.set('t', 2)
    world.restart()
    assert.equal((await world.beat('a', 1)).told, 't-0 t-1')
    world.restart()
    assert.equal((await world.beat('a', 2)).epoch, 2)
  })

  test('tombstones delete the group from the log, with members or without', async () => {
    const world = new World({ ra: 1 })
    await world.join('a', { subscribedTopicRegex: 'ra' })
    world.clock.advance(0)
    await world.beat('a', 1)
    for (const leave of [false, true]) {
      if (leave) await world.beat('a', -1)
      const log = [...world.log, ...world.group.tombstones()]
      assert.ok(compacted(log).every(({ value }) => value === null))
      const again = world.newGroup()
      for (const [index, { key, value }] of log.entries()) {
        assert.equal(again.exists, index > 0, `before record ${index}`)
        again.replay(key.readInt16BE(0), key, value)
      }
      assert.equal(again.exists, false)
    }
  })

  test('tombstones of what was never there, records of Kafka before 4.1, and later versions', async () => {
    const world = new World()
    await world.join('a')
    for (const tombstone of world.group.tombstones()) {
      world.restart([tombstone])
      assert.equal(world.group.exists, false)
    }
    const key = new Writer()
    key.int16(4)
    writeConsumerGroupPartitionMetadataKey(key, { groupId: 'g' }, 0)
    world.group.replay(4, key.toBuffer(), Buffer.from([0, 0, 1, 0]))
    assert.equal(world.group.exists, false)
    assert.deepEqual(
      [...consumerGroupRecordTypes].sort((a, b) => a - b),
      [3, 4, 5, 6, 7, 8, 16],
    )
    assert.throws(() => world.group.replay(2, Buffer.alloc(4), null), { code: 'STATE_RECORD_UNKNOWN' })
    const [, group] = world.group.tombstones()
    assert.throws(() => world.group.replay(3, group?.key ?? Buffer.alloc(0), Buffer.from([0, 9])), {
      code: 'STATE_RECORD_UNKNOWN',
    })
  })

  test('a member in a state that only a later version knows must join again', async () => {
    const world = new World()
    await world.join('a')
    const log = world.log.map(({ key, value }) => ({ key, value: value && Buffer.from(value) }))
    // The byte behind the version and the two epochs.
    log.at(-1)?.value?.writeInt8(9, 10)
    world.restart(log)
    assert.equal((await world.beat('a', 1)).error, 'FENCED_MEMBER_EPOCH')
    assert.equal((await world.own('a', 1, 't-0')).error, 'FENCED_MEMBER_EPOCH')
    assert.equal((await world.own('a', 1, '')).error, 'NONE')
    assert.equal(world.group.state, 'Stable')
  })
})
