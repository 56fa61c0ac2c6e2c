/** TLS and SASL together, with a client that nobody here wrote. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Kafka, logLevel } from 'kafkajs'
import { startBroker } from '../../../src/broker/index.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { RawClient } from '../../support/raw-client.ts'

const folder = new URL('../../support/tls/', import.meta.url)
const cert = readFileSync(new URL('cert.pem', folder))
const key = readFileSync(new URL('key.pem', folder))
const users = { alice: 'wonderland' }
const retry = { retries: 0 }

function clientOf(brokers: string[], password: string, trusts = true): Kafka {
  return new Kafka({
    brokers,
    logLevel: logLevel.NOTHING,
    retry,
    ssl: trusts ? { ca: [cert] } : {},
    sasl: { mechanism: 'scram-sha-512', username: 'alice', password },
  })
}

describe('TLS', () => {
  test('who trusts the certificate and knows the password gets in; nobody else, and nobody in the clear', async (t) => {
    const broker = await startBroker({ tls: { cert, key }, sasl: { users }, topics: { orders: 1 } })
    t.after(() => broker.close())

    const producer = clientOf(broker.brokers, 'wonderland').producer()
    await producer.connect()
    const [sent] = await producer.send({ topic: 'orders', messages: [{ value: 'in secret' }] })
    assert.equal(sent?.baseOffset, '0')
    await producer.disconnect()

    await assert.rejects(clientOf(broker.brokers, 'looking-glass').admin().connect())
    await assert.rejects(clientOf(broker.brokers, 'wonderland', false).admin().connect())
    const clear = await RawClient.connect(broker.brokers[0] as string)
    await assert.rejects(clear.send(apiVersionsApi, 0, {}))

    const again = clientOf(broker.brokers, 'wonderland').admin()
    await again.connect()
    assert.deepEqual((await again.listTopics()).includes('orders'), true)
    await again.disconnect()
  })
})
