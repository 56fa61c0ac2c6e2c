/**
 * A deployment during an outage of the registry: the process is told to stop while a record waits for its schema. It must end, and
 * the record must be there for the next one: neither finished nor a dead letter.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import avsc from 'avsc'
import { startBroker } from '../../src/broker/index.ts'
import { consume, createProducer } from '../../src/index.ts'
import { avro, schemaRegistry } from '../../src/integrations/schema-registry/index.ts'
import { notebook } from '../e2e/support.ts'
import { until, within } from '../support/wait.ts'
import { startRegistry } from './registry-server.ts'

test('R7 I1 · closed while the registry is down: the process ends, and the record waits for the next one', {
  timeout: 120_000,
}, async (t) => {
  const broker = await startBroker({ topics: { orders: 1 } })
  t.after(() => broker.close())
  const server = await startRegistry()
  t.after(() => server.close())
  const id = server.store('orders-value', { schema: '"string"' })
  const producer = await createProducer({ brokers: broker.brokers })
  t.after(() => producer.close())
  await producer.send({ topic: 'orders', key: 'k', value: Buffer.from([0, 0, 0, 0, id, 2, 0x61]) })

  server.fail(503, '{}')
  const child = fork(new URL('./registry-down-main.ts', import.meta.url), [broker.brokers.join(), server.url], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const said: unknown[] = []
  child.on('message', (message) => said.push(message))
  const exit = once(child, 'exit')
  await until('it has asked more than once', () => server.requests.length > 2)
  child.send('close')
  const [code] = await within('it ends', exit, 30_000)
  assert.equal(code, 0)
  assert.deepEqual(said, [])

  server.fail(null)
  const seen: unknown[] = []
  const consumer = await consume({
    brokers: broker.brokers,
    group: 'g',
    topics: [/^orders/],
    logger: notebook(),
    decode: { value: schemaRegistry({ url: server.url, formats: [avro(avsc)] }).codec() },
    handle: ({ topic, value }) => void seen.push(topic, value),
  })
  await consumer.idle()
  await consumer.close()
  assert.deepEqual(seen, ['orders', 'a'])
})
