/** Fetch and ListOffsets over the wire, where Apache Kafka's answer was asked for and compared. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type BrokerClock, type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { type FetchResponse, fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { deleteTopicsApi } from '../../../src/protocol/generated/20-delete-topics.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import { addPartitionsToTxnApi } from '../../../src/protocol/generated/24-add-partitions-to-txn.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const opened: RunningBroker[] = []
const clients: RawClient[] = []

after(async () => {
  for (const client of clients) await client.close()
  for (const broker of opened) await broker.close()
})

async function start(options: BrokerOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker({ topics: { orders: 2 }, ...options })
  opened.push(broker)
  return broker
}

async function clientOf(broker: RunningBroker): Promise<RawClient> {
  const client = await RawClient.connect(broker.brokers[0] as string)
  clients.push(client)
  return client
}

const batch = (value: string, timestampMs: number = Date.now()): Buffer =>
  encodeBatch({ records: [{ key: null, value: Buffer.from(value), timestampMs }] })

function write(client: RawClient, records: Buffer, index = 0): Promise<unknown> {
  const topicData = [{ name: 'orders', partitionData: [{ index, records }] }]
  return client.send(produceApi, 9, { acks: -1, timeoutMs: 1_000, topicData })
}

interface Wish {
  readonly minBytes?: number
  readonly maxBytes?: number
  readonly maxWaitMs?: number
  readonly sessionId?: number
  readonly sessionEpoch?: number
  readonly partitions?: readonly { readonly partition: number; readonly fetchOffset: bigint }[]
}

function fetch(client: RawClient, wish: Wish = {}): Promise<FetchResponse> {
  const { partitions = [{ partition: 0, fetchOffset: 0n }], ...rest } = wish
  return client.send(fetchApi, 12, {
    maxWaitMs: 60_000,
    minBytes: 1,
    maxBytes: 1_000_000,
    sessionEpoch: -1,
    ...rest,
    topics: [{ topic: 'orders', partitions: partitions.map((p) => ({ ...p, partitionMaxBytes: 1_000_000 })) }],
  })
}

/** A clock that tells how many timers wait. */
class CountingClock implements BrokerClock {
  readonly waiting = new Set<object>()

  now(): number {
    return Date.now()
  }

  timer(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(() => {
      this.waiting.delete(timer)
      callback()
    }, delayMs)
    this.waiting.add(timer)
    return () => {
      this.waiting.delete(timer)
      clearTimeout(timer)
    }
  }
}

describe('Q6 · a long poll', () => {
  test('ends when there is no room for more, whatever it wished for', async () => {
    const client = await clientOf(await start())
    for (let n = 0; n < 3; n++) await write(client, batch('x'.repeat(600)))
    // The second batch does not fit. These would wait for a minute if only the bytes of whole batches counted.
    for (const wish of [
      { minBytes: 1_000, maxBytes: 1_000 },
      { minBytes: 5_000, maxBytes: 1_000 },
    ]) {
      const { responses } = await fetch(client, wish)
      assert.equal(responses[0]?.partitions[0]?.records?.length, 670)
    }
  })

  test('hears that its topic is deleted', async () => {
    const broker = await start()
    const client = await clientOf(broker)
    const poll = fetch(await clientOf(broker))
    await client.send(deleteTopicsApi, 5, { topicNames: ['orders'], timeoutMs: 1_000 })
    const { responses } = await poll
    assert.equal(responses[0]?.partitions[0]?.errorCode, errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
  })

  test('is answered when the broker closes, and leaves no timer behind', async () => {
    const clock = new CountingClock()
    const broker = await start({ clock })
    const client = await clientOf(broker)
    const before = clock.waiting.size
    const poll = fetch(client)
    while (clock.waiting.size === before) await new Promise(setImmediate)
    await broker.close()
    assert.equal((await poll).responses[0]?.partitions[0]?.errorCode, errorCodes.NONE)
    assert.equal(clock.waiting.size, 0)
  })

  test('ends with its connection', async () => {
    const clock = new CountingClock()
    const broker = await start({ clock })
    const client = await clientOf(broker)
    const before = clock.waiting.size
    const poll = assert.rejects(fetch(client))
    while (clock.waiting.size === before) await new Promise(setImmediate)
    await client.close()
    await poll
    while (clock.waiting.size > before) await new Promise(setImmediate)
  })
})

test('a partition that has to tell of an error does so behind a full answer too', async () => {
  const client = await clientOf(await start())
  await write(client, batch('x'.repeat(600)))
  const partitions = [
    { partition: 0, fetchOffset: 0n },
    { partition: 1, fetchOffset: 99n },
  ]
  const { responses } = await fetch(client, { maxBytes: 100, partitions })
  assert.deepEqual(
    responses[0]?.partitions.map(({ errorCode }) => errorCode),
    [errorCodes.NONE, errorCodes.OFFSET_OUT_OF_RANGE],
  )
})

describe('fetch sessions', () => {
  const open = { sessionId: 0, sessionEpoch: 0, maxWaitMs: 0 }

  test('have ids that another broker, or the same one after a restart, does not give again', async () => {
    const ids = new Set<number>()
    for (let n = 0; n < 3; n++) ids.add((await fetch(await clientOf(await start()), open)).sessionId)
    assert.equal(ids.size, 3)
  })

  test('do not throw one another out while they are in use', async () => {
    const broker = await start({ limits: { fetchSessionsMax: 2 } })
    const client = await clientOf(broker)
    const kept = [(await fetch(client, open)).sessionId, (await fetch(client, open)).sessionId]
    assert.equal((await fetch(client, open)).sessionId, 0)
    for (const sessionId of kept) {
      const { errorCode } = await fetch(client, { sessionId, sessionEpoch: 1, maxWaitMs: 0, partitions: [] })
      assert.equal(errorCode, errorCodes.NONE)
    }
  })
})

test('X6 · the largest timestamp of an open transaction is not shown to those who read committed records', async () => {
  const client = await clientOf(await start())
  const now = Date.now()
  await write(client, batch('committed', now))
  const transactionalId = 'writer'
  const init = { transactionalId, transactionTimeoutMs: 30_000, producerId: -1n, producerEpoch: -1 }
  const { producerId, producerEpoch } = await client.send(initProducerIdApi, 4, init)
  await client.send(addPartitionsToTxnApi, 3, {
    v3AndBelowTransactionalId: transactionalId,
    v3AndBelowProducerId: producerId,
    v3AndBelowProducerEpoch: producerEpoch,
    v3AndBelowTopics: [{ name: 'orders', partitions: [0] }],
  })
  const records = encodeBatch({
    records: [{ key: null, value: Buffer.from('open'), timestampMs: now + 1_000 }],
    producerId: Number(producerId),
    producerEpoch,
    baseSequence: 0,
    transactional: true,
  })
  const topicData = [{ name: 'orders', partitionData: [{ index: 0, records }] }]
  await client.send(produceApi, 9, { transactionalId, acks: -1, timeoutMs: 1_000, topicData })
  const largest = async (isolationLevel: number): Promise<bigint | undefined> => {
    const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -3n }]
    const topics = [{ name: 'orders', partitions }]
    const answer = await client.send(listOffsetsApi, 7, { replicaId: -1, isolationLevel, topics })
    return answer.topics[0]?.partitions[0]?.offset
  }
  assert.equal(await largest(0), 1n)
  assert.equal(await largest(1), -1n)
})
