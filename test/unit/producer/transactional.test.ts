/** `producer.transaction()`: what becomes of a transaction when its requests are refused, lost or late. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FanlaneError } from '../../../src/errors.ts'
import { openProducer, type Producer } from '../../../src/producer/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { FakeCluster } from './fake-cluster.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted

async function start(isImplicit: boolean): Promise<{ cluster: FakeCluster; producer: Producer }> {
  const cluster = new FakeCluster()
  cluster.features = { 'transaction.version': isImplicit ? 2 : 1 }
  const wire = Object.assign(cluster, { close: () => Promise.resolve() })
  const opening = openProducer(
    { brokers: 'x:1', transactionalId: 'id', deliveryTimeoutMs: 20_000 },
    { clock: cluster.clock, wire },
  )
  const producer = await cluster.during(opening)
  return { cluster, producer }
}

const sequence = (cluster: FakeCluster): string[] => {
  const left = new Set(['Metadata', 'FindCoordinator'])
  return cluster.seen.filter(({ api }) => !left.has(api)).map(({ api }) => api)
}

const offsets = { groupId: 'g', offsets: [{ topic: 'orders', partition: 0, offset: 1 }] }

for (const isImplicit of [false, true]) {
  describe(`${isImplicit ? 'implicit' : 'explicit'} flow`, () => {
    test('the requests, in order, and none for an empty transaction', async () => {
      const { cluster, producer } = await start(isImplicit)
      await cluster.during(producer.transaction(async () => undefined))
      await cluster.during(
        producer.transaction(async (tx) => {
          await tx.send({ topic: 'orders', value: 'a', partition: 0 })
          await tx.send({ topic: 'orders', value: 'b', partition: 0 })
          await tx.sendOffsets(offsets)
        }),
      )
      const wanted = isImplicit
        ? ['InitProducerId', 'Produce', 'Produce', 'TxnOffsetCommit', 'EndTxn']
        : ['InitProducerId', 'AddPartitionsToTxn', 'Produce', 'Produce', 'AddOffsetsToTxn', 'TxnOffsetCommit', 'EndTxn']
      assert.deepEqual(sequence(cluster), wanted)
    })

    test('nobody awaited anything: it is all in', async () => {
      const { cluster, producer } = await start(isImplicit)
      await cluster.during(
        producer.transaction(async (tx) => {
          void tx.send({ topic: 'orders', value: 'a', partition: 0 })
          void tx.sendOffsets(offsets)
        }),
      )
      assert.equal(sequence(cluster).at(-1), 'EndTxn')
      assert.ok(sequence(cluster).includes('TxnOffsetCommit'))
      assert.deepEqual(cluster.allValues(), ['a'])
    })

    test('what the coordinator still puts off when the work gives up is not asked again after the abort', async () => {
      const { cluster, producer } = await start(isImplicit)
      cluster.fate = ({ api }) =>
        api === 'AddPartitionsToTxn' || api === 'TxnOffsetCommit'
          ? { code: errorCodes.CONCURRENT_TRANSACTIONS }
          : 'deliver'
      const transaction = producer.transaction(async (tx) => {
        tx.send({ topic: 'orders', value: 'a', partition: 0 }).catch(() => undefined)
        tx.sendOffsets(offsets).catch(() => undefined)
        await new Promise<void>((resolve) => cluster.clock.at(cluster.clock.now() + 500, resolve))
        throw new Error('given up')
      })
      await assert.rejects(cluster.during(transaction), /given up/)
      assert.equal(sequence(cluster).at(-1), 'EndTxn')
      await cluster.clock.runUntil(cluster.clock.now() + 60_000)
      assert.equal(sequence(cluster).at(-1), 'EndTxn')
    })

    test('an end without an answer is asked for again; the next transaction has a new epoch', async () => {
      const { cluster, producer } = await start(isImplicit)
      let left = 2
      cluster.fate = ({ api }) => (api === 'EndTxn' && left-- > 0 ? 'lose-answer' : 'deliver')
      await cluster.during(producer.transaction((tx) => tx.send({ topic: 'orders', value: 'a', partition: 0 })))
      await cluster.during(producer.transaction((tx) => tx.send({ topic: 'orders', value: 'b', partition: 0 })))
      assert.equal(cluster.requests('EndTxn').length, 4)
      const names = cluster.arrived.map(({ producerId, epoch }) => `${producerId}/${epoch}`)
      assert.equal(new Set(names).size, 2)
      assert.equal(cluster.requests('InitProducerId').length, isImplicit ? 1 : 2)
    })

    test('offsets without an answer are not sent again: aborted, and told so', async () => {
      const { cluster, producer } = await start(isImplicit)
      cluster.fate = ({ api }) => (api === 'TxnOffsetCommit' ? 'lose-answer' : 'deliver')
      await assert.rejects(
        cluster.during(producer.transaction((tx) => tx.sendOffsets(offsets))),
        code('REQUEST_TIMEOUT'),
      )
      assert.equal(cluster.requests('TxnOffsetCommit').length, 1)
      assert.equal(cluster.requests('EndTxn')[0]?.body.committed, false)
    })

    test('nobody ever answers the end: unknown, and the next one begins with a new epoch', async () => {
      const { cluster, producer } = await start(isImplicit)
      cluster.fate = ({ api }) => (api === 'EndTxn' ? 'lose-request' : 'deliver')
      const transaction = producer.transaction((tx) => tx.send({ topic: 'orders', value: 'a', partition: 0 }))
      await assert.rejects(cluster.during(transaction), code('TRANSACTION_UNKNOWN'))
      cluster.fate = () => 'deliver'
      await cluster.during(producer.transaction((tx) => tx.send({ topic: 'orders', value: 'b', partition: 0 })))
      assert.equal(cluster.requests('InitProducerId').length, 2)
      assert.ok((cluster.requests('InitProducerId')[1]!.body.producerId as bigint) >= 0n, 'its own, raised')
    })

    test('the epoch is over and the coordinator knows why', async () => {
      const { cluster, producer } = await start(isImplicit)
      cluster.fate = ({ api }) => {
        if (api === 'Produce') return { code: errorCodes.INVALID_PRODUCER_EPOCH }
        return api === 'EndTxn' ? { code: errorCodes.PRODUCER_FENCED } : 'deliver'
      }
      const transaction = producer.transaction((tx) => tx.send({ topic: 'orders', value: 'a', partition: 0 }))
      await assert.rejects(cluster.during(transaction), code('PRODUCER_FENCED'))
      cluster.fate = () => 'deliver'
      const asked = cluster.seen.length
      await assert.rejects(
        producer.transaction(async () => undefined),
        code('PRODUCER_FENCED'),
      )
      assert.equal(cluster.seen.length, asked, 'it is silent from then on')
    })
  })
}

describe('a producer', () => {
  test('without a transactional id has no transactions, with one it has nothing else', async () => {
    const cluster = new FakeCluster()
    const wire = Object.assign(cluster, { close: () => Promise.resolve() })
    const plain = await openProducer({ brokers: 'x:1' }, { clock: cluster.clock, wire })
    await assert.rejects(
      plain.transaction(async () => undefined),
      code('TRANSACTIONAL_ID_NEEDED'),
    )
    await assert.rejects(plain.send({ topic: 'orders' } as never), code('RECORD_INVALID'))
    await cluster.during(plain.close())
    await assert.rejects(plain.send({ topic: 'orders', value: 'x' }), code('CLOSED'))
  })

  test('is not opened where the cluster refuses its id', async () => {
    const cluster = new FakeCluster()
    const wire = Object.assign(cluster, { close: () => Promise.resolve() })
    cluster.fate = ({ api }) =>
      api === 'InitProducerId' ? { code: errorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED } : 'deliver'
    await assert.rejects(
      cluster.during(openProducer({ brokers: 'x:1', transactionalId: 'id' }, { clock: cluster.clock, wire })),
      code('TRANSACTIONAL_ID_AUTHORIZATION_FAILED'),
    )
  })
})
