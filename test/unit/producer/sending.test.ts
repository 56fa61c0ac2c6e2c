/** Batches: what travels together, when, and what callers are told. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FanlaneError } from '../../../src/errors.ts'
import { DeliveryError } from '../../../src/producer/ticket.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { Bench, FakeCluster } from './fake-cluster.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted

describe('what is sent together travels together', () => {
  test('one turn, one request per node, results in the order of the records', async () => {
    const bench = new Bench()
    await bench.cluster.during(bench.put('first'))
    const sent = bench.send({ value: 'a', partition: 2 }, { value: 'b', partition: 0 }, { value: 'c', partition: 2 })
    const alone = bench.put('d', 1)
    assert.deepEqual(await bench.cluster.during(sent), [
      { partition: 2, offset: 0 },
      { partition: 0, offset: 1 },
      { partition: 2, offset: 1 },
    ])
    assert.deepEqual(await bench.cluster.during(alone), [{ partition: 1, offset: 0 }])
    // Partitions 0 and 2 are led by node 0, partition 1 by node 1.
    assert.deepEqual(
      bench.cluster.requests('Produce').map(({ node }) => node),
      [0, 0, 1],
    )
  })

  test('Q5 · lingers until the time is over or the batch is full', async () => {
    const bench = new Bench({ lingerMs: 50, batchBytes: 1_000 })
    await bench.cluster.during(bench.put('first'))
    const before = bench.cluster.clock.now()
    const lingering = bench.put('a')
    await bench.run(40)
    const second = bench.put('b')
    await bench.cluster.during(Promise.all([lingering, second]))
    assert.ok(bench.cluster.clock.now() - before < 60, 'the second did not begin anew')
    assert.equal(bench.cluster.requests('Produce').length, 2)
    const full = bench.cluster.clock.now()
    await bench.cluster.during(bench.put('x'.repeat(1_000)))
    assert.ok(bench.cluster.clock.now() - full < 10)
  })

  test('many batches in a row, none forgotten while they linger', async () => {
    const bench = new Bench({ lingerMs: 5, batchBytes: 500 })
    const all: Promise<unknown>[] = []
    for (let index = 0; index < 500; index++) {
      all.push(bench.put(`v${index}`.padEnd(40)))
      if (index % 7 === 0) await bench.run(1)
    }
    await bench.cluster.during(Promise.all(all), 5_000)
    assert.equal(bench.cluster.allValues().length, 500)
  })

  test('flush() sends what lingers', async () => {
    const bench = new Bench({ lingerMs: 60_000 })
    const sent = bench.put('a')
    const before = bench.cluster.clock.now()
    await bench.cluster.during(bench.core.flush())
    assert.ok(bench.cluster.clock.now() - before < 100)
    assert.deepEqual(await sent, [{ partition: 0, offset: 0 }])
    assert.equal(bench.core.usedBytes, 0)
  })

  for (const [name, type] of Object.entries({ gzip: 1, snappy: 2, lz4: 3, zstd: 4 })) {
    test(`compressed with ${name}`, async () => {
      const bench = new Bench({ compression: type })
      await bench.cluster.during(
        bench.send(...Array.from({ length: 20 }, (_, n) => ({ value: `v${n}`, partition: 0 }))),
      )
      assert.equal(bench.cluster.arrived[0]?.compression, type)
      assert.equal(bench.cluster.values('orders', 0)[19], 'v19')
    })
  }

  test('nothing to send is sent at once', async () => {
    const bench = new Bench()
    assert.deepEqual(await bench.core.send([]), [])
  })
})

describe('topics that are not known', () => {
  test('are looked up, and nobody overtakes', async () => {
    const bench = new Bench()
    const all = Array.from({ length: 20 }, (_, n) => bench.put(`v${n}`))
    await bench.cluster.during(Promise.all(all))
    assert.equal(bench.cluster.requests('Metadata').length, 1)
    assert.deepEqual(
      bench.cluster.values('orders', 0),
      all.map((_, n) => `v${n}`),
    )
  })

  test('a topic that does not exist fails its own calls alone, and sends nothing of them', async () => {
    const bench = new Bench()
    const wrong = bench.send({ topic: 'ordres', value: 'a' }, { topic: 'orders', value: 'b' })
    const right = bench.put('c')
    await assert.rejects(bench.cluster.during(wrong), code('UNKNOWN_TOPIC_OR_PARTITION'))
    await bench.cluster.during(right)
    assert.deepEqual(bench.cluster.allValues(), ['c'])
  })

  test('a topic that appears in time is waited for', async () => {
    const bench = new Bench({ unknownTopicMs: 5_000 })
    const sent = bench.send({ topic: 'late' })
    await bench.run(1_000)
    bench.cluster.topics.set('late', new FakeCluster(1, { late: 1 }).topics.get('late')!)
    await bench.cluster.during(sent)
  })

  test('a partition that there is not is refused, after looking again', async () => {
    const bench = new Bench()
    await bench.cluster.during(bench.put('a'))
    await assert.rejects(bench.cluster.during(bench.put('b', 3)), code('RECORD_INVALID'))
    bench.cluster.topics.get('orders')?.push(new FakeCluster().topics.get('orders')![0]!)
    await bench.cluster.during(bench.put('c', 3))
    assert.deepEqual(bench.cluster.values('orders', 3), ['c'])
  })
})

describe('the buffer', () => {
  test('send() waits at maxBufferBytes, first come first served, and what is waited for is bounded', async () => {
    const bench = new Bench({ maxBufferBytes: 2_000, batchBytes: 500 })
    const order: number[] = []
    let most = 0
    const all = Array.from({ length: 200 }, (_, n) =>
      bench.put(`v${n}`.padEnd(64)).then(() => {
        order.push(n)
        most = Math.max(most, bench.core.usedBytes)
      }),
    )
    assert.ok(bench.core.usedBytes <= 2_000)
    await bench.cluster.during(Promise.all(all))
    assert.ok(most <= 2_000)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
    assert.equal(bench.core.usedBytes, 0)
    assert.deepEqual(
      bench.cluster.values('orders', 0).map((value) => value.trim()),
      order.map((n) => `v${n}`),
    )
  })

  test('one call larger than the buffer goes through it in pieces; one record larger than it goes alone', async () => {
    const bench = new Bench({ maxBufferBytes: 1_000 })
    const records = Array.from({ length: 100 }, (_, n) => ({ value: `v${n}`.padEnd(50), partition: 0 }))
    await bench.cluster.during(bench.send(...records))
    await bench.cluster.during(bench.put('x'.repeat(5_000)))
    assert.equal(bench.cluster.allValues().length, 101)
    assert.equal(bench.core.usedBytes, 0)
  })

  test('a full buffer does not linger', async () => {
    const bench = new Bench({ maxBufferBytes: 500, lingerMs: 60_000 })
    const all = Array.from({ length: 20 }, () => bench.put('x'.repeat(100)))
    await bench.cluster.during(Promise.all(all.slice(0, 16)), 10_000)
  })
})

describe('errors reach whom they concern', () => {
  test('of several records some are in: DeliveryError tells which', async () => {
    const bench = new Bench()
    await bench.cluster.during(bench.put('first'))
    bench.cluster.fate = ({ api }) =>
      api === 'Produce'
        ? { batch: ({ partition }) => (partition === 0 ? { code: errorCodes.TOPIC_AUTHORIZATION_FAILED } : undefined) }
        : 'deliver'
    const sent = bench.send({ value: 'a', partition: 0 }, { value: 'b', partition: 2 })
    await assert.rejects(bench.cluster.during(sent), (error: unknown) => {
      assert.ok(error instanceof DeliveryError)
      assert.equal(error.code, 'TOPIC_AUTHORIZATION_FAILED')
      assert.ok(error.results[0] instanceof FanlaneError)
      assert.deepEqual(error.results[1], { partition: 2, offset: 0 })
      return true
    })
    assert.equal(bench.core.usedBytes, 0)
    bench.cluster.fate = () => 'deliver'
    await bench.cluster.during(bench.put('c'))
    assert.deepEqual(bench.cluster.values('orders', 0), ['first', 'c'])
  })

  test('a batch that cannot be packed fails, and nothing else does', async () => {
    const bench = new Bench({ compression: 9 })
    await assert.rejects(bench.cluster.during(bench.put('a')), code('COMPRESSION_UNKNOWN'))
    await assert.rejects(bench.cluster.during(bench.put('b')), code('COMPRESSION_UNKNOWN'))
    assert.equal(bench.core.usedBytes, 0)
  })

  test('closing fails what is left', async () => {
    const bench = new Bench()
    bench.cluster.fate = ({ api }) => (api === 'Produce' ? 'lose-request' : 'deliver')
    const sent = bench.put('a')
    await bench.run(100)
    bench.core.close()
    await assert.rejects(sent, code('CLOSED'))
    await assert.rejects(bench.put('b'), code('CLOSED'))
    await bench.run(10_000)
    assert.equal(bench.core.usedBytes, 0)
  })

  test('no identity will ever be given: everybody is told', async () => {
    const cluster = new FakeCluster()
    cluster.fate = ({ api }) =>
      api === 'InitProducerId' ? { code: errorCodes.CLUSTER_AUTHORIZATION_FAILED } : 'deliver'
    const bench = new Bench({}, cluster)
    await assert.rejects(cluster.during(bench.put('a')), code('CLUSTER_AUTHORIZATION_FAILED'))
    cluster.fate = () => 'deliver'
    await cluster.during(bench.put('b'))
  })
})

describe('Q9 · acknowledgement levels', () => {
  test('0: sent is all that is known', async () => {
    const bench = new Bench({ acks: 0, idempotent: false })
    assert.deepEqual(await bench.cluster.during(bench.put('a')), [{ partition: 0, offset: -1 }])
    assert.deepEqual(bench.cluster.values('orders', 0), ['a'])
    assert.equal(bench.cluster.requests('InitProducerId').length, 0)
  })

  test('0: what could not be sent is sent again', async () => {
    const bench = new Bench({ acks: 0, idempotent: false })
    let tries = 0
    bench.cluster.fate = ({ api }) => (api === 'Produce' && ++tries < 3 ? 'lose-request' : 'deliver')
    await bench.cluster.during(bench.put('a'))
    assert.deepEqual(bench.cluster.values('orders', 0), ['a'])
  })

  for (const acks of [1, -1] as const) {
    test(`${acks}: asked for as such`, async () => {
      const bench = new Bench({ acks, idempotent: false })
      await bench.cluster.during(bench.put('a'))
      assert.equal(bench.cluster.requests('Produce')[0]?.body.acks, acks)
      assert.equal(bench.cluster.arrived[0]?.producerId, -1)
    })
  }

  test('not idempotent: one batch of a partition at a time, so that retries keep their order', async () => {
    const bench = new Bench({ idempotent: false, batchBytes: 1 })
    let count = 0
    bench.cluster.fate = ({ api }) =>
      api === 'Produce' && ++count % 3 === 0 ? { code: errorCodes.NOT_ENOUGH_REPLICAS } : 'deliver'
    const all = Array.from({ length: 30 }, (_, n) => bench.put(`v${n}`))
    await bench.cluster.during(Promise.all(all))
    assert.deepEqual(
      bench.cluster.values('orders', 0),
      all.map((_, n) => `v${n}`),
    )
  })
})
