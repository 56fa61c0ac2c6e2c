/** Idempotence: order, sequence numbers, and what happens to them when things go wrong in the middle. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FanlaneError } from '../../../src/errors.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { Bench, FakeCluster, type Fate, type SeenBatch } from './fake-cluster.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted

const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`)

/** One batch per record, and the broker knows the producer already: five can be in flight. */
async function warm(options = {}, cluster = new FakeCluster()): Promise<Bench> {
  const bench = new Bench({ batchBytes: 1, ...options }, cluster)
  await cluster.during(bench.put('warm'))
  return bench
}

/** What reaches partition 0 of the log after the warming up. */
const written = (bench: Bench): readonly string[] => bench.cluster.values('orders', 0).slice(1)

/** The first batch with this value, `times` times. */
function strike(bench: Bench, value: string, refusal: number, times = 1): void {
  let left = times
  bench.cluster.fate = ({ api }): Fate =>
    api === 'Produce'
      ? { batch: ({ values }: SeenBatch) => (values.includes(value) && left-- > 0 ? { code: refusal } : undefined) }
      : 'deliver'
}

/** The request that carries this value meets this, once. */
function lose(bench: Bench, value: string, fate: 'lose-request' | 'lose-answer', times = 1): void {
  let left = times
  bench.cluster.fate = ({ api, body }) => {
    if (api !== 'Produce' || !JSON.stringify(valuesOf(body)).includes(`"${value}"`)) return 'deliver'
    return left-- > 0 ? fate : 'deliver'
  }
}

function valuesOf(body: Record<string, unknown>): string[] {
  const topics = body.topicData as { partitionData: { records: Buffer }[] }[]
  return topics.flatMap(({ partitionData }) =>
    partitionData.map(({ records }) => records.toString('latin1').match(/v\d+|warm/)?.[0] ?? ''),
  )
}

