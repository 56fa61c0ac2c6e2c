/** Reading with `consume()` over the wire: everything, once, in order within its key, and committed to the end. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ConsumedRecord } from '../../src/engines/handler.ts'
import { compressionTypes } from '../../src/protocol/record-batch/compression.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

export function reading(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  test('P2 R2 I1 I2 I3 · eight partitions: everything once, keys in order, every commit honest, the last one at the end', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 8)
    for (let partition = 0; partition < 8; partition++) await raw.fill(topic, partition, 250, 17)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const counts = Array.from({ length: 8 }, () => 250)
    const work = async ({ offset }: ConsumedRecord): Promise<void> => {
      for (let turns = offset % 5; turns > 0; turns--) await turn()
    }
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], concurrency: 64, work })
    await within('idle', consumer.idle())
    await consumer.close()
    await watch.stop()
    ledger.assertComplete(topic, counts, 'once')
    ledger.assertKeyOrder()
    const stored = await raw.stored(group)
    assert.equal(stored.length, 8)
    for (const { position, metadata } of stored) assert.deepEqual([position, metadata], [250, ''])
  })

  test('P8 · headers, null and empty keys, tombstones, timestamps: as they were written', async (t) => {
    const topic = unique('shapes')
    // Times of long ago: retention must not be faster than we are.
    await raw.createTopic(topic, 1, { 'retention.ms': '-1' })
    const written = [
      { key: null, value: 'no key', timestamp: 1_700_000_000_001 },
      { key: '', value: 'empty key', timestamp: 1_700_000_000_000 },
      { key: 'gone', value: null, timestamp: 1_700_000_000_005 },
      { key: 'empty', value: '', timestamp: 1_760_000_000_000 },
      {
        key: 'ключ-鍵',
        value: 'headers',
        timestamp: 1_760_000_000_000,
        headers: [
          ['a', Buffer.from('1')],
          ['a', Buffer.from('2')],
          ['null', null],
          ['', Buffer.alloc(0)],
        ],
      },
    ] as const
    await raw.produce(topic, 0, written)
    const seen: ConsumedRecord[] = []
    const { consumer } = await read(t, new Ledger(), {
      brokers,
      group: unique('group'),
      topics: [topic],
      order: 'partition',
      work: (record) => seen.push(record),
    })
    await within('idle', consumer.idle())
    const text = (bytes: Buffer | null): string | null => (bytes === null ? null : bytes.toString())
    assert.deepEqual(
      seen.map(({ key, value, timestamp }) => [text(key), text(value), timestamp]),
      [
        [null, 'no key', 1_700_000_000_001],
        ['', 'empty key', 1_700_000_000_000],
        ['gone', null, 1_700_000_000_005],
        ['empty', '', 1_760_000_000_000],
        ['ключ-鍵', 'headers', 1_760_000_000_000],
      ],
    )
    assert.deepEqual(
      seen[4]?.headers.map(({ key, value }) => [key, text(value)]),
      [
        ['a', '1'],
        ['a', '2'],
        ['null', null],
        ['', ''],
      ],
    )
    assert.deepEqual(seen[0]?.headers, [])
  })

  test('Q5 · batches of all four codecs, and of none', async (t) => {
    const topic = unique('codecs')
    await raw.createTopic(topic, 1)
    const records = Array.from({ length: 100 }, (_, at) => ({ key: `k${at % 7}`, value: `value ${at} `.repeat(40) }))
    const codecs = Object.entries(compressionTypes)
    for (const [, compression] of codecs) await raw.produce(topic, 0, records, { compression })
    const ledger = new Ledger()
    const sizes = new Set<number>()
    const { consumer } = await read(t, ledger, {
      brokers,
      group: unique('group'),
      topics: [topic],
      work: ({ value }) => sizes.add(value?.length ?? -1),
    })
    await within('idle', consumer.idle())
    ledger.assertComplete(topic, [100 * codecs.length], 'once')
    ledger.assertKeyOrder()
    assert.deepEqual([...sizes].sort(), [320, 360])
  })

  test('P7 · records of 5 MB, larger than a partition asks for at once and than the limit in bytes', async (t) => {
    const topic = unique('large')
    const group = unique('group')
    await raw.createTopic(topic, 1, { 'max.message.bytes': String(6 * 2 ** 20) })
    const large = Buffer.alloc(5 * 2 ** 20, 'x')
    for (let at = 0; at < 4; at++) {
      await raw.produce(topic, 0, [{ key: 'k', value: at % 2 === 0 ? large : `small ${at}` }])
    }
    const ledger = new Ledger()
    const lengths: number[] = []
    const { consumer } = await read(t, ledger, {
      brokers,
      group,
      topics: [topic],
      limits: { bytes: 2 ** 20 },
      work: ({ value }) => lengths.push(value?.length ?? -1),
    })
    await within('idle', consumer.idle())
    assert.deepEqual(lengths, [large.length, 7, large.length, 7])
    assert.equal(await raw.position(group, topic, 0), 4)
  })

  test('P2 · many tiny batches, more than fit into one answer', async (t) => {
    const topic = unique('tiny')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    const writes = Array.from({ length: 500 }, (_, at) =>
      raw.produce(topic, 0, [{ key: `k${at % 9}`, value: `${at}` }]),
    )
    await Promise.all(writes)
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], client: { partitionMaxBytes: 700 } })
    await within('idle', consumer.idle())
    ledger.assertComplete(topic, [500], 'once')
    ledger.assertKeyOrder()
    assert.equal(await raw.position(group, topic, 0), 500)
  })

  test('P2 · a log that begins above 0, inside a batch', async (t) => {
    const topic = unique('cut')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 100)
    await raw.deleteBefore(topic, 0, 37)
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic] })
    await within('idle', consumer.idle())
    const offsets = [...ledger.ended(topic, 0)].sort((a, b) => a - b)
    assert.deepEqual([offsets.length, offsets[0], offsets.at(-1)], [63, 37, 99])
    assert.equal(await raw.position(group, topic, 0), 100)
  })

  test('P2 I7 · holes that compaction left, at the end of batches too: the position passes them', async (t) => {
    const topic = unique('compact')
    const group = unique('group')
    await raw.createTopic(topic, 1, {
      'cleanup.policy': 'compact',
      'segment.ms': '1',
      'min.cleanable.dirty.ratio': '0',
      'delete.retention.ms': '0',
    })
    for (let round = 0; round < 4; round++) {
      const records = Array.from({ length: 20 }, (_, at) => ({ key: `k${(at + round) % 25}`, value: `${round}` }))
      await raw.produce(topic, 0, [...records, { key: 'again', value: `${round}` }])
    }
    // Segments are closed by the time of their records, and only closed ones are compacted.
    let timestamp = Date.now()
    await until('compaction has been there', async () => {
      timestamp += 1_000
      await raw.produce(topic, 0, [{ key: 'tick', value: 'tock', timestamp }])
      return (await raw.offsets(topic, 0)).filter((offset) => offset < 84).length < 30
    })
    const last = (await raw.offsets(topic, 0)).at(-1) ?? 0
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic] })
    await within('idle', consumer.idle())
    assert.equal(await raw.position(group, topic, 0), last + 1)
    const ended = ledger.ended(topic, 0)
    for (const offset of await raw.offsets(topic, 0)) assert.ok(ended.has(offset), `${offset} was lost`)
    assert.ok(ended.size <= last + 1 - 54)
  })

  test('Q1 · a topic that stamps records itself: all of a batch have the time of the broker', async (t) => {
    const topic = unique('stamped')
    await raw.createTopic(topic, 1, { 'message.timestamp.type': 'LogAppendTime' })
    const from = Date.now()
    await raw.produce(topic, 0, [
      { value: 'a', timestamp: 1 },
      { value: 'b', timestamp: 2 },
    ])
    const to = Date.now()
    const times: number[] = []
    const { consumer } = await read(t, new Ledger(), {
      brokers,
      group: unique('group'),
      topics: [topic],
      work: ({ timestamp }) => times.push(timestamp),
    })
    await within('idle', consumer.idle())
    assert.equal(times.length, 2)
    for (const time of times) assert.ok(time >= from - 50 && time <= to + 50, `${time} is between ${from} and ${to}`)
  })

  test('Q2 Q6 · a record that comes while the consumer waits is handled at once; two groups both get it', async (t) => {
    const topic = unique('live')
    await raw.createTopic(topic, 1)
    const ledger = new Ledger()
    const options = { brokers, topics: [topic], client: { fetchMaxWaitMs: 20_000 } }
    const one = await read(t, ledger, { ...options, member: 'one', group: unique('group') })
    const two = await read(t, ledger, { ...options, member: 'two', group: unique('group') })
    for (const { consumer } of [one, two]) await within('idle', consumer.idle())
    await raw.fill(topic, 0, 5)
    for (const member of ['one', 'two']) {
      await until(`${member} has all`, () => ledger.of('end', { member }).length === 5, 5_000)
    }
  })
}
