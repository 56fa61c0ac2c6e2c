/** Topics that come into being because a client asked about them: when they are seen, and by whom. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { deleteTopicsApi } from '../../../src/protocol/generated/20-delete-topics.ts'
import { RawClient } from '../../support/raw-client.ts'

test('Q1 · the request that creates a topic is told that it is unknown, the next one finds it, as in Kafka', async () => {
  await using broker = await startBroker({ config: { 'num.partitions': '3' } })
  const client = await RawClient.connect(broker.brokers[0]!)
  const ask = async (): Promise<readonly [errorCode: number, partitions: number]> => {
    const { topics } = await client.send(metadataApi, 12, { topics: [{ name: 'fresh' }], allowAutoTopicCreation: true })
    return [topics[0]!.errorCode, topics[0]!.partitions.length]
  }
  assert.deepEqual(await ask(), [errorCodes.UNKNOWN_TOPIC_OR_PARTITION, 0])
  assert.deepEqual(await ask(), [errorCodes.NONE, 3])
  await client.send(deleteTopicsApi, 6, { topics: [{ name: 'fresh' }], timeoutMs: 1_000 })
  assert.deepEqual(
    await ask(),
    [errorCodes.UNKNOWN_TOPIC_OR_PARTITION, 0],
    'a look at a deleted topic shows it deleted',
  )
  assert.deepEqual(await ask(), [errorCodes.NONE, 3])
  await client.close()
})
