/** Where reading begins and how it is moved: start policies, offsets out of range, seek, partitions by name. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

export function positions(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target
  const hour = 3_600_000
  const noon = Date.now() - 24 * hour

  /** Ten records, one every hour since noon of yesterday. */
  const clockwork = async (): Promise<{ topic: string; group: string }> => {
    const topic = unique('clock')
    await raw.createTopic(topic, 1)
    for (let at = 0; at < 10; at++) {
      await raw.produce(topic, 0, [{ key: `k${at}`, value: `${at}`, timestamp: noon + at * hour }])
    }
    return { topic, group: unique('group') }
  }
  const numbers = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from }, (_, at) => from + at)
  const sorted = (offsets: Iterable<number>): readonly number[] => [...offsets].sort((a, b) => a - b)

  for (const [name, startFrom, first] of [
    ['earliest', 'earliest', 0],
    ['latest', 'latest', 10],
    ['the time of a record', { timestamp: noon + 4 * hour }, 4],
    ['a time between two', { timestamp: noon + 4 * hour + 1 }, 5],
    ['a time before all', { timestamp: 0 }, 0],
    ['a time after all', { timestamp: noon + 12 * hour }, 10],
  ] as const) {
    test(`G5 · nothing is committed, startFrom is ${name}: begins at ${first}`, async (t) => {
      const { topic, group } = await clockwork()
      const ledger = new Ledger()
      const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], startFrom })
      await within('idle', consumer.idle())
      await raw.produce(topic, 0, [{ key: 'late', value: 'late', timestamp: noon + 11 * hour }])
      await until('the new one is done', () => ledger.ended(topic, 0).has(10))
      assert.deepEqual(sorted(ledger.ended(topic, 0)), numbers(first, 11))
    })
  }

  test("G5 · nothing is committed, startFrom is 'fail': it stops and says so", async (t) => {
    const { topic, group } = await clockwork()
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], startFrom: 'fail' })
    await within('it stops', assert.rejects(consumer.closed, { code: 'NO_COMMITTED_OFFSET' }))
    assert.deepEqual(ledger.entries, [])
    assert.deepEqual(await raw.stored(group), [])
  })

  test("G5 · startFrom 'latest' is for a group without offsets: what is committed counts", async (t) => {
    const { topic, group } = await clockwork()
    await raw.store(group, [{ topic, partition: 0, position: 6, metadata: '' }])
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], startFrom: 'latest' })
    await within('idle', consumer.idle())
    assert.deepEqual(sorted(ledger.ended(topic, 0)), [6, 7, 8, 9])
  })

  for (const [name, startFrom, first] of [
    ['earliest', 'earliest', 5],
    ['latest', 'latest', 10],
    ['a time', { timestamp: noon + 7 * hour }, 7],
    ['a time that is gone', { timestamp: noon + 2 * hour }, 5],
  ] as const) {
    test(`G5 · the committed offset was deleted, startFrom is ${name}: begins at ${first}`, async (t) => {
      const { topic, group } = await clockwork()
      await raw.store(group, [{ topic, partition: 0, position: 3, metadata: '' }])
      await raw.deleteBefore(topic, 0, 5)
      const ledger = new Ledger()
      const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], startFrom })
      await within('idle', consumer.idle())
      assert.deepEqual(sorted(ledger.ended(topic, 0)), numbers(first, 10))
      assert.equal(await raw.position(group, topic, 0), 10)
    })
  }

  test("G5 · the committed offset is out of range, startFrom is 'fail': it stops and says so", async (t) => {
    for (const position of [3, 99]) {
      const { topic, group } = await clockwork()
      await raw.store(group, [{ topic, partition: 0, position, metadata: '' }])
      await raw.deleteBefore(topic, 0, 5)
      const ledger = new Ledger()
      const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], startFrom: 'fail' })
      await within('it stops', assert.rejects(consumer.closed, { code: 'OFFSET_OUT_OF_RANGE' }))
      assert.equal(await raw.position(group, topic, 0), position, 'and changes nothing')
    }
  })

  test('G5 P2 · records are deleted in front of a reader that is slow: it goes on behind them', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    for (let at = 0; at < 60; at++) await raw.produce(topic, 0, [{ key: 'k', value: `${at}` }])
    const ledger = new Ledger()
    const released = Promise.withResolvers<void>()
    const { consumer } = await read(t, ledger, {
      brokers,
      group,
      topics: [topic],
      limits: { records: 4 },
      client: { partitionMaxBytes: 300 },
      work: ({ offset }) => (offset === 0 ? released.promise : undefined),
    })
    await until('it has begun', () => ledger.of('start').length === 1)
    await raw.deleteBefore(topic, 0, 50)
    released.resolve()
    await within('idle', consumer.idle())
    const ended = sorted(ledger.ended(topic, 0))
    assert.deepEqual(ended.slice(-10), numbers(50, 60))
    assert.ok(ended.length < 60)
    assert.equal(await raw.position(group, topic, 0), 60)
  })

  test('Q2 · seek by offset and by time, back and forth', async (t) => {
    const { topic, group } = await clockwork()
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], order: 'partition' })
    const seen = async (): Promise<readonly number[]> => {
      await within('idle', consumer.idle())
      return ledger.of('end').map(({ offset }) => offset)
    }
    assert.equal((await seen()).length, 10)
    await consumer.seek({ topic, partition: 0, offset: 8 })
    assert.deepEqual((await seen()).slice(10), [8, 9])
    await consumer.seek({ topic, partition: 0, timestamp: noon + 7 * hour })
    assert.deepEqual((await seen()).slice(12), [7, 8, 9])
    await consumer.seek({ topic, partition: 0, timestamp: noon + 40 * hour })
    await raw.produce(topic, 0, [{ key: 'k', value: '10' }])
    assert.deepEqual((await seen()).slice(15), [10])
    assert.equal(await raw.position(group, topic, 0), 11)
    await assert.rejects(consumer.seek({ topic, partition: 5, offset: 0 }), { code: 'CONTROL_REFUSED' })
  })

  test('Q2 · partitions by name, without a group: no membership, nothing is committed', async (t) => {
    const topic = unique('named')
    await raw.createTopic(topic, 3)
    for (let partition = 0; partition < 3; partition++) await raw.fill(topic, partition, 10)
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, {
      brokers,
      partitions: [
        { topic, partition: 0 },
        { topic, partition: 2, offset: 7 },
      ],
    })
    await within('idle', consumer.idle())
    assert.deepEqual(sorted(ledger.ended(topic, 0)), numbers(0, 10))
    assert.deepEqual(sorted(ledger.ended(topic, 1)), [])
    assert.deepEqual(sorted(ledger.ended(topic, 2)), [7, 8, 9])
  })

  test('Q2 G6 · partitions by name, with a group: offsets are kept there and found again', async (t) => {
    const topic = unique('named')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 10)
    const ledger = new Ledger()
    const options = { brokers, group, partitions: [{ topic, partition: 1 }] }
    const first = await read(t, ledger, { ...options, member: 'first' })
    await within('idle', first.consumer.idle())
    await first.consumer.close()
    assert.deepEqual(
      (await raw.stored(group)).map(({ partition, position }) => [partition, position]),
      [[1, 10]],
    )
    await raw.fill(topic, 1, 5, 10, 10)
    const second = await read(t, ledger, { ...options, member: 'second' })
    await within('idle', second.consumer.idle())
    assert.deepEqual(
      ledger
        .of('end', { member: 'second' })
        .map(({ offset }) => offset)
        .sort(),
      numbers(10, 15),
    )
    assert.deepEqual(await raw.members(group), [])
  })
}
