/** A client finds what was acknowledged to it, on a disk that is slow too. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { deleteRecordsApi } from '../../../src/protocol/generated/21-delete-records.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const timestampMs = 1_700_000_000_000

test('Q9 · whoever writes with acks=1 and asks for the end at once finds the own record before it', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanlane-own-writes-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await using broker = await startBroker({ dataDir, topics: { orders: 1 } })
  const client = await RawClient.connect(broker.brokers[0]!)
  const write = () =>
    client.send(produceApi, 9, {
      acks: 1,
      timeoutMs: 1_000,
      topicData: [
        {
          name: 'orders',
          partitionData: [
            { index: 0, records: encodeBatch({ records: [{ key: null, value: Buffer.from('x'), timestampMs }] }) },
          ],
        },
      ],
    })
  const offsetAt = async (timestamp: bigint): Promise<bigint> => {
    const topics = [{ name: 'orders', partitions: [{ partitionIndex: 0, timestamp }] }]
    return (await client.send(listOffsetsApi, 7, { replicaId: -1, topics })).topics[0]!.partitions[0]!.offset
  }
  broker.faults.disk({ operation: 'sync', delayMs: 50 })
  await write()
  assert.equal(await offsetAt(-1n), 1n, 'the end')
  await write()
  assert.equal(await offsetAt(-3n), 0n, 'the largest time')
  await write()
  assert.equal(await offsetAt(BigInt(timestampMs)), 0n, 'a time')
  await write()
  const { topics } = await client.send(deleteRecordsApi, 2, {
    topics: [{ name: 'orders', partitions: [{ partitionIndex: 0, offset: 4n }] }],
    timeoutMs: 1_000,
  })
  assert.equal(topics[0]!.partitions[0]!.lowWatermark, 4n, 'and may delete it')
  await client.close()
})

test('Q9 · whoever deletes records and asks behind it, on the same connection, hears where the log begins now', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanlane-own-writes-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await using broker = await startBroker({ dataDir, topics: { orders: 1 } })
  const client = await RawClient.connect(broker.brokers[0]!)
  const records = ['a', 'b', 'c'].map((value) => ({ key: null, value: Buffer.from(value), timestampMs }))
  await client.send(produceApi, 9, {
    acks: -1,
    timeoutMs: 1_000,
    topicData: [{ name: 'orders', partitionData: [{ index: 0, records: encodeBatch({ records }) }] }],
  })
  broker.faults.disk({ operation: 'sync', delayMs: 20 })
  // Neither waits for the other's answer: librdkafka's admin client does just that.
  const [deleted, begin] = await Promise.all([
    client.send(deleteRecordsApi, 2, {
      topics: [{ name: 'orders', partitions: [{ partitionIndex: 0, offset: 2n }] }],
      timeoutMs: 1_000,
    }),
    client.send(listOffsetsApi, 7, {
      replicaId: -1,
      topics: [{ name: 'orders', partitions: [{ partitionIndex: 0, timestamp: -2n }] }],
    }),
  ])
  assert.equal(deleted.topics[0]!.partitions[0]!.lowWatermark, 2n)
  assert.equal(begin.topics[0]!.partitions[0]!.offset, 2n)
  await client.close()
})
