/** Transactions of @platformatic/kafka: the first flow of the protocol in its newest versions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import type { StringConsumer } from './support.ts'
import { Clients, refusals } from './support.ts'

type FetchedPartition = Awaited<ReturnType<StringConsumer['fetch']>>['responses'][0]['partitions'][0]

export function platformaticTransactions(target: Target): void {
  describe('transactions', () => {
    /** One fetch from offset 0, as the broker answers it. */
    const fetch = async (clients: Clients, topic: string, isolationLevel: number): Promise<FetchedPartition> => {
      const consumer = clients.consumer(unique('group'))
      const metadata = await consumer.metadata({ topics: [topic] })
      const { id, partitions } = metadata.topics.get(topic)!
      const partition = {
        partition: 0,
        currentLeaderEpoch: partitions[0]!.leaderEpoch,
        fetchOffset: 0n,
        lastFetchedEpoch: -1,
        partitionMaxBytes: 1 << 20,
      }
      const topics = [{ topicId: id, partitions: [partition] }]
      const node = partitions[0]!.leader
      const { responses } = await consumer.fetch({ node, topics, isolationLevel, minBytes: 1, maxWaitTime: 100 })
      return responses[0]!.partitions[0]!
    }
    const offsetsIn = ({ records }: FetchedPartition): bigint[] => records?.map((batch) => batch.firstOffset) ?? []

    test('X2 X6 · the broker tells which transactions were aborted, and where stable records end', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const producer = clients.producer({ transactionalId: unique('tx'), idempotent: true })
      for (const outcome of ['commit', 'abort'] as const) {
        const transaction = await producer.beginTransaction()
        await transaction.send({ messages: [{ topic, partition: 0, value: outcome }] })
        await transaction[outcome]()
      }
      const open = await producer.beginTransaction()
      await open.send({ messages: [{ topic, partition: 0, value: 'open' }] })
      const stable = await until('both transactions are complete', async () => {
        const found = await fetch(clients, topic, 1)
        return found.lastStableOffset === 4n ? found : undefined
      })
      // Two records with a marker each, then the open one.
      assert.equal(stable.highWatermark, 5n)
      // The client takes the aborted batch out, by the list that the broker sends with it.
      assert.deepEqual(offsetsIn(stable), [0n, 1n, 3n])
      assert.deepEqual(stable.abortedTransactions, [{ producerId: producer.producerId, firstOffset: 2n }])
      const all = await fetch(clients, topic, 0)
      assert.deepEqual(offsetsIn(all), [0n, 1n, 2n, 3n, 4n])
      assert.deepEqual(all.abortedTransactions ?? [], [])
      await open.commit()
      await until('stable up to the end', async () => (await fetch(clients, topic, 1)).lastStableOffset === 6n)
    })

    test('X2 · offsets move with the transaction, or not at all', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const input = await clients.topic()
      const output = await clients.topic()
      const groupId = unique('group')
      await clients.fill(input, 3)
      const member = await clients.member(clients.consumer(groupId), { topics: [input], autocommit: false })
      const records = await member.has(3)
      const producer = clients.producer({ transactionalId: unique('tx'), idempotent: true })
      const committed = async (): Promise<bigint | undefined> => {
        const [group] = await admin.listConsumerGroupOffsets({ groups: [groupId], requireStable: true })
        return group?.topics[0]?.partitions[0]?.committedOffset
      }
      for (const [outcome, expected] of [
        ['abort', undefined],
        ['commit', 3n],
      ] as const) {
        const transaction = await producer.beginTransaction()
        await transaction.addConsumer(member.consumer)
        await transaction.send({ messages: [{ topic: output, partition: 0, value: outcome }] })
        await transaction.addOffset(records[2]!)
        await transaction[outcome]()
        // Asked for all offsets, the broker leaves out a first one that is still pending, even where it has to be stable.
        await until(`${expected} after ${outcome}`, async () => (await committed()) === expected)
      }
      await until('the output is stable', async () => (await fetch(clients, output, 1)).lastStableOffset === 4n)
    })

    test('X3 · a second producer with the same id fences the first', async (t) => {
      const clients = new Clients(t, target)
      const topic = await clients.topic()
      const transactionalId = unique('tx')
      // This client would claim producer 0 otherwise, and then it is the newcomer that the broker fences.
      const newcomer = { producerId: -1n, producerEpoch: -1 }
      const zombie = clients.producer({ ...newcomer, transactionalId, idempotent: true, retries: 0 })
      const open = await zombie.beginTransaction()
      await open.send({ messages: [{ topic, partition: 0, value: 'zombie' }] })
      const successor = clients.producer({ ...newcomer, transactionalId, idempotent: true })
      const next = await successor.beginTransaction()
      assert.equal(successor.producerId, zombie.producerId)
      assert.ok((successor.producerEpoch ?? 0) > (zombie.producerEpoch ?? 0))
      const names = await refusals(open.commit())
      assert.ok(names.includes('PRODUCER_FENCED') || names.includes('INVALID_PRODUCER_EPOCH'), names.join())
      const { abortedTransactions } = await until('the zombie is aborted', async () => {
        const found = await fetch(clients, topic, 1)
        return found.lastStableOffset === 2n ? found : undefined
      })
      assert.deepEqual(abortedTransactions, [{ producerId: zombie.producerId, firstOffset: 0n }])
      await next.send({ messages: [{ topic, partition: 0, value: 'successor' }] })
      await next.commit()
      await until('the successor is committed', async () => (await fetch(clients, topic, 1)).lastStableOffset === 4n)
    })
  })
}
