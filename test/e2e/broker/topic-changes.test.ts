/** Topics that change while they are in use, and what is found of them after a restart. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type BrokerOptions, ManualClock, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../../../src/protocol/generated/20-delete-topics.ts'
import { createPartitionsApi } from '../../../src/protocol/generated/37-create-partitions.ts'
import { incrementalAlterConfigsApi } from '../../../src/protocol/generated/44-incremental-alter-configs.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const endings: (() => Promise<void>)[] = []

after(async () => {
  for (const end of endings.reverse()) await end()
})

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'fanlane-topics-'))
  endings.push(() => rm(path, { recursive: true, force: true }))
  return path
}

async function start(options: BrokerOptions): Promise<RunningBroker> {
  const broker = await startBroker(options)
  endings.push(() => broker.close())
  return broker
}

async function clientOf(broker: RunningBroker): Promise<RawClient> {
  const client = await RawClient.connect(broker.brokers[0] as string)
  endings.push(() => client.close())
  return client
}

const batch = (value: string, key: string | null = null): Buffer =>
  encodeBatch({
    records: [{ key: key === null ? null : Buffer.from(key), value: Buffer.from(value), timestampMs: Date.now() }],
  })

test('Q8 · partitions that are added while the configuration changes are there after a restart', async () => {
  const dataDir = await directory()
  const broker = await start({ dataDir, topics: { orders: 1 } })
  const client = await clientOf(broker)
  broker.faults.disk({ operation: 'sync', delayMs: 20, times: 2 })
  // One connection: the second request comes while the first waits for the disk.
  const [grown, altered] = await Promise.all([
    client.send(createPartitionsApi, 3, {
      topics: [{ name: 'orders', count: 4, assignments: null }],
      timeoutMs: 1_000,
    }),
    client.send(incrementalAlterConfigsApi, 1, {
      resources: [
        {
          resourceType: 2,
          resourceName: 'orders',
          configs: [{ name: 'retention.ms', configOperation: 0, value: '1000' }],
        },
      ],
    }),
  ])
  assert.equal(grown.results[0]?.errorCode, errorCodes.NONE)
  assert.equal(altered.responses[0]?.errorCode, errorCodes.NONE)
  await client.close()
  await broker.close()
  const again = await clientOf(await start({ dataDir }))
  const { topics } = await again.send(metadataApi, 9, { topics: [{ name: 'orders' }] })
  assert.equal(topics[0]?.partitions.length, 4)
})

test('the longest names that Kafka takes have files too, also in capital letters', async () => {
  const dataDir = await directory()
  const names = ['a'.repeat(249), 'A'.repeat(249), `${'a'.repeat(248)}b`]
  const broker = await start({ dataDir })
  const client = await clientOf(broker)
  const wanted = names.map((name) => ({ name, numPartitions: 1, replicationFactor: 1 }))
  const { topics } = await client.send(createTopicsApi, 5, { timeoutMs: 1_000, topics: wanted })
  assert.deepEqual(
    topics.map(({ errorCode }) => errorCode),
    [0, 0, 0],
  )
  await client.close()
  await broker.close()
  const again = await clientOf(await start({ dataDir }))
  const found = await again.send(metadataApi, 9, { topics: names.map((name) => ({ name })) })
  assert.deepEqual(
    found.topics.map(({ errorCode }) => errorCode),
    [0, 0, 0],
  )
})

test('a write that waits while its topic is deleted is told so, and the other topics of the request are not', async () => {
  const clock = new ManualClock()
  const broker = await start({ dataDir: await directory(), clock, topics: { kept: 1, deleted: 1 } })
  const client = await clientOf(broker)
  const admin = await clientOf(broker)
  const syncs = broker.faults.disk({ operation: 'sync', delayMs: 100, times: 2 })
  const topicData = ['kept', 'deleted'].map((name) => ({ name, partitionData: [{ index: 0, records: batch(name) }] }))
  const written = client.send(produceApi, 9, { acks: -1, timeoutMs: 1_000, topicData })
  while (syncs.hits < 2) await new Promise(setImmediate)
  await admin.send(deleteTopicsApi, 5, { topicNames: ['deleted'], timeoutMs: 1_000 })
  clock.advance(100)
  const errors = (await written).responses.map(({ partitionResponses }) => partitionResponses[0]?.errorCode)
  assert.deepEqual(errors, [errorCodes.NONE, errorCodes.UNKNOWN_TOPIC_OR_PARTITION])
})

test('when close() returns nothing touches the data directory any more, compaction included', async () => {
  const dataDir = await directory()
  const config = { 'cleanup.policy': 'compact', 'segment.bytes': '1048576', 'min.cleanable.dirty.ratio': '0.01' }
  const broker = await start({
    dataDir,
    config: { 'log.cleaner.backoff.ms': '20' },
    topics: { state: { partitions: 1, config } },
  })
  const client = await clientOf(broker)
  for (let n = 0; n < 4; n++) {
    const topicData = [{ name: 'state', partitionData: [{ index: 0, records: batch('x'.repeat(700_000), 'key') }] }]
    await client.send(produceApi, 9, { acks: 1, timeoutMs: 1_000, topicData })
  }
  const read = broker.faults.disk({ operation: 'read', delayMs: 20 })
  while (read.hits === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await client.close()
  await broker.close()
  const files = async (): Promise<string[]> => (await readdir(dataDir, { recursive: true })).sort()
  const atClose = await files()
  assert(!atClose.some((name) => name.endsWith('.cleaned')), 'a compaction was still under way')
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(await files(), atClose)
})
