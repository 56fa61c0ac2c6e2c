/** Topics that are not there, on a broker that creates none by itself or that would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes } from '../../src/protocol/errors.ts'
import { metadataApi } from '../../src/protocol/generated/03-metadata.ts'
import { until, within } from '../support/wait.ts'
import { embedded } from './support/embedded.ts'
import { Ledger } from './support/ledger.ts'
import { read } from './support/reader.ts'

const client = { metadataMaxAgeMs: 100, heartbeatMs: 100 }

test('G2 · a topic that nobody has created yet: waited for, and read when it is there', async (t) => {
  const { broker, raw } = await embedded(t, { config: { 'auto.create.topics.enable': 'false' } })
  const ledger = new Ledger()
  const { consumer, held, notes } = await read(t, ledger, {
    brokers: broker.brokers,
    group: 'g',
    topics: ['later'],
    client,
  })
  await within('there is nothing to wait for', consumer.idle())
  await raw.createTopic('later', 2)
  await raw.fill('later', 1, 10)
  await until('it has both', () => held.size === 2)
  await until('it is read', () => ledger.hasAll('later', [0, 10]))
  assert.deepEqual(
    notes.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('G2 · a topic that is deleted stays deleted: we do not create it by asking for it', async (t) => {
  const { broker, raw } = await embedded(t, { topics: { doomed: 2, steady: 1 } })
  await raw.fill('doomed', 0, 10)
  const ledger = new Ledger()
  const { consumer, held } = await read(t, ledger, {
    brokers: broker.brokers,
    group: 'g',
    topics: ['doomed', 'steady'],
    client,
  })
  await within('idle', consumer.idle())
  await raw.deleteTopic('doomed')
  await until('its partitions are given up', () => held.size === 1)
  await raw.fill('steady', 0, 10)
  await within('idle', consumer.idle())
  assert.ok(ledger.hasAll('steady', [10]))
  const { topics } = await raw.send(metadataApi, 9, { topics: [{ name: 'doomed' }], allowAutoTopicCreation: false })
  assert.equal(topics[0]?.errorCode, errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
  const startMs = performance.now()
  await consumer.close()
  assert.ok(performance.now() - startMs < 2_000, 'and nobody waits for it')
})