describe('X1 · five in flight', () => {
  test('batches of one partition overlap, up to five, in sequence', async () => {
    const bench = await warm()
    bench.cluster.delayMs = 20
    bench.cluster.mostUnanswered = 0
    const all = named(20).map((value) => bench.put(value))
    await bench.cluster.during(Promise.all(all))
    assert.equal(bench.cluster.mostUnanswered, 5)
    assert.deepEqual(written(bench), named(20))
    const sequences = bench.cluster.arrived.map(({ sequence }) => sequence)
    assert.deepEqual(
      sequences,
      sequences.map((_, n) => n),
    )
  })

  test('the first batch of a producer in a partition goes alone: a stranger’s number is never questioned', async () => {
    const bench = new Bench({ batchBytes: 1 })
    bench.cluster.delayMs = 20
    strike(bench, 'v0', errorCodes.NOT_ENOUGH_REPLICAS)
    await bench.cluster.during(Promise.all(named(10).map((value) => bench.put(value))))
    assert.deepEqual(bench.cluster.values('orders', 0), named(10))
    assert.equal(bench.cluster.arrived[0]?.values[0], 'v0')
    assert.equal(bench.cluster.arrived[1]?.values[0], 'v0')
  })

  test('after a long rest, too: it may have been forgotten', async () => {
    const bench = await warm()
    await bench.run(120_000)
    bench.cluster.delayMs = 20
    bench.cluster.mostUnanswered = 0
    const first = named(5).map((value) => bench.put(value))
    await bench.run(30)
    assert.equal(bench.cluster.mostUnanswered, 1)
    await bench.cluster.during(Promise.all(first))
    assert.deepEqual(written(bench), named(5))
  })

  const passing = {
    NOT_ENOUGH_REPLICAS: errorCodes.NOT_ENOUGH_REPLICAS,
    NOT_LEADER_OR_FOLLOWER: errorCodes.NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT: errorCodes.REQUEST_TIMED_OUT,
    OUT_OF_ORDER_SEQUENCE_NUMBER: errorCodes.OUT_OF_ORDER_SEQUENCE_NUMBER,
    UNKNOWN_PRODUCER_ID: errorCodes.UNKNOWN_PRODUCER_ID,
    INVALID_PRODUCER_EPOCH: errorCodes.INVALID_PRODUCER_EPOCH,
    PRODUCER_FENCED: errorCodes.PRODUCER_FENCED,
  }
  for (const [name, refusal] of Object.entries(passing)) {
    for (const at of [0, 2, 4]) {
      test(`${name} for number ${at} of five: in order, nothing lost, nothing twice`, async () => {
        const bench = await warm()
        bench.cluster.delayMs = 20
        strike(bench, `v${at}`, refusal, 2)
        await bench.cluster.during(Promise.all(named(12).map((value) => bench.put(value))), 60_000)
        assert.deepEqual(written(bench), named(12))
        assert.equal(bench.core.usedBytes, 0)
      })
    }
  }

  for (const fate of ['lose-request', 'lose-answer'] as const) {
    for (const at of [0, 3]) {
      test(`${fate} of number ${at}: sent again with the same numbers`, async () => {
        const bench = await warm()
        bench.cluster.delayMs = 20
        lose(bench, `v${at}`, fate, 2)
        const sent = named(12).map((value) => bench.put(value))
        await bench.cluster.during(Promise.all(sent), 60_000)
        assert.deepEqual(written(bench), named(12))
        const offsets = (await Promise.all(sent)).map(([result]) => result?.offset)
        assert.deepEqual(
          offsets,
          named(12).map((_, n) => n + 1),
        )
        const epochs = new Set(bench.cluster.arrived.map(({ producerId, epoch }) => `${producerId}/${epoch}`))
        assert.equal(epochs.size, 1)
      })
    }
  }

  test('an echo without an offset is a success', async () => {
    const bench = await warm()
    strike(bench, 'v0', errorCodes.DUPLICATE_SEQUENCE_NUMBER)
    assert.deepEqual(await bench.cluster.during(bench.put('v0')), [{ partition: 0, offset: -1 }])
  })

  test('the leader moves in the middle', async () => {
    const bench = await warm()
    bench.cluster.delayMs = 20
    const [partition] = bench.cluster.topics.get('orders')!
    bench.cluster.fate = ({ api, node }) =>
      api === 'Produce' && node !== partition!.leader ? { code: errorCodes.NOT_LEADER_OR_FOLLOWER } : 'deliver'
    const all = named(30).map((value) => bench.put(value))
    await bench.run(45)
    partition!.leader = 1
    await bench.cluster.during(Promise.all(all), 60_000)
    assert.deepEqual(written(bench), named(30))
    assert.ok(bench.cluster.requests('Produce').some(({ node }) => node === 1))
  })

  test('nobody leads for a while', async () => {
    const bench = await warm()
    const [partition] = bench.cluster.topics.get('orders')!
    partition!.leader = -1
    bench.cluster.fate = ({ api, node }) =>
      api === 'Produce' && node !== partition!.leader ? { code: errorCodes.NOT_LEADER_OR_FOLLOWER } : 'deliver'
    const all = named(3).map((value) => bench.put(value))
    await bench.run(5_000)
    partition!.leader = 0
    await bench.cluster.during(Promise.all(all), 10_000)
    assert.deepEqual(written(bench), named(3))
  })
})

