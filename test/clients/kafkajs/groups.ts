/** KafkaJS in groups: the classic protocol, eager rebalancing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, valuesOf } from './support.ts'

export function kafkaJsGroups(target: Target): void {
  describe('groups', () => {
    test('Q2 · one group shares the records, another sees them all', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(4)
      const groupId = unique('group')
      const first = await clients.member({ groupId }, [topic])
      const second = await clients.member({ groupId }, [topic])
      await until('two partitions each', () => first.owns(topic).length === 2 && second.owns(topic).length === 2)
      assert.deepEqual([...first.owns(topic), ...second.owns(topic)].sort(), [0, 1, 2, 3])
      for (const partition of [0, 1, 2, 3]) await clients.fill(topic, 5, partition)
      await until('all records', () => first.records.length + second.records.length >= 20)
      for (const member of [first, second]) {
        assert.equal(member.records.length, 10)
        assert.ok(member.records.every(({ partition }) => member.owns(topic).includes(partition)))
      }
      const alone = await clients.member({ groupId: unique('group') }, [topic])
      assert.equal((await alone.has(20)).length, 20)
    })

    // A member that leaves hands over at once: nobody waits for a session time-out.
    test('G2 · a member leaves and the others take over, with no record lost and none read again', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(2)
      const groupId = unique('group')
      const first = await clients.member({ groupId }, [topic])
      const second = await clients.member({ groupId }, [topic])
      await until('one partition each', () => first.owns(topic).length === 1 && second.owns(topic).length === 1)
      for (const partition of [0, 1]) await clients.fill(topic, 10, partition)
      await first.has(10)
      await second.has(10)
      await second.consumer.disconnect()
      await until('both partitions', () => first.owns(topic).length === 2)
      for (const partition of [0, 1]) await clients.fill(topic, 1, partition, 10)
      await first.has(12)
      assert.equal(first.records.length + second.records.length, 22)
    })

    test('G2 · a member that is silent is evicted after its session time-out', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(2)
      const groupId = unique('group')
      const blocked = Promise.withResolvers<void>()
      t.after(() => blocked.resolve())
      await clients.fill(topic, 1, 0)
      await clients.fill(topic, 1, 1)
      // KafkaJS sends heartbeats between batches only: a handler that never returns is a member that is silent.
      const stuck = await clients.member({ groupId, sessionTimeout: 1000 }, [topic], { onBatch: () => blocked.promise })
      await stuck.has(1)
      const other = await clients.member({ groupId }, [topic])
      await until('all partitions', () => other.owns(topic).length === 2)
      await other.has(2)
      blocked.resolve()
    })

    test('G5 · commits carry a group over a restart', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const groupId = unique('group')
      await clients.fill(topic, 10)
      const first = await clients.member({ groupId }, [topic])
      await first.has(10)
      await first.consumer.disconnect()
      await clients.fill(topic, 5, 0, 10)
      const second = await clients.member({ groupId }, [topic])
      assert.deepEqual(valuesOf(await second.has(5)), ['10', '11', '12', '13', '14'])
    })

    test('G6 · commits by hand: offset and metadata', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic()
      const groupId = unique('group')
      await clients.fill(topic, 10)
      const member = await clients.member({ groupId }, [topic], { autoCommit: false })
      await member.has(10)
      const metadata = `値${'x'.repeat(4000)}`
      await member.consumer.commitOffsets([{ topic, partition: 0, offset: '6', metadata }])
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
      assert.deepEqual(found?.partitions, [{ partition: 0, offset: '6', metadata }])
      await assert.rejects(
        member.consumer.commitOffsets([{ topic, partition: 0, offset: '7', metadata: 'x'.repeat(4097) }]),
        /metadata field of the offset request was too large/,
      )
      await member.consumer.disconnect()
      const next = await clients.member({ groupId }, [topic])
      assert.deepEqual(valuesOf(await next.has(4)), ['6', '7', '8', '9'])
    })

    test('G5 · from the beginning or from the end where nothing was committed', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      await clients.fill(topic, 3)
      const fromEnd = await clients.member({ groupId: unique('group') }, [topic], { fromBeginning: false })
      await fromEnd.joined()
      const fromStart = await clients.member({ groupId: unique('group') }, [topic], { fromBeginning: true })
      await fromStart.has(3)
      // The end is where it was when the member asked for it, which is after it joined: write until it sees something.
      let written = 3
      await until('a new record', async () => {
        await clients.fill(topic, 1, 0, written++)
        return fromEnd.records.length > 0
      })
      assert.ok(Number(fromEnd.records[0]?.offset) >= 3)
    })

    test('Q2 · seek to any offset; pause and resume a partition', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(2)
      for (const partition of [0, 1]) await clients.fill(topic, 5, partition)
      const member = await clients.member({ groupId: unique('group') }, [topic])
      await member.has(10)
      member.records.length = 0
      member.consumer.seek({ topic, partition: 0, offset: '3' })
      assert.deepEqual(valuesOf(await member.has(2)), ['3', '4'])
      member.consumer.pause([{ topic, partitions: [0] }])
      member.records.length = 0
      await clients.fill(topic, 1, 0, 5)
      await clients.fill(topic, 1, 1, 5)
      await member.has(1)
      assert.deepEqual(member.consumer.paused(), [{ topic, partitions: [0] }])
      assert.deepEqual(
        member.records.map(({ partition }) => partition),
        [1],
      )
      member.consumer.resume([{ topic, partitions: [0] }])
      await member.has(2)
    })

    // A committed offset may point below what deletion left.
    test('G5 · an offset out of range starts over as told', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic()
      const groupId = unique('group')
      await clients.fill(topic, 10)
      const first = await clients.member({ groupId }, [topic], { autoCommit: false })
      await first.has(10)
      await first.consumer.commitOffsets([{ topic, partition: 0, offset: '2' }])
      await first.consumer.disconnect()
      assert.equal((await admin.fetchTopicOffsets(topic))[0]?.low, '0')
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '6' }] })
      const member = await clients.member({ groupId }, [topic])
      assert.deepEqual(valuesOf(await member.has(4)), ['6', '7', '8', '9'])
    })

    test('Q2 · a pattern finds the topics that match', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const other = await clients.topic()
      await clients.fill(topic, 2)
      await clients.fill(other, 2)
      const member = await clients.member({ groupId: unique('group') }, [new RegExp(`^${topic}$`)])
      await member.has(2)
      assert.deepEqual(Object.keys(member.assignment ?? {}), [topic])
    })

    test('Q8 · partitions that are added are handed out', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic(1)
      const member = await clients.member({ groupId: unique('group'), metadataMaxAge: 200 }, [topic])
      await until('one partition', () => member.owns(topic).length === 1)
      await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] })
      await until('three partitions', () => member.owns(topic).length === 3)
      await clients.fill(topic, 1, 2)
      await member.has(1)
    })

    test('Q6 · a waiting fetch is answered as soon as a record is there', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const member = await clients.member({ groupId: unique('group'), maxWaitTimeInMs: 20_000 }, [topic])
      await member.joined()
      await clients.fill(topic, 1)
      const before = performance.now()
      await member.has(1)
      assert.ok(performance.now() - before < 15_000, 'the answer came with the record, not with the end of the wait')
      // KafkaJS closes when its last fetch is answered: records do that sooner than the wait.
      let isClosed = false
      const closed = member.consumer.disconnect().then(() => {
        isClosed = true
      })
      await until('closed', async () => {
        await clients.fill(topic, 1)
        return isClosed
      })
      await closed
    })
  })
}
