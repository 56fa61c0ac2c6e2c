/** The producer on a real broker, whichever it is. */
import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { describe, test } from 'node:test'
import { FanlaneError } from '../../../src/errors.ts'
import { murmur2 } from '../../../src/producer/murmur2.ts'
import { offsetFetchApi } from '../../../src/protocol/generated/09-offset-fetch.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { RawClient } from '../../support/raw-client.ts'
import { type Target, unique } from '../../support/targets.ts'
import { createTopic, type Flow, open, readAll, valuesOf } from './support.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`)

export function producerSuite({ brokers }: Target): void {
  describe('sending', () => {
    test('what goes in comes out: keys, values, tombstones, headers, times, partitions', async () => {
      const topic = await createTopic(brokers, 3)
      await using producer = await open(brokers)
      const results = await producer.send([
        {
          topic,
          key: 'k',
          value: 'text',
          headers: { one: '1', two: Buffer.from('2'), none: null },
          timestamp: 1_700_000_000_000,
        },
        {
          topic,
          key: Buffer.from('k'),
          value: Buffer.from([0, 255]),
          headers: [
            ['h', 'a'],
            ['h', 'b'],
          ],
        },
        { topic, key: 'gone', value: null },
        { topic, value: 'to two', partition: 2 },
        { topic, key: '', value: 'empty key' },
      ])
      const partitionOf = (key: string): number => (murmur2(Buffer.from(key)) & 0x7fffffff) % 3
      assert.deepEqual(
        results.map(({ partition }) => partition),
        [partitionOf('k'), partitionOf('k'), partitionOf('gone'), 2, partitionOf('')],
      )
      const read = await readAll(brokers, topic, 3)
      const at = (index: number) =>
        read.find(
          ({ partition, offset }) =>
            partition === results[index]!.partition && Number(offset) === results[index]!.offset,
        )!
      assert.equal(String(at(0).key), 'k')
      assert.equal(String(at(0).value), 'text')
      assert.equal(at(0).timestamp, '1700000000000')
      assert.equal(String(at(0).headers?.one), '1')
      assert.equal(String(at(0).headers?.two), '2')
      assert.deepEqual(at(1).value, Buffer.from([0, 255]))
      assert.equal(String(at(1).headers?.h), 'a,b')
      assert.equal(at(2).value, null)
      assert.equal(String(at(3).value), 'to two')
      assert.equal(at(3).key, null)
      assert.equal(at(4).key?.length, 0)
    })

    test('Q1 · KafkaJS puts the same keys into the same partitions', async () => {
      const topic = await createTopic(brokers, 7)
      const keys = Array.from({ length: 100 }, (_, n) => `key-${n}-${n * 7919}`)
      await using producer = await open(brokers)
      const ours = await producer.send(keys.map((key) => ({ topic, key, value: 'ours' })))
      const { kafkaJs } = await import('./support.ts')
      const { Partitioners } = await import('kafkajs')
      const theirs = kafkaJs(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner })
      await theirs.connect()
      await theirs.send({ topic, messages: keys.map((key) => ({ key, value: 'theirs' })) })
      await theirs.disconnect()
      const read = await readAll(brokers, topic, 7)
      const placed = new Map(
        read.filter(({ value }) => String(value) === 'theirs').map(({ key, partition }) => [String(key), partition]),
      )
      assert.deepEqual(
        keys.map((key) => placed.get(key)),
        ours.map(({ partition }) => partition),
      )
    })

    test('10,000 records in one call, and as many calls that nobody awaits: all there, in order', async () => {
      const topic = await createTopic(brokers, 2)
      await using producer = await open(brokers, { batchBytes: 20_000, compression: 'gzip' })
      const first = await producer.send(numbered(10_000).map((value) => ({ topic, value, partition: 0 })))
      assert.deepEqual(
        first.map(({ offset }) => offset),
        first.map((_, n) => n),
      )
      const all = numbered(10_000).map((value) => producer.send({ topic, value, partition: 1 }))
      await producer.flush()
      assert.equal((await all.at(-1))?.[0]?.offset, 9_999)
      const read = await readAll(brokers, topic, 2)
      for (const partition of [0, 1]) {
        assert.deepEqual(valuesOf(read.filter((each) => each.partition === partition)), numbered(10_000))
      }
    })

    test('a batch that the broker finds too large is split; a record that is too large fails alone', async () => {
      const topic = await createTopic(brokers, 1, { 'max.message.bytes': '20000' })
      await using producer = await open(brokers, { batchBytes: 1_000_000 })
      const values = numbered(200).map((value) => value.padEnd(500, '.'))
      const many = producer.send(values.map((value) => ({ topic, value })))
      const large = producer.send({ topic, value: 'x'.repeat(30_000) })
      const after = producer.send({ topic, value: 'after' })
      await assert.rejects(large, code('MESSAGE_TOO_LARGE'))
      await many
      await after
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), [...values, 'after'])
    })

    test('INVALID_RECORD · of a compacted topic records without a key are refused one by one, the others are written', async () => {
      const topic = await createTopic(brokers, 1, { 'cleanup.policy': 'compact' })
      await using producer = await open(brokers)
      const outcomes = await Promise.allSettled([
        producer.send({ topic, key: 'a', value: '1' }),
        producer.send({ topic, value: '2' }),
        producer.send({ topic, key: 'c', value: '3' }),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.ok(code('INVALID_RECORD')((outcomes[1] as PromiseRejectedResult).reason))
      const again = await producer.send({ topic, key: 'd', value: '4' })
      assert.equal(again[0]?.offset, 2)
    })

    for (const acks of ['all', 1, 0] as const) {
      test(`Q9 · acks ${acks}`, async () => {
        const topic = await createTopic(brokers, 1)
        await using producer = await open(brokers, { acks })
        const results = await Promise.all(numbered(50).map((value) => producer.send({ topic, value })))
        assert.equal(results[49]?.[0]?.offset, acks === 0 ? -1 : 49)
        assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), numbered(50))
      })
    }

    test('a topic that does not exist is created where the broker does that', async () => {
      const topic = unique('automatic')
      await using producer = await open(brokers)
      assert.equal((await producer.send({ topic, key: 'k', value: 'v' }))[0]?.offset, 0)
    })

    test('an impossible topic name is refused at once', async () => {
      await using producer = await open(brokers)
      await assert.rejects(producer.send({ topic: 'no/such/name', value: 'v' }), code('INVALID_TOPIC_EXCEPTION'))
    })
  })

  for (const flow of ['explicit', 'implicit'] as const) transactionSuite(brokers, flow)
}