describe('batches that are too large', () => {
  test('are split until they fit; the numbers are shared out, later batches keep theirs', async () => {
    const cluster = new FakeCluster()
    const bench = await warm({ batchBytes: 16_384 }, cluster)
    cluster.maxBatchBytes = 400
    const sent = bench.send(...named(40).map((value) => ({ value: value.padEnd(20), partition: 0 })))
    const after = bench.put('after')
    const results = await cluster.during(sent)
    await cluster.during(after)
    assert.deepEqual(
      written(bench).map((value) => value.trim()),
      [...named(40), 'after'],
    )
    assert.deepEqual(
      results.map(({ offset }) => offset),
      named(40).map((_, n) => n + 1),
    )
    assert.equal(bench.core.usedBytes, 0)
  })

  test('a record that is too large alone fails alone, with headers and keys of the others untouched', async () => {
    const cluster = new FakeCluster()
    const bench = await warm({ batchBytes: 16_384 }, cluster)
    cluster.maxBatchBytes = 400
    const small = bench.send({ value: 'a', key: 'k', headers: { h: 'x' }, partition: 0, timestamp: 5 })
    const large = bench.put('x'.repeat(1_000))
    const other = bench.put('b')
    await assert.rejects(cluster.during(large), code('MESSAGE_TOO_LARGE'))
    await cluster.during(Promise.all([small, other]))
    assert.deepEqual(written(bench), ['a', 'b'])
    await cluster.during(bench.put('c'))
    assert.deepEqual(written(bench), ['a', 'b', 'c'])
    const epochs = new Set(cluster.arrived.map(({ epoch }) => epoch))
    assert.equal(epochs.size, 1, 'the numbers of the refused one were given to those behind it')
  })

  test('in the middle of five in flight', async () => {
    const bench = await warm()
    bench.cluster.delayMs = 20
    strike(bench, 'v2', errorCodes.MESSAGE_TOO_LARGE)
    const sent = named(10).map((value) => bench.put(value))
    const outcomes = await bench.cluster.during(Promise.allSettled(sent))
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      named(10).map((_, n) => n !== 2),
    )
    assert.deepEqual(
      written(bench),
      named(10).filter((value) => value !== 'v2'),
    )
    assert.equal(new Set(bench.cluster.arrived.map(({ epoch }) => epoch)).size, 1, 'those behind it moved up')
  })
})

describe('records that are blamed one by one', () => {
  test('fail alone; the others are sent again', async () => {
    const bench = await warm({ batchBytes: 16_384 })
    let left = 1
    bench.cluster.fate = ({ api }) =>
      api === 'Produce'
        ? {
            batch: () =>
              left-- > 0
                ? {
                    code: errorCodes.INVALID_RECORD,
                    recordErrors: [1, 3].map((index) => ({ index, message: 'no key' })),
                  }
                : undefined,
          }
        : 'deliver'
    const sent = named(5).map((value) => bench.put(value))
    const outcomes = await bench.cluster.during(Promise.allSettled(sent))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    )
    assert.match(String((outcomes[1] as PromiseRejectedResult).reason.message), /no key/)
    assert.deepEqual(written(bench), ['v0', 'v2', 'v4'])
    await bench.cluster.during(bench.put('after'))
    assert.equal(bench.core.usedBytes, 0)
    assert.equal(new Set(bench.cluster.arrived.map(({ epoch }) => epoch)).size, 1)
  })

  test('nobody says which: it is found by halving', async () => {
    const bench = await warm({ batchBytes: 16_384 })
    strike(bench, 'v3', errorCodes.INVALID_RECORD, 100)
    const sent = named(8).map((value) => bench.put(value))
    const outcomes = await bench.cluster.during(Promise.allSettled(sent))
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      named(8).map((_, n) => n !== 3),
    )
    assert.deepEqual(
      written(bench),
      named(8).filter((value) => value !== 'v3'),
    )
  })
})

