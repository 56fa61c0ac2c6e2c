/** What KafkaJS writes is what KafkaJS reads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import kafkajs from 'kafkajs'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, text, valuesOf } from './support.ts'

const { CompressionTypes, KafkaJSProtocolError } = kafkajs

export function kafkaJsProducing(target: Target): void {
  describe('producing', () => {
    for (const acks of [0, 1, -1]) {
      for (const [name, compression] of [
        ['no compression', CompressionTypes.None],
        ['gzip', CompressionTypes.GZIP],
      ] as const) {
        // acks=0 has no answer: a broker that sends one shifts every later answer on that connection by one.
        test(`Q9 · acks=${acks}, ${name}: in order, and offsets are told`, async (t) => {
          const clients = new Clients(t, target)
          const topic = await clients.topic()
          const producer = await clients.producer({ maxInFlightRequests: 1 })
          for (const part of [0, 1, 2]) {
            const messages = Array.from({ length: 10 }, (_, i) => ({ value: `${part * 10 + i}` }))
            const [answer] = await producer.send({ topic, acks, compression, messages })
            if (acks !== 0) assert.equal(answer?.baseOffset, String(part * 10))
          }
          const reader = await clients.member({ groupId: unique('group') }, [topic])
          assert.deepEqual(
            valuesOf(await reader.has(30)),
            Array.from({ length: 30 }, (_, i) => `${i}`),
          )
        })
      }
    }

    // An empty key, no key, an empty value and a tombstone are four different things.
    test('Q4 · keys, values, headers and times come back byte for byte', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = await clients.producer()
      const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
      const timestamp = String(Date.now() - 5000)
      const messages = [
        { key: 'plain', value: 'text', headers: { a: '1', b: Buffer.from([0, 255]) }, timestamp },
        { key: every, value: every, timestamp },
        { key: '', value: '', timestamp },
        { key: 'tombstone', value: null, timestamp },
        { value: 'no key', headers: { many: ['x', 'y'] }, timestamp },
        { key: 'größe', value: '値', timestamp },
      ]
      await producer.send({ topic, messages })
      const read = await (await clients.member({ groupId: unique('group') }, [topic])).has(messages.length)
      assert.deepEqual(
        read.map(({ key, value }) => [key === null ? null : Buffer.from(key), value && Buffer.from(value)]),
        messages.map(({ key, value }) => [
          key === undefined ? null : Buffer.from(key),
          value === null ? null : Buffer.from(value),
        ]),
      )
      assert.deepEqual(
        read.map((record) => record.timestamp),
        messages.map(() => timestamp),
      )
      assert.equal(text(read[0]?.headers?.a as Buffer), '1')
      assert.deepEqual(read[0]?.headers?.b, Buffer.from([0, 255]))
      assert.deepEqual(read[4]?.headers?.many, [Buffer.from('x'), Buffer.from('y')])
    })

    // Murmur2 over the key: two clients that disagree tear a key's records apart.
    test('Q1 · the key picks the same partition as Kafka’s own clients', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(6)
      const producer = await clients.producer()
      const keys = ['a', 'b', 'order-1', 'order-2', 'größe']
      await producer.send({ topic, messages: keys.map((key) => ({ key, value: key })) })
      // KafkaJS may write a record twice where a topic is fresh and a leader not yet known to all: count keys, not records.
      const { records } = await clients.member({ groupId: unique('group') }, [topic])
      await until('all keys are read', () => new Set(records.map(({ key }) => text(key))).size === keys.length)
      const found = Object.fromEntries(records.map(({ key, partition }) => [text(key), partition]))
      // As Utils.toPositive(Utils.murmur2(key)) % 6 of the Java client gives.
      assert.deepEqual(found, javaPartitionsOfSix)
    })

    test('Q1 · several topics in one request', async (t) => {
      const clients = new Clients(t, target)
      const topics = [await clients.topic(2), await clients.topic(1)]
      const producer = await clients.producer()
      await producer.sendBatch({
        topicMessages: topics.map((topic) => ({ topic, messages: [{ value: `${topic} 1` }, { value: `${topic} 2` }] })),
      })
      const read = await (await clients.member({ groupId: unique('group') }, topics)).has(4)
      assert.deepEqual(valuesOf(read).sort(), topics.flatMap((topic) => [`${topic} 1`, `${topic} 2`]).sort())
    })

    test('X1 · an idempotent producer, several requests at once', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = await clients.producer({ idempotent: true, maxInFlightRequests: 5 })
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          producer.send({ topic, messages: [{ value: `${i}` }, { value: `${i}+` }] }),
        ),
      )
      const read = await (await clients.member({ groupId: unique('group') }, [topic])).has(60)
      assert.equal(new Set(valuesOf(read)).size, 60)
      assert.deepEqual(
        read.map(({ offset }) => Number(offset)),
        Array.from({ length: 60 }, (_, i) => i),
      )
    })

    test('Q1 · a topic comes into being when it is written to', async (t) => {
      const clients = new Clients(t, target)
      const topic = unique('auto')
      const producer = await clients.producer({ allowAutoTopicCreation: true })
      const [answer] = await producer.send({ topic, messages: [{ value: '1' }] })
      assert.equal(answer?.baseOffset, '0')
      const admin = await clients.admin()
      assert.ok((await admin.listTopics()).includes(topic))
    })

    // A batch above the limit is refused whole; what came before and after it stays.
    test('Q9 · a record above the limit is refused, and the producer goes on', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic(1, { 'max.message.bytes': '2000' })
      const producer = await clients.producer()
      await producer.send({ topic, messages: [{ value: 'before' }] })
      await assert.rejects(
        producer.send({ topic, messages: [{ value: 'x'.repeat(5000) }] }),
        (error: Error) => error instanceof KafkaJSProtocolError && error.type === 'MESSAGE_TOO_LARGE',
      )
      await producer.send({ topic, messages: [{ value: 'after' }] })
      const read = await (await clients.member({ groupId: unique('group') }, [topic])).has(2)
      assert.deepEqual(valuesOf(read), ['before', 'after'])
    })

    test('Q9 · large records and a large batch', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = await clients.producer()
      const large = Buffer.alloc(900_000, 'x')
      await producer.send({ topic, messages: [{ value: large }] })
      await producer.send({ topic, messages: Array.from({ length: 5000 }, (_, i) => ({ value: `${i}` })) })
      const read = await (await clients.member({ groupId: unique('group') }, [topic])).has(5001)
      assert.ok(read[0]?.value?.equals(large))
      assert.equal(text(read[5000]?.value), '4999')
    })
  })
}

const javaPartitionsOfSix = { a: 4, b: 2, 'order-1': 4, 'order-2': 3, größe: 2 }
