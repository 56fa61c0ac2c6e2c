/** Groups of both protocols, their offsets, and the logs that they read. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settled } from '../../../src/admin/index.ts'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { adminOf, joinClassic, joinConsumer, newTopic, write } from './support.ts'
import { Transaction } from './transaction.ts'

export function groupSuite(target: Target): void {
  describe('groups', () => {
    test('G3 · a classic group: listed, described with what its members have', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin, 3)
      const group = unique('classic')
      const memberId = await joinClassic(t, target, { group, topic, partitions: [2, 0], instanceId: 'shelf-1' })
      const listed = (await admin.listGroups({ states: ['Stable'], types: ['classic'] })).find(({ id }) => id === group)
      const { coordinator } = listed!
      assert.deepEqual(listed, { id: group, type: 'classic', state: 'Stable', protocolType: 'consumer', coordinator })
      assert.ok(!(await admin.listGroups({ states: ['Empty'] })).some(({ id }) => id === group))
      const [described] = await admin.describeGroups([group])
      const { members, ...rest } = described!
      assert.deepEqual(rest, {
        id: group,
        type: 'classic',
        state: 'Stable',
        protocolType: 'consumer',
        assignor: 'range',
        epoch: null,
        assignmentEpoch: null,
        coordinator,
      })
      assert.deepEqual(members, [
        {
          id: memberId,
          instanceId: 'shelf-1',
          clientId: 'classic-client',
          host: '127.0.0.1',
          rack: null,
          epoch: null,
          topics: [topic],
          topicPattern: null,
          assignment: [{ topic, partitions: [0, 2] }],
          target: null,
        },
      ])
    })

    test('G3 · a group of the consumer protocol', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin, 2)
      const group = unique('consumer')
      const memberId = await joinConsumer(t, target, { group, topic, instanceId: 'shelf-2' })
      const listed = (await admin.listGroups({ types: ['consumer'] })).find(({ id }) => id === group)
      assert.equal(listed?.type, 'consumer')
      const described = await until('stable', async () => {
        const [found] = await admin.describeGroups([group])
        return found?.state === 'Stable' && found
      })
      assert.deepEqual([described.type, described.assignor, described.members.length], ['consumer', 'uniform', 1])
      assert.equal(described.epoch, described.assignmentEpoch)
      const partitions = [{ topic, partitions: [0, 1] }]
      assert.deepEqual(described.members, [
        {
          id: memberId,
          instanceId: 'shelf-2',
          clientId: 'consumer-client',
          host: '127.0.0.1',
          rack: null,
          epoch: described.epoch,
          topics: [topic],
          topicPattern: null,
          assignment: partitions,
          target: partitions,
        },
      ])
    })

    test('members are removed, static ones by their instance id; then the group can be deleted', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin)
      const group = unique('removed')
      await joinClassic(t, target, { group, topic, instanceId: 'gone' })
      const { failures, results } = await settled(admin.deleteGroups([group, unique('never')]))
      assert.deepEqual(results, [])
      assert.deepEqual(
        failures.map(({ error: { code } }) => code),
        ['NON_EMPTY_GROUP', 'GROUP_ID_NOT_FOUND'],
      )
      const removed = await settled(admin.removeMembers(group, [{ instanceId: 'nobody' }, { instanceId: 'gone' }]))
      assert.deepEqual(removed.results, [{ memberId: null, instanceId: 'gone', confirmed: true }])
      assert.deepEqual(
        [removed.failures[0]?.name, removed.failures[0]?.error.code],
        [`nobody in ${group}`, 'UNKNOWN_MEMBER_ID'],
      )
      assert.equal((await admin.describeGroups([group]))[0]?.state, 'Empty')
      const memberId = await joinClassic(t, target, { group, topic })
      await admin.removeMembers(group, [{ memberId }], { reason: 'a test' })
      assert.deepEqual(await admin.deleteGroups([group]), [{ id: group, confirmed: true }])
      await assert.rejects(admin.describeGroups([group]), { code: 'GROUP_ID_NOT_FOUND' })
      assert.ok(!(await admin.listGroups()).some(({ id }) => id === group))
    })
  })

  describe('offsets', () => {
    test('G5 G6 · changed by hand with metadata and epoch, read, deleted; not while members are there', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin, 3)
      const group = unique('offsets')
      assert.deepEqual(await admin.committed(group), [])
      const first = { topic, partition: 0, offset: 7, leaderEpoch: 0, metadata: '漢字' }
      await admin.alterOffsets(group, [first, { topic, partition: 2, offset: 0 }])
      const third = { topic, partition: 2, offset: 0, leaderEpoch: null, metadata: '' }
      assert.deepEqual(await admin.committed(group), [first, third])
      const [second] = await admin.committed(group, [{ topic, partition: 1 }], { requireStable: true })
      assert.deepEqual(second, { topic, partition: 1, offset: null, leaderEpoch: null, metadata: '' })
      const missing = { topic: unique('missing'), partition: 0, offset: 1 }
      const changed = await settled(admin.alterOffsets(group, [missing, { topic, partition: 1, offset: 5 }]))
      assert.deepEqual(changed.results, [{ topic, partition: 1, offset: 5, leaderEpoch: null, metadata: '' }])
      assert.equal(changed.failures[0]?.error.code, 'UNKNOWN_TOPIC_OR_PARTITION')
      await admin.deleteOffsets(group, [{ topic, partition: 0 }])
      assert.deepEqual(
        (await admin.committed(group)).map(({ partition }) => partition),
        [1, 2],
      )
      await joinClassic(t, target, { group, topic })
      await assert.rejects(admin.alterOffsets(group, [{ topic, partition: 0, offset: 1 }]), (error: Error) => {
        assert.match(error.message, /OffsetCommit of .* UNKNOWN_MEMBER_ID.* stop its consumers first/)
        return true
      })
      await assert.rejects(admin.deleteOffsets(group, [{ topic, partition: 1 }]), {
        code: 'GROUP_SUBSCRIBED_TO_TOPIC',
      })
    })

    // Kafka keeps one request's offsets in one batch: more than a megabyte of metadata goes in several requests.
    test('300 full maps at once', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin, 300)
      const group = unique('full')
      const metadata = '漢'.repeat(4_000)
      const offsets = Array.from({ length: 300 }, (_, partition) => ({ topic, partition, offset: 1, metadata }))
      await until('all partitions', async () => (await admin.describeTopics([topic]))[0]?.partitions.length === 300)
      await admin.alterOffsets(group, offsets)
      const stored = await admin.committed(group)
      assert.ok(stored.length === 300 && stored.every((each) => each.metadata === metadata))
    })

    test('Q2 · where logs begin and end, which record a time has; records are deleted', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin, 2)
      // Of today: retention would take records of 1970.
      const start = Date.now() - 10_000
      await write(t, target, topic, [start + 1_000, start + 5_000, start + 3_000])
      const at = (where: 'earliest' | 'latest' | 'max-timestamp' | { timestamp: number }) => ({
        topic,
        partition: 0,
        at: where,
      })
      const questions = [at('earliest'), at('latest'), at('max-timestamp'), at({ timestamp: start + 2_000 })]
      const offsets = await admin.listOffsets([
        ...questions,
        at({ timestamp: start + 9_000 }),
        { ...at('latest'), partition: 1 },
      ])
      assert.deepEqual(
        offsets.map(({ offset, timestamp }) => [offset, timestamp]),
        [
          [0, null],
          [3, null],
          [1, start + 5_000],
          [1, start + 5_000],
          [null, null],
          [0, null],
        ],
      )
      const { results, failures } = await settled(
        admin.deleteRecords([
          { topic, partition: 0, before: 2 },
          { topic, partition: 1, before: 9 },
          { topic, partition: 7, before: 'all' },
        ]),
      )
      assert.deepEqual(results, [{ topic, partition: 0, earliest: 2 }])
      assert.deepEqual(
        failures.map(({ name, error: { code } }) => [name, code]),
        [
          [`${topic}-1`, 'OFFSET_OUT_OF_RANGE'],
          [`${topic}-7`, 'UNKNOWN_TOPIC_OR_PARTITION'],
        ],
      )
      assert.equal((await admin.listOffsets([at('earliest')]))[0]?.offset, 2)
      const all = await admin.deleteRecords([{ topic, partition: 0, before: 'all' }])
      assert.deepEqual(all, [{ topic, partition: 0, earliest: 3 }])
    })
  })

  describe('transactions', () => {
    test('X6 · an open one: who has it, where it begins, what it holds back', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin)
      await write(t, target, topic, [Date.now()])
      const transaction = await Transaction.begin(t, target)
      await transaction.write(topic)
      const { id: transactionalId, producerId } = transaction
      const listed = (await admin.listTransactions({ states: ['Ongoing'] })).find(
        (each) => each.transactionalId === transactionalId,
      )
      assert.deepEqual([listed?.state, listed?.producerId], ['Ongoing', producerId])
      const { results, failures } = await settled(admin.describeTransactions([transactionalId, unique('never')]))
      const { startedMs, coordinator, ...described } = results[0]!
      assert.ok(startedMs !== null && startedMs > 1_600_000_000_000)
      assert.equal(coordinator, listed?.coordinator)
      assert.deepEqual(described, {
        transactionalId,
        producerId,
        state: 'Ongoing',
        producerEpoch: 0,
        timeoutMs: 30_000,
        partitions: [{ topic, partitions: [0] }],
      })
      assert.equal(failures[0]?.error.code, 'TRANSACTIONAL_ID_NOT_FOUND')
      const [partition] = await admin.describeProducers([{ topic, partition: 0 }])
      assert.deepEqual(partition?.producers, [
        {
          producerId,
          epoch: 0,
          lastSequence: 0,
          lastTimestamp: transaction.timestampMs,
          coordinatorEpoch: null,
          transactionStart: 1,
        },
      ])
      const latest = [{ topic, partition: 0, at: 'latest' }] as const
      assert.equal((await admin.listOffsets(latest))[0]?.offset, 2)
      assert.equal((await admin.listOffsets(latest, { isolation: 'read_committed' }))[0]?.offset, 1)
      await transaction.end()
      await until(
        'over',
        async () => (await admin.listOffsets(latest, { isolation: 'read_committed' }))[0]?.offset === 3,
      )
    })

    // Read without waiting, an offset is the one from before the transaction; a new owner must not start there.
    test('X8 · an offset that a transaction is about to change: as it was, or waited for', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin)
      const group = unique('pending')
      await admin.alterOffsets(group, [{ topic, partition: 0, offset: 1 }])
      const transaction = await Transaction.begin(t, target)
      await transaction.commitOffset(group, topic, 9)
      assert.equal((await admin.committed(group))[0]?.offset, 1)
      const stable = { requireStable: true, timeoutMs: 400 }
      for (const partitions of [undefined, [{ topic, partition: 0 }]]) {
        const asked = admin.committed(group, partitions, stable)
        await assert.rejects(asked, { code: 'TIMEOUT', message: /UNSTABLE_OFFSET_COMMIT/ })
      }
      const waiting = admin.committed(group, undefined, { requireStable: true })
      await transaction.end()
      assert.deepEqual(await waiting, [{ topic, partition: 0, offset: 9, leaderEpoch: null, metadata: 'pending' }])
    })
  })
}
