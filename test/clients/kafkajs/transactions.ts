/** KafkaJS's transactions: the first flow of the protocol, with AddPartitionsToTxn and AddOffsetsToTxn. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, valuesOf } from './support.ts'

export function kafkaJsTransactions(target: Target): void {
  describe('transactions', () => {
    test('X2 X6 · committed records are read, aborted ones only by who asks for them', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(2)
      const producer = await clients.producer({
        transactionalId: unique('tx'),
        maxInFlightRequests: 1,
        idempotent: true,
      })
      for (const outcome of ['commit', 'abort', 'commit'] as const) {
        const transaction = await producer.transaction()
        for (const partition of [0, 1]) {
          await transaction.send({ topic, messages: [1, 2].map((n) => ({ value: `${outcome} ${n}`, partition })) })
        }
        await transaction[outcome]()
      }
      const committed = await clients.member({ groupId: unique('group'), readUncommitted: false }, [topic])
      assert.deepEqual(new Set(valuesOf(await committed.has(8))), new Set(['commit 1', 'commit 2']))
      const dirty = await clients.member({ groupId: unique('group'), readUncommitted: true }, [topic])
      await dirty.has(12)
      assert.equal(valuesOf(dirty.records).filter((value) => value?.startsWith('abort')).length, 4)
      // Two records and a marker in each of three transactions.
      const admin = await clients.admin()
      assert.deepEqual(
        (await admin.fetchTopicOffsets(topic)).map(({ high }) => high),
        ['9', '9'],
      )
    })

    test('X6 · an open transaction holds readers of committed records back', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = await clients.producer({
        transactionalId: unique('tx'),
        maxInFlightRequests: 1,
        idempotent: true,
      })
      const open = await producer.transaction()
      await open.send({ topic, messages: [{ value: 'in the transaction' }] })
      await clients.fill(topic, 1)
      const dirty = await clients.member({ groupId: unique('group'), readUncommitted: true }, [topic])
      await dirty.has(2)
      const committed = await clients.member({ groupId: unique('group') }, [topic])
      await committed.joined()
      assert.deepEqual(valuesOf(committed.records), [])
      await open.commit()
      assert.deepEqual(valuesOf(await committed.has(2)), ['in the transaction', '0'])
    })

    test('X2 · offsets move with the transaction, or not at all', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic()
      const consumerGroupId = unique('group')
      const producer = await clients.producer({
        transactionalId: unique('tx'),
        maxInFlightRequests: 1,
        idempotent: true,
      })
      const committed = async (): Promise<string | undefined> =>
        (await admin.fetchOffsets({ groupId: consumerGroupId, topics: [topic] }))[0]?.partitions[0]?.offset
      for (const [outcome, expected] of [
        ['abort', '-1'],
        ['commit', '5'],
      ] as const) {
        const transaction = await producer.transaction()
        await transaction.send({ topic, messages: [{ value: outcome }] })
        await transaction.sendOffsets({
          consumerGroupId,
          topics: [{ topic, partitions: [{ partition: 0, offset: '5' }] }],
        })
        await transaction[outcome]()
        // The coordinator answers before its markers are written, and KafkaJS does not wait for stable offsets.
        await until(`${expected} after ${outcome}`, async () => (await committed()) === expected)
      }
    })

    test('X3 · a second producer with the same id fences the first', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const config = { transactionalId: unique('tx'), maxInFlightRequests: 1, idempotent: true }
      const zombie = await clients.producer(config)
      const open = await zombie.transaction()
      await open.send({ topic, messages: [{ value: 'zombie' }] })
      const successor = await clients.producer(config)
      const transaction = await successor.transaction()
      await transaction.send({ topic, messages: [{ value: 'successor' }] })
      await assert.rejects(open.commit(), /newer producer|fenced|invalid.*epoch|old epoch/i)
      await transaction.commit()
      const reader = await clients.member({ groupId: unique('group') }, [topic])
      assert.deepEqual(valuesOf(await reader.has(1)), ['successor'])
    })
  })
}
