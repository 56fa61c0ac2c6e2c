/** What @platformatic/kafka writes is what it reads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompressionAlgorithmValue } from '@platformatic/kafka'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, refusals } from './support.ts'

const codecs: readonly CompressionAlgorithmValue[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd']

export function platformaticProducing(target: Target): void {
  describe('producing', () => {
    for (const compression of codecs) {
      test(`Q4 · ${compression}: keys, values, headers and times come back as sent`, async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic()
        const timestamp = BigInt(Date.now() - 5000)
        const messages = Array.from({ length: 50 }, (_, i) => ({
          topic,
          partition: 0,
          key: `k${i % 5}`,
          value: `value ${i} ${'値'.repeat(i)}`,
          headers: { n: String(i), same: 'for all' },
          timestamp: timestamp + BigInt(i),
        }))
        const { offsets } = await clients.producer().send({ messages, compression, acks: -1 })
        assert.deepEqual(offsets, [{ topic, partition: 0, offset: 0n }])
        const read = await clients.read([topic], messages.length)
        for (const [i, sent] of messages.entries()) {
          const found = read[i]
          assert.equal(found?.offset, BigInt(i))
          assert.equal(found.key, sent.key)
          assert.equal(found.value, sent.value)
          assert.equal(found.timestamp, sent.timestamp)
          assert.deepEqual(Object.fromEntries(found.headers), sent.headers)
        }
      })
    }

    for (const acks of [0, 1, -1]) {
      test(`Q9 · acks=${acks}: in order`, async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic()
        const producer = clients.producer()
        for (let i = 0; i < 20; i++) {
          await producer.send({ messages: [{ topic, partition: 0, value: String(i) }], acks })
        }
        const read = await clients.read([topic], 20)
        assert.deepEqual(
          read.map(({ value }) => value),
          Array.from({ length: 20 }, (_, i) => String(i)),
        )
      })
    }

    test('X1 · an idempotent producer, many sends at once', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = clients.producer({ idempotent: true })
      await producer.initIdempotentProducer({})
      const sends = Array.from({ length: 30 }, (_, i) =>
        producer.send({ messages: [{ topic, partition: 0, value: String(i) }], acks: -1 }),
      )
      const results = await Promise.all(sends)
      const read = await clients.read([topic], 30)
      assert.equal(new Set(read.map(({ value }) => value)).size, 30)
      for (const [i, { offsets }] of results.entries()) {
        assert.equal(read.find(({ value }) => value === String(i))?.offset, offsets?.[0]?.offset)
      }
    })

    test('Q1 · tombstones and missing keys', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(1, { 'cleanup.policy': 'compact' })
      const producer = clients.producer()
      await producer.send({
        messages: [
          { topic, key: 'k', value: 'v' },
          { topic, key: 'k' },
        ],
      })
      const read = await clients.read([topic], 2)
      assert.deepEqual(
        read.map(({ key, value }) => [key, value ?? null]),
        [
          ['k', 'v'],
          ['k', null],
        ],
      )
      // A compacted topic takes no record without a key.
      const keyless = producer.send({ messages: [{ topic, value: 'v' }], acks: -1 })
      assert.ok((await refusals(keyless)).includes('INVALID_RECORD'))
    })

    test('Q1 · a topic comes into being when it is written to', async (t) => {
      const clients = new Clients(t, target)
      const topic = unique('auto')
      const producer = clients.producer({ autocreateTopics: true })
      await producer.send({ messages: [{ topic, value: '1' }], acks: -1 })
      await until('listed', async () => (await clients.admin().listTopics()).includes(topic))
    })

    test('Q9 · a batch above the limit is refused', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(1, { 'max.message.bytes': '2000' })
      const producer = clients.producer({ retries: 0 })
      const large = producer.send({ messages: [{ topic, value: 'x'.repeat(5000) }], acks: -1 })
      assert.deepEqual([...new Set(await refusals(large))], ['MESSAGE_TOO_LARGE'])
      await producer.send({ messages: [{ topic, value: 'small' }], acks: -1 })
      assert.equal((await clients.read([topic], 1))[0]?.value, 'small')
    })
  })
}