describe('deliveryTimeoutMs', () => {
  test('certainly not in: the numbers go to the next one', async () => {
    const bench = await warm({ deliveryTimeoutMs: 10_000 })
    bench.cluster.fate = ({ api }) => (api === 'Produce' ? { code: errorCodes.NOT_ENOUGH_REPLICAS } : 'deliver')
    const sent = named(3).map((value) => bench.put(value))
    const before = bench.cluster.clock.now()
    const outcomes = await bench.cluster.during(Promise.allSettled(sent))
    assert.ok(bench.cluster.clock.now() - before < 10_500)
    for (const outcome of outcomes) assert.ok(code('DELIVERY_TIMEOUT')((outcome as PromiseRejectedResult).reason))
    bench.cluster.fate = () => 'deliver'
    await bench.cluster.during(bench.put('after'))
    assert.deepEqual(written(bench), ['after'])
    assert.equal(bench.core.usedBytes, 0)
  })

  test('perhaps in: nobody knows the next number, so the epoch is raised', async () => {
    const bench = await warm({ deliveryTimeoutMs: 4_000 })
    lose(bench, 'v0', 'lose-answer', 100)
    await assert.rejects(bench.cluster.during(bench.put('v0')), code('DELIVERY_TIMEOUT'))
    bench.cluster.fate = () => 'deliver'
    await bench.run(10_000)
    await bench.cluster.during(bench.put('after'))
    assert.deepEqual(written(bench), ['v0', 'after'])
    const last = bench.cluster.arrived.at(-1)
    assert.equal(last?.epoch, 1)
    assert.equal(last?.sequence, 0)
  })

  test('one of five expires unanswered: those behind it find out what became of it', async () => {
    for (const fate of ['lose-request', 'lose-answer'] as const) {
      const bench = await warm({ deliveryTimeoutMs: 5_000 })
      bench.cluster.delayMs = 20
      lose(bench, 'v1', fate, 100)
      const first = ['v0', 'v1'].map((value) => bench.put(value))
      await bench.run(2_000)
      const later = ['v2', 'v3', 'v4'].map((value) => bench.put(value))
      const outcomes = await bench.cluster.during(Promise.allSettled([...first, ...later]), 60_000)
      assert.deepEqual(
        outcomes.map(({ status }) => status === 'fulfilled'),
        [true, false, true, true, true],
        fate,
      )
      const expected = fate === 'lose-answer' ? ['v0', 'v1', 'v2', 'v3', 'v4'] : ['v0', 'v2', 'v3', 'v4']
      assert.deepEqual(written(bench), expected, fate)
      await bench.run(20_000)
      await bench.cluster.during(bench.put('after'))
      assert.deepEqual(written(bench).at(-1), 'after')
    }
  })

  test('a request that is still unanswered then: its caller is told in time, the numbers wait for the answer', async () => {
    const bench = await warm({ deliveryTimeoutMs: 1_000 })
    bench.cluster.delayMs = 1_000
    const before = bench.cluster.clock.now()
    await assert.rejects(bench.cluster.during(bench.put('v0')), code('DELIVERY_TIMEOUT'))
    assert.equal(Math.round(bench.cluster.clock.now() - before), 1_000)
    bench.cluster.delayMs = 1
    await bench.run(5_000)
    await bench.cluster.during(bench.put('after'))
    assert.deepEqual(written(bench), ['v0', 'after'])
    assert.equal(bench.cluster.arrived.at(-1)?.epoch, 0)
    assert.equal(bench.core.usedBytes, 0)
  })

  test('what waits for room or for its topic expires, too', async () => {
    const bench = await warm({ deliveryTimeoutMs: 5_000, maxBufferBytes: 200, unknownTopicMs: 600_000 })
    bench.cluster.fate = ({ api }) => (api === 'Produce' ? 'lose-request' : 'deliver')
    const sent = [bench.put('x'.repeat(150)), bench.put('x'.repeat(150)), bench.send({ topic: 'nowhere' })]
    const outcomes = await bench.cluster.during(Promise.allSettled(sent), 20_000)
    for (const outcome of outcomes) assert.ok(code('DELIVERY_TIMEOUT')((outcome as PromiseRejectedResult).reason))
  })
})