function transactionSuite(brokers: readonly string[], flow: Flow): void {
  const openTransactional = (id: string, options = {}) => open(brokers, { transactionalId: id, ...options }, flow)

  describe(`transactions, ${flow} flow`, () => {
    test('X2 · committed together or not at all', async () => {
      const topic = await createTopic(brokers, 3)
      await using producer = await openTransactional(unique('tx'))
      for (let round = 0; round < 5; round++) {
        const offsets = await producer.transaction(async (tx) => {
          const [first] = await Promise.all(
            [0, 1, 2].map((partition) => tx.send({ topic, value: `in-${round}`, partition })),
          )
          return first
        })
        assert.equal(offsets?.[0]?.partition, 0)
        const given = new Error('given up')
        await assert.rejects(
          producer.transaction(async (tx) => {
            await tx.send({ topic, value: `out-${round}`, partition: round % 3 })
            throw given
          }),
          (error) => error === given,
        )
      }
      // Nothing awaited inside, and nothing sent at all.
      await producer.transaction(async (tx) => void tx.send({ topic, value: 'last', partition: 0 }))
      await producer.transaction(async () => undefined)
      const values = valuesOf(await readAll(brokers, topic, 3))
      assert.equal(values.filter((value) => value.startsWith('in-')).length, 15)
      assert.equal(values.filter((value) => value.startsWith('out-')).length, 0)
      assert.equal(values.filter((value) => value === 'last').length, 1)
    })

    test('X2 · offsets of a group, with metadata and leader epoch, go with it', async () => {
      const topic = await createTopic(brokers, 2)
      const groupId = unique('group')
      await using producer = await openTransactional(unique('tx'))
      const offsets = (offset: number, metadata: string) => ({
        groupId,
        offsets: [0, 1].map((partition) => ({ topic, partition, offset, metadata, leaderEpoch: 0 })),
      })
      await producer.transaction(async (tx) => {
        await tx.send({ topic, value: 'a' })
        await tx.sendOffsets(offsets(7, 'map-7'))
      })
      assert.deepEqual(await committed(brokers, groupId, topic), ['7 map-7 0', '7 map-7 0'])
      await assert.rejects(
        producer.transaction(async (tx) => {
          await tx.sendOffsets(offsets(9, 'map-9'))
          throw new Error('no')
        }),
      )
      assert.deepEqual(await committed(brokers, groupId, topic), ['7 map-7 0', '7 map-7 0'])
      await producer.transaction((tx) => tx.sendOffsets(offsets(11, '')))
      assert.deepEqual(await committed(brokers, groupId, topic), ['11  0', '11  0'])
    })

    test('X3 · a member that the group does not know commits nothing', async () => {
      const topic = await createTopic(brokers, 1)
      const groupId = unique('group')
      await using producer = await openTransactional(unique('tx'))
      const offsets = [{ topic, partition: 0, offset: 3 }]
      await assert.rejects(
        producer.transaction(async (tx) => {
          await tx.send({ topic, value: 'zombie' })
          await tx.sendOffsets({ groupId, memberId: 'nobody', generationId: 5, offsets })
        }),
        (error) => error instanceof FanlaneError && ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION'].includes(error.code),
      )
      await producer.transaction((tx) => tx.send({ topic, value: 'alive' }))
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['alive'])
    })

    test('X3 · whoever opens the same id fences the one before, also in the middle of a transaction', async () => {
      const topic = await createTopic(brokers, 1)
      const id = unique('tx')
      await using old = await openTransactional(id)
      await old.transaction((tx) => tx.send({ topic, value: 'old-1' }))
      let younger: Awaited<ReturnType<typeof open>> | undefined
      await assert.rejects(
        old.transaction(async (tx) => {
          await tx.send({ topic, value: 'old-2' })
          younger = await openTransactional(id)
          await younger.transaction((inner) => inner.send({ topic, value: 'new-1' }))
          await tx.send({ topic, value: 'old-3' })
        }),
        code('PRODUCER_FENCED'),
      )
      await assert.rejects(
        old.transaction((tx) => tx.send({ topic, value: 'old-4' })),
        code('PRODUCER_FENCED'),
      )
      await younger?.transaction((tx) => tx.send({ topic, value: 'new-2' }))
      await younger?.close()
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['old-1', 'new-1', 'new-2'])
    })

    test('X3 · a fenced producer with batches in line says so at once, not when they are too old', async () => {
      // The first refusal leaves a gap in the numbers of its partition, and no batch behind it can be sent any more: it has to
      // be told that its transaction is over. Else each would wait until it is too old.
      const topic = await createTopic(brokers, 2)
      const id = unique('tx')
      await using old = await openTransactional(id, { batchBytes: 1_000, deliveryTimeoutMs: 20_000 })
      let sent: Promise<unknown>[] = []
      let younger: Awaited<ReturnType<typeof open>> | undefined
      await assert.rejects(
        old.transaction(async (tx) => {
          await Promise.all([0, 1].map((partition) => tx.send({ topic, partition, value: 'before' })))
          younger = await openTransactional(id)
          sent = numbered(100).map((v, n) => tx.send({ topic, partition: n % 2, value: v.padEnd(400, '.') }))
        }),
        code('PRODUCER_FENCED'),
      )
      const codes = new Set<string>()
      for (const { status, reason } of (await Promise.allSettled(sent)) as PromiseRejectedResult[]) {
        codes.add(status === 'rejected' ? (reason as FanlaneError).code : status)
      }
      assert.ok(codes.has('TRANSACTION_ABORTED'), `those in line are told the reason: ${[...codes]}`)
      assert.ok(!codes.has('DELIVERY_TIMEOUT') && !codes.has('fulfilled'), `nobody waited in vain: ${[...codes]}`)
      await younger?.transaction((tx) => tx.send({ topic, partition: 0, value: 'new' }))
      await younger?.close()
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 2)), ['new'])
    })

    test('X3 · a zombie that wakes up between transactions', async () => {
      const topic = await createTopic(brokers, 1)
      const id = unique('tx')
      await using old = await openTransactional(id)
      await old.transaction((tx) => tx.send({ topic, value: 'old' }))
      await using younger = await openTransactional(id)
      await younger.transaction(async (tx) => {
        await tx.send({ topic, value: 'new' })
        await assert.rejects(
          old.transaction((zombie) => zombie.send({ topic, value: 'zombie' })),
          code('PRODUCER_FENCED'),
        )
        await tx.send({ topic, value: 'new too' })
      })
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['old', 'new', 'new too'])
    })

    test('a record that cannot be written fails the transaction, whether anybody looks or not', async () => {
      const topic = await createTopic(brokers, 1, { 'max.message.bytes': '20000' })
      await using producer = await openTransactional(unique('tx'))
      await assert.rejects(
        producer.transaction(async (tx) => {
          await tx.send({ topic, value: 'fine' })
          void tx.send({ topic, value: 'x'.repeat(30_000) })
        }),
        code('MESSAGE_TOO_LARGE'),
      )
      await producer.transaction((tx) => tx.send({ topic, value: 'next' }))
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['next'])
    })

    test('a transaction inside a transaction is refused at once, and does not hurt the outer one', async () => {
      const topic = await createTopic(brokers, 1)
      await using producer = await openTransactional(unique('tx'))
      let again: (() => Promise<void>) | undefined
      await producer.transaction(async (tx) => {
        await tx.send({ topic, value: 'outer' })
        await assert.rejects(
          producer.transaction(async () => 'inner'),
          code('TRANSACTION_NESTED'),
        )
        again = AsyncResource.bind(() =>
          producer.transaction(async (next) => void (await next.send({ topic, value: 'next' }))),
        )
      })
      // What was started inside lives on after its end, and may begin another.
      await again?.()
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['outer', 'next'])
    })

    test('transactions wait for one another; what is sent after the end is refused', async () => {
      const topic = await createTopic(brokers, 1)
      await using producer = await openTransactional(unique('tx'))
      let late: { send(record: { topic: string; value: string }): Promise<unknown> } | undefined
      const both = [1, 2].map((n) =>
        producer.transaction(async (tx) => {
          late = tx
          await tx.send({ topic, value: `${n}a` })
          await tx.send({ topic, value: `${n}b` })
        }),
      )
      await Promise.all(both)
      await assert.rejects(late!.send({ topic, value: 'late' }), code('TRANSACTION_OVER'))
      await assert.rejects(producer.send({ topic, value: 'outside' }), code('TRANSACTION_NEEDED'))
      assert.deepEqual(valuesOf(await readAll(brokers, topic, 1)), ['1a', '1b', '2a', '2b'])
    })
  })
}

async function committed(brokers: readonly string[], groupId: string, topic: string): Promise<string[]> {
  const any = await RawClient.connect(brokers[0]!)
  const found = await any.send(findCoordinatorApi, 4, { keyType: 0, coordinatorKeys: [groupId] })
  await any.close()
  const { host, port } = found.coordinators[0]!
  const client = await RawClient.connect(`${host}:${port}`)
  const groups = [{ groupId, topics: [{ name: topic, partitionIndexes: [0, 1] }] }]
  const answer = await client.send(offsetFetchApi, 9, { groups, requireStable: true })
  await client.close()
  return (answer.groups[0]?.topics[0]?.partitions ?? []).map(
    ({ committedOffset, metadata, committedLeaderEpoch }) => `${committedOffset} ${metadata} ${committedLeaderEpoch}`,
  )
}
