/** createAdmin(): where it connects to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { createAdmin } from '../../../src/create-admin.ts'

test('one address as a text; `await using` closes it', async () => {
  await using broker = await startBroker({ topics: { orders: 2 } })
  await using admin = await createAdmin({ brokers: broker.brokers.join(), client: { clientId: 'somebody' } })
  assert.deepEqual(
    (await admin.listTopics()).map(({ name, partitions }) => [name, partitions]),
    [['orders', 2]],
  )
})

test('without brokers: what KAFKA_BROKERS says, else one embedded broker for the whole process', async (t) => {
  const before = process.env.KAFKA_BROKERS
  t.after(() => {
    if (before === undefined) delete process.env.KAFKA_BROKERS
    else process.env.KAFKA_BROKERS = before
  })
  delete process.env.KAFKA_BROKERS
  await using writer = await createAdmin()
  await using reader = await createAdmin()
  await writer.createTopics([{ name: 'shared' }])
  assert.equal((await reader.describeTopics(['shared'])).length, 1)

  await using broker = await startBroker({ topics: { elsewhere: 1 } })
  process.env.KAFKA_BROKERS = broker.brokers.join()
  await using admin = await createAdmin()
  assert.deepEqual(
    (await admin.listTopics()).map(({ name }) => name),
    ['elsewhere'],
  )
})
