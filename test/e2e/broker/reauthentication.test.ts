/** A session of SASL that ends: what Apache Kafka 4.1.1 did when it was asked the same (`connections.max.reauth.ms`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { RawClient } from '../../support/raw-client.ts'

const lifetimeMs = 3_000

interface Setting {
  readonly broker: RunningBroker
  readonly clock: ManualClock
  readonly client: RawClient
}

async function setting(config: Record<string, string> = {}): Promise<Setting & AsyncDisposable> {
  const clock = new ManualClock()
  const users = { alice: 'wonder', bob: 'builder' }
  const broker = await startBroker({ clock, sasl: { users }, config })
  const client = await RawClient.connect(broker.brokers[0]!)
  return {
    broker,
    clock,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await broker.close()
    },
  }
}

const withSessions = (): Promise<Setting & AsyncDisposable> =>
  setting({ 'connections.max.reauth.ms': String(lifetimeMs) })

async function handshake(client: RawClient, mechanism = 'PLAIN'): Promise<number> {
  return (await client.send(saslHandshakeApi, 1, { mechanism })).errorCode
}

const authenticate = (client: RawClient, user = 'alice', password = 'wonder') =>
  client.send(saslAuthenticateApi, 2, { authBytes: Buffer.from(`\0${user}\0${password}`) })

async function login(client: RawClient): Promise<bigint> {
  assert.equal(await handshake(client), errorCodes.NONE)
  const { errorCode, sessionLifetimeMs } = await authenticate(client)
  assert.equal(errorCode, errorCodes.NONE)
  return sessionLifetimeMs
}

const ask = (client: RawClient) => client.send(metadataApi, 9, { topics: [] })

test('a session lives for ever unless the broker is told otherwise', async () => {
  await using at = await setting()
  assert.equal(await login(at.client), 0n)
  at.clock.advance(10 * lifetimeMs)
  assert.equal((await ask(at.client)).brokers.length, 1)
})

test('the client hears how long it lives, and goes on when it authenticates again', async () => {
  await using at = await withSessions()
  assert.equal(await login(at.client), BigInt(lifetimeMs))
  at.clock.advance(lifetimeMs - 1)
  assert.equal((await ask(at.client)).brokers.length, 1)
  assert.equal(await login(at.client), BigInt(lifetimeMs))
  at.clock.advance(lifetimeMs - 1)
  assert.equal((await ask(at.client)).brokers.length, 1)
  at.clock.advance(1)
  assert.equal(await login(at.client), BigInt(lifetimeMs), 'late, but nothing was asked meanwhile')
  assert.equal((await ask(at.client)).brokers.length, 1)
})

test('after its end nothing but a new authentication is taken', async () => {
  await using at = await withSessions()
  await login(at.client)
  const other = await RawClient.connect(at.broker.brokers[0]!)
  await login(other)
  at.clock.advance(lifetimeMs)
  await assert.rejects(ask(at.client), /closed/)
  await assert.rejects(other.send(apiVersionsApi, 0, {}), /closed/)
})

test('authentication again, at most once a second', async () => {
  await using at = await withSessions()
  await login(at.client)
  const early = await authenticate(at.client)
  assert.equal(early.errorCode, errorCodes.ILLEGAL_SASL_STATE)
  assert.equal(early.errorMessage, 'SaslAuthenticate request received after successful authentication')
  await login(at.client)
  assert.equal(await handshake(at.client), errorCodes.ILLEGAL_SASL_STATE)
  assert.equal((await ask(at.client)).brokers.length, 1)
  at.clock.advance(1_000)
  await login(at.client)
})

test('nobody becomes somebody else on the way', async () => {
  for (const [mechanism, user, password, why] of [
    ['PLAIN', 'bob', 'builder', 'Cannot change principals during re-authentication from User.alice: User.bob'],
    ['PLAIN', 'alice', 'wrong', 'Authentication failed: Invalid username or password'],
    [
      'SCRAM-SHA-256',
      'alice',
      'wonder',
      "SASL mechanism 'SCRAM-SHA-256' requested by client is not supported for re-authentication of mechanism 'PLAIN'",
    ],
  ] as const) {
    await using at = await withSessions()
    await login(at.client)
    assert.equal(await handshake(at.client, mechanism), errorCodes.NONE)
    const refused = await authenticate(at.client, user, password)
    assert.equal(refused.errorCode, errorCodes.SASL_AUTHENTICATION_FAILED)
    assert.equal(refused.errorMessage, why)
    await assert.rejects(ask(at.client), /closed/)
  }
})