describe('over a bad network', () => {
  for (let seed = 1; seed <= 60; seed++) {
    test(`X1 · in order, nothing missing, nothing twice (seed ${seed})`, async () => {
      const cluster = new FakeCluster(seed, { orders: 4 })
      const chance = cluster.clock.stream('faults')
      const codes = [
        errorCodes.NOT_LEADER_OR_FOLLOWER,
        errorCodes.NOT_ENOUGH_REPLICAS,
        errorCodes.REQUEST_TIMED_OUT,
        errorCodes.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        errorCodes.KAFKA_STORAGE_ERROR,
      ]
      cluster.fate = ({ api }) => {
        const draw = chance()
        if (draw < 0.1) return draw < 0.05 ? 'lose-request' : 'lose-answer'
        if (draw < 0.13) return { lateMs: chance() * 10_000 }
        if (api === 'Produce' && draw < 0.25) {
          return { batch: () => (chance() < 0.5 ? { code: codes[Math.floor(chance() * codes.length)]! } : undefined) }
        }
        return 'deliver'
      }
      cluster.maxBatchBytes = seed % 3 === 0 ? 500 : Number.POSITIVE_INFINITY
      const bench = new Bench(
        {
          batchBytes: 200 + Math.floor(chance() * 1_000),
          lingerMs: seed % 2 === 0 ? 0 : 10,
          maxBufferBytes: 20_000,
          compression: seed % 5,
          deliveryTimeoutMs: Number.POSITIVE_INFINITY,
        },
        cluster,
      )
      const wanted: string[][] = [[], [], [], []]
      const all: Promise<unknown>[] = []
      for (let n = 0; n < 300; n++) {
        const partition = Math.floor(chance() * 4)
        wanted[partition]!.push(`${n}`)
        all.push(bench.put(`${n}`, partition))
        if (chance() < 0.2) await bench.run(chance() * 50)
      }
      await cluster.during(Promise.all(all), 1_000_000)
      for (let partition = 0; partition < 4; partition++) {
        assert.deepEqual(cluster.values('orders', partition), wanted[partition])
      }
      assert.equal(bench.core.usedBytes, 0)
    })
  }

  for (let seed = 1; seed <= 40; seed++) {
    test(`failures and time-outs: what is told as written is, once and in order (seed ${seed})`, async () => {
      const cluster = new FakeCluster(seed, { orders: 2 })
      const chance = cluster.clock.stream('faults')
      cluster.fate = ({ api }) => {
        const draw = chance()
        if (api !== 'Produce') return draw < 0.05 ? 'lose-request' : 'deliver'
        if (draw < 0.15) return draw < 0.07 ? 'lose-request' : 'lose-answer'
        if (draw < 0.18) return { lateMs: chance() * 10_000 }
        if (draw < 0.3) {
          const codes = [
            errorCodes.TOPIC_AUTHORIZATION_FAILED,
            errorCodes.NOT_ENOUGH_REPLICAS,
            errorCodes.UNKNOWN_SERVER_ERROR,
          ]
          return { batch: () => (chance() < 0.5 ? { code: codes[Math.floor(chance() * 3)]! } : undefined) }
        }
        return 'deliver'
      }
      const bench = new Bench({ batchBytes: 300, deliveryTimeoutMs: 8_000 }, cluster)
      const acknowledged: { partition: number; value: string; offset: number }[] = []
      const all: Promise<unknown>[] = []
      for (let n = 0; n < 300; n++) {
        const partition = Math.floor(chance() * 2)
        const sent = bench.put(`${n}`, partition)
        all.push(
          sent.then(
            ([result]) => acknowledged.push({ partition, value: `${n}`, offset: result!.offset }),
            () => undefined,
          ),
        )
        if (chance() < 0.3) await bench.run(chance() * 200)
      }
      await cluster.during(Promise.all(all), 1_000_000)
      for (const { partition, value, offset } of acknowledged) {
        const log = cluster.values('orders', partition)
        assert.equal(log[offset], value, 'it is where it was told to be')
      }
      for (const partition of [0, 1]) {
        const log = cluster.values('orders', partition).map(Number)
        assert.equal(new Set(log).size, log.length, 'nothing twice')
        assert.deepEqual(
          log,
          log.toSorted((a, b) => a - b),
          'in order',
        )
      }
      // A request whose records were given up is waited for.
      await bench.run(10_000)
      assert.equal(bench.core.usedBytes, 0)
    })
  }
})
