/** A broker in a thread of its own: from outside it cannot be told from one in this thread. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const directories: string[] = []

after(async () => {
  for (const path of directories) await rm(path, { recursive: true, force: true })
})

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'fanlane-isolated-'))
  directories.push(path)
  return path
}

function write(client: RawClient, acks: number): Promise<unknown> {
  const records = encodeBatch({ records: [{ key: null, value: Buffer.from('x'), timestampMs: Date.now() }] })
  const topicData = [{ name: 'orders', partitionData: [{ index: 0, records }] }]
  return client.send(produceApi, 9, { acks, timeoutMs: 1_000, topicData })
}

for (const isolate of [false, true]) {
  describe(isolate ? 'isolated' : 'in process', () => {
    test('brokers are those that clients are told', async () => {
      const broker = await startBroker({ isolate, advertised: { host: 'kafka.example', port: 19_092 } })
      assert.deepEqual(broker.brokers, ['kafka.example:19092'])
      await broker.close()
    })

    test('L6 · close() does not say that all is well when the disk refused the last sync', async () => {
      const broker = await startBroker({ isolate, dataDir: await directory(), topics: { orders: 1 }, sync: 'os' })
      const client = await RawClient.connect(broker.brokers[0] as string)
      await write(client, 1)
      await client.close()
      broker.faults.disk({ operation: 'sync', error: 'EIO' })
      await assert.rejects(broker.close(), { code: 'LOG_FAILED' })
    })

    test('L6 · after a failure it is gone: close() returns, and faults say why they cannot be planted', async () => {
      const broker = await startBroker({ isolate, dataDir: await directory(), topics: { orders: 1 } })
      const client = await RawClient.connect(broker.brokers[0] as string)
      broker.faults.disk({ operation: 'sync', error: 'EIO' })
      await assert.rejects(write(client, -1))
      assert.equal((await broker.failed).code, 'LOG_FAILED')
      await broker.close()
      await broker.close()
      if (isolate) assert.throws(() => broker.faults.rebalance('billing'), { code: 'BROKER_FAULT_FAILED' })
    })
  })
}
