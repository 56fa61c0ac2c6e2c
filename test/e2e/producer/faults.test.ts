/** The producer while connections are cut, answers are lost and brokers say no: nothing lost, nothing twice, nothing out of order. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { quickSettings } from '../../../scripts/kafka/settings.ts'
import { type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { FanlaneError } from '../../../src/errors.ts'
import type { ErrorName } from '../../../src/protocol/errors.ts'
import { type Flow, open, readAll, valuesOf } from './support.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`)
const config = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))

async function start(t: TestContext, topics: Record<string, number> = { orders: 2 }): Promise<RunningBroker> {
  const broker = await startBroker({ topics, config })
  t.after(() => broker.close())
  return broker
}

describe('X1 · idempotent over cut connections', () => {
  for (const drop of ['before', 'after'] as const) {
    test(`the connection is cut ${drop} the write, again and again`, async (t) => {
      const broker = await start(t)
      await using producer = await open(broker.brokers, { batchBytes: 200 })
      await producer.send({ topic: 'orders', value: 'first', partition: 0 })
      let count = 0
      const fault = broker.faults.inject({ api: 'Produce', drop, when: () => ++count % 7 === 0 })
      const all = numbered(1_000).flatMap((value) =>
        [0, 1].map((partition) => producer.send({ topic: 'orders', value, partition })),
      )
      const results = await Promise.all(all)
      assert.ok(fault.hits > 3)
      broker.faults.clear()
      assert.equal(results.at(-1)?.[0]?.offset, 999)
      const read = await readAll(broker.brokers, 'orders', 2)
      assert.deepEqual(valuesOf(read.filter(({ partition }) => partition === 0)), ['first', ...numbered(1_000)])
      assert.deepEqual(valuesOf(read.filter(({ partition }) => partition === 1)), numbered(1_000))
    })
  }

  const errors: readonly ErrorName[] = [
    'NOT_LEADER_OR_FOLLOWER',
    'NOT_ENOUGH_REPLICAS',
    'REQUEST_TIMED_OUT',
    'UNKNOWN_TOPIC_ID',
    'OUT_OF_ORDER_SEQUENCE_NUMBER',
    'UNKNOWN_PRODUCER_ID',
    'INVALID_PRODUCER_EPOCH',
  ]
  for (const error of errors) {
    test(`${error} every few requests`, async (t) => {
      const broker = await start(t)
      await using producer = await open(broker.brokers, { batchBytes: 150 })
      let count = 0
      const fault = broker.faults.inject({ api: 'Produce', error, when: () => ++count % 5 === 2 })
      await Promise.all(numbered(150).map((value) => producer.send({ topic: 'orders', value, partition: 0 })))
      assert.ok(fault.hits > 3)
      broker.faults.clear()
      assert.deepEqual(valuesOf(await readAll(broker.brokers, 'orders', 2)), numbered(150))
    })
  }

  test('the broker is away for a while', async (t) => {
    const broker = await start(t)
    await using producer = await open(broker.brokers)
    await producer.send({ topic: 'orders', value: 'first', partition: 0 })
    const fault = broker.faults.inject({ drop: 'before' })
    const all = numbered(100).map((value) => producer.send({ topic: 'orders', value, partition: 0 }))
    setTimeout(() => fault.remove(), 700)
    await Promise.all(all)
    assert.deepEqual(valuesOf(await readAll(broker.brokers, 'orders', 2)), ['first', ...numbered(100)])
  })

  test('a slow broker and a short deliveryTimeoutMs: told in time, and the next ones are in order', async (t) => {
    const broker = await start(t)
    await using producer = await open(broker.brokers, { deliveryTimeoutMs: 300 })
    await producer.send({ topic: 'orders', value: 'first', partition: 0 })
    broker.faults.inject({ api: 'Produce', delayMs: 700, times: 1 })
    await assert.rejects(producer.send({ topic: 'orders', value: 'slow', partition: 0 }), code('DELIVERY_TIMEOUT'))
    // Behind the slow one on the same connection, so perhaps too late itself.
    const outcomes = await Promise.allSettled(
      numbered(5).map((value) => producer.send({ topic: 'orders', value, partition: 0 })),
    )
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await producer.send({ topic: 'orders', value: 'after', partition: 0 })
    const values = valuesOf(await readAll(broker.brokers, 'orders', 2))
    assert.equal(new Set(values).size, values.length, 'nothing twice')
    for (const [n, { status }] of outcomes.entries()) if (status === 'fulfilled') assert.ok(values.includes(`v${n}`))
    assert.equal(values.at(-1), 'after')
  })

  test('close() returns in time although nobody answers', async (t) => {
    const broker = await start(t)
    const producer = await open(broker.brokers)
    broker.faults.inject({ api: 'Produce', drop: 'before' })
    const sent = producer.send({ topic: 'orders', value: 'lost' })
    sent.catch(() => undefined)
    const before = performance.now()
    await producer.close({ timeoutMs: 300 })
    assert.ok(performance.now() - before < 2_000)
    await assert.rejects(sent, code('CLOSED'))
    await assert.rejects(producer.send({ topic: 'orders', value: 'x' }), code('CLOSED'))
  })
})

for (const flow of ['explicit', 'implicit'] as const) transactionFaults(flow)

function transactionFaults(flow: Flow): void {
  describe(`X4 · transactions when things go wrong, ${flow} flow`, () => {
    const apis = flow === 'explicit' ? ['AddPartitionsToTxn', 'AddOffsetsToTxn'] : []
    for (const api of [...apis, 'Produce', 'TxnOffsetCommit', 'EndTxn', 'FindCoordinator', 'InitProducerId']) {
      for (const drop of ['before', 'after'] as const) {
        test(`${api} cut ${drop}: each transaction is in once, or not at all`, async (t) => {
          const broker = await start(t)
          const fault = broker.faults.inject({ api, drop, times: 1 })
          await using producer = await open(broker.brokers, { transactionalId: 'id' }, flow)
          const wanted: string[] = []
          let attempts = 0
          for (let round = 0; round < 4; round++) {
            for (let isDone = false; !isDone; ) {
              assert.ok(++attempts < 12)
              // Again and again until it is in, as a user would.
              isDone = await producer
                .transaction(async (tx) => {
                  await tx.send([0, 1].map((partition) => ({ topic: 'orders', value: `round-${round}`, partition })))
                  await tx.sendOffsets({ groupId: 'g', offsets: [{ topic: 'orders', partition: 0, offset: round }] })
                })
                .then(
                  () => true,
                  (error: unknown) => {
                    assert.ok(error instanceof FanlaneError && error.retriable, String(error))
                    return false
                  },
                )
            }
            wanted.push(`round-${round}`)
          }
          assert.equal(fault.hits, 1)
          const read = await readAll(broker.brokers, 'orders', 2)
          for (const partition of [0, 1]) {
            assert.deepEqual(valuesOf(read.filter((each) => each.partition === partition)), wanted)
          }
        })
      }
    }

    const refusals: readonly [string, ErrorName][] = [
      ['EndTxn', 'CONCURRENT_TRANSACTIONS'],
      ['EndTxn', 'NOT_COORDINATOR'],
      ['EndTxn', 'COORDINATOR_LOAD_IN_PROGRESS'],
      ['TxnOffsetCommit', 'NOT_COORDINATOR'],
      ['Produce', 'NOT_ENOUGH_REPLICAS'],
      ['InitProducerId', 'CONCURRENT_TRANSACTIONS'],
    ]
    for (const [api, error] of refusals) {
      test(`${api} answered with ${error}: asked again`, async (t) => {
        const broker = await start(t)
        const fault = broker.faults.inject({ api, error, times: 2 })
        await using producer = await open(broker.brokers, { transactionalId: 'id' }, flow)
        await producer.transaction(async (tx) => {
          await tx.send({ topic: 'orders', value: 'a', partition: 0 })
          await tx.sendOffsets({ groupId: 'g', offsets: [{ topic: 'orders', partition: 0, offset: 1 }] })
        })
        assert.equal(fault.hits, 2)
        assert.deepEqual(valuesOf(await readAll(broker.brokers, 'orders', 2)), ['a'])
      })
    }

    test('UNKNOWN_SERVER_ERROR, and batches in line behind it: told at once, and the next transaction is in', async (t) => {
      const broker = await start(t)
      const options = { transactionalId: 'unclear', batchBytes: 200, deliveryTimeoutMs: 20_000 }
      await using producer = await open(broker.brokers, options, flow)
      let sent: Promise<unknown>[] = []
      await assert.rejects(
        producer.transaction(async (tx) => {
          await tx.send({ topic: 'orders', value: 'before', partition: 0 })
          broker.faults.inject({ api: 'Produce', error: 'UNKNOWN_SERVER_ERROR', times: 1 })
          sent = numbered(200).map((value) => tx.send({ topic: 'orders', value, partition: 0 }))
        }),
        code('UNKNOWN_SERVER_ERROR'),
      )
      const reasons = (await Promise.allSettled(sent)).map((each) => (each as PromiseRejectedResult).reason?.code)
      assert.equal(reasons.at(-1), 'TRANSACTION_ABORTED')
      assert.ok(!reasons.includes('DELIVERY_TIMEOUT'))
      await producer.transaction((tx) => tx.send({ topic: 'orders', value: 'after', partition: 0 }))
      assert.deepEqual(valuesOf(await readAll(broker.brokers, 'orders', 2)), ['after'])
    })

    test('a transaction that took too long is not in', async (t) => {
      const broker = await start(t)
      await using producer = await open(broker.brokers, { transactionalId: 'id', transactionTimeoutMs: 300 }, flow)
      await assert.rejects(
        producer.transaction(async (tx) => {
          await tx.send({ topic: 'orders', value: 'slow', partition: 0 })
          await new Promise((resolve) => setTimeout(resolve, 1_500))
          await tx.send({ topic: 'orders', value: 'too late', partition: 0 })
        }),
        FanlaneError,
      )
      // With epochs that the cluster raises, it can tell our own slowness from another producer; without, it cannot.
      const next = producer.transaction((tx) => tx.send({ topic: 'orders', value: 'next', partition: 0 }))
      if (flow === 'explicit') await assert.rejects(next, code('PRODUCER_FENCED'))
      else await next
      assert.deepEqual(valuesOf(await readAll(broker.brokers, 'orders', 2)), flow === 'explicit' ? [] : ['next'])
    })

    test('300 full maps go into one transaction', async (t) => {
      const broker = await start(t, { orders: 300 })
      await using producer = await open(broker.brokers, { transactionalId: 'id' }, flow)
      const metadata = '字'.repeat(4_000)
      const offsets = Array.from({ length: 300 }, (_, partition) => ({
        topic: 'orders',
        partition,
        offset: 5,
        metadata,
      }))
      await producer.transaction((tx) => tx.sendOffsets({ groupId: 'g', offsets }))
    })
  })
}
