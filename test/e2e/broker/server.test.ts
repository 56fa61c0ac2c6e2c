/** The broker's front door, over real sockets: order of answers, bad bytes, caps, authentication, clean ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const opened: RunningBroker[] = []

async function broker(options: BrokerOptions = {}): Promise<RunningBroker> {
  const started = await startBroker({ topics: { orders: 2 }, ...options })
  opened.push(started)
  return started
}

after(async () => {
  for (const each of opened) await each.close()
})

const addressOf = (each: RunningBroker): string => each.brokers[0] as string

function batch(...values: readonly string[]): Buffer {
  return encodeBatch({
    records: values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: Date.now() })),
  })
}

function produceRequest(acks: number, ...values: readonly string[]): Parameters<typeof produceApi.writeRequest>[1] {
  return {
    acks,
    timeoutMs: 1_000,
    topicData: [{ name: 'orders', partitionData: [{ index: 0, records: batch(...values) }] }],
  }
}

function socketTo(each: RunningBroker): Promise<Socket> {
  const socket = connect(each.port, each.host)
  return once(socket, 'connect').then(() => socket)
}

/** Sends bytes and tells whether the broker hung up. */
async function isCutAfter(each: RunningBroker, bytes: Buffer): Promise<boolean> {
  const socket = await socketTo(each)
  socket.on('error', () => undefined)
  const closed = once(socket, 'close').then(() => true)
  socket.resume()
  socket.write(bytes)
  return closed
}

async function isAlive(each: RunningBroker): Promise<boolean> {
  const client = await RawClient.connect(addressOf(each))
  const { errorCode } = await client.send(apiVersionsApi, 3, { clientSoftwareName: 'test', clientSoftwareVersion: '1' })
  await client.close()
  return errorCode === errorCodes.NONE
}

describe('answers', () => {
  test('come back in the order of the requests, although a long poll waits among them', async () => {
    const client = await RawClient.connect(addressOf(await broker()))
    const order: string[] = []
    const poll = client
      .send(fetchApi, 12, {
        maxWaitMs: 200,
        minBytes: 1,
        maxBytes: 1_000,
        sessionEpoch: -1,
        topics: [{ topic: 'orders', partitions: [{ partition: 1, fetchOffset: 0n, partitionMaxBytes: 1_000 }] }],
      })
      .then(() => order.push('fetch'))
    const names = client.send(metadataApi, 9, { topics: [] }).then(() => order.push('metadata'))
    await Promise.all([poll, names])
    assert.deepEqual(order, ['fetch', 'metadata'])
    await client.close()
  })

  test('Q9 · acks 0 gets none, acks 1 and all get the offset; pipelined writes keep their order', async () => {
    const client = await RawClient.connect(addressOf(await broker()))
    client.post(produceApi, 9, produceRequest(0, 'a', 'b'))
    const [one, all] = await Promise.all([
      client.send(produceApi, 9, produceRequest(1, 'c')),
      client.send(produceApi, 9, produceRequest(-1, 'd')),
    ])
    assert.equal(one.responses[0]?.partitionResponses[0]?.baseOffset, 2n)
    assert.equal(all.responses[0]?.partitionResponses[0]?.baseOffset, 3n)
    const refused = await client.send(produceApi, 9, produceRequest(2, 'e'))
    assert.equal(refused.responses[0]?.partitionResponses[0]?.errorCode, errorCodes.INVALID_REQUIRED_ACKS)
    await client.close()
  })

  test('a version of ApiVersions from the future is answered in version 0; Produce is advertised from 0', async () => {
    const started = await broker()
    const socket = await socketTo(started)
    const request = Buffer.alloc(4 + 10)
    request.writeInt32BE(10, 0)
    request.writeInt16BE(18, 4)
    request.writeInt16BE(99, 6)
    request.writeInt32BE(7, 8)
    request.writeInt16BE(-1, 12)
    socket.write(request)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.equal(answer.readInt32BE(4), 7)
    assert.equal(answer.readInt16BE(8), errorCodes.UNSUPPORTED_VERSION)
    socket.destroy()
    const client = await RawClient.connect(addressOf(started))
    const { apiKeys } = await client.send(apiVersionsApi, 4, { clientSoftwareName: 'test', clientSoftwareVersion: '1' })
    assert.deepEqual(
      apiKeys.find((k) => k.apiKey === 0),
      { apiKey: 0, minVersion: 0, maxVersion: 13 },
    )
    await client.close()
  })
})

describe('bad bytes', () => {
  const frame = (body: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length)
    return Buffer.concat([length, body])
  }
  const header = (apiKey: number, version: number): Buffer => {
    const bytes = Buffer.alloc(10)
    bytes.writeInt16BE(apiKey, 0)
    bytes.writeInt16BE(version, 2)
    bytes.writeInt16BE(-1, 8)
    return bytes
  }
  const cases: Readonly<Record<string, Buffer>> = {
    'a negative length': Buffer.from([0xff, 0xff, 0xff, 0xff]),
    'a length of two billion': Buffer.from([0x7f, 0xff, 0xff, 0xff]),
    'an empty frame': frame(Buffer.alloc(0)),
    HTTP: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    'a TLS hello': Buffer.from('16030100f5010000f10303aabbccdd', 'hex'),
    'an unknown API': frame(header(999, 0)),
    'an unknown version': frame(header(3, 99)),
    'an array that cannot fit': frame(Buffer.concat([header(3, 1), Buffer.from([0x7f, 0xff, 0xff, 0xff])])),
    'a request cut short': frame(header(11, 5)),
  }
  for (const [name, bytes] of Object.entries(cases)) {
    test(`${name}: that connection ends, the broker lives`, async () => {
      const started = await broker()
      assert.equal(await isCutAfter(started, bytes), true)
      assert.equal(await isAlive(started), true)
    })
  }

  test('a request that comes one byte at a time is answered like any other', async () => {
    const started = await broker()
    const socket = await socketTo(started)
    socket.setNoDelay(true)
    const request = frame(Buffer.concat([header(18, 0)]))
    const answered = once(socket, 'data') as Promise<[Buffer]>
    for (const byte of request) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [answer] = await answered
    assert.equal(answer.readInt16BE(8), errorCodes.NONE)
    socket.destroy()
  })

  test('a peer that pipelines and never reads holds a bounded amount of memory', async () => {
    const started = await broker({ limits: { unsentBytesMax: 100_000, requestsInFlightMax: 10 } })
    const client = await RawClient.connect(addressOf(started))
    await client.send(produceApi, 9, produceRequest(-1, 'x'.repeat(500_000)))
    await client.close()
    const socket = await socketTo(started)
    socket.pause()
    const greedy = await RawClient.connect(addressOf(started), 'greedy')
    const before = process.memoryUsage().rss
    for (let i = 0; i < 500; i++) {
      greedy.post(fetchApi, 4, {
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: 1_000_000,
        topics: [{ topic: 'orders', partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1_000_000 }] }],
      })
    }
    assert.equal(await isAlive(started), true)
    assert(process.memoryUsage().rss - before < 200_000_000, 'five hundred answers of half a megabyte were not kept')
    await greedy.close()
    socket.destroy()
  })
})

describe('caps and options', () => {
  test('one connection more than the cap is turned away', async () => {
    const started = await broker({ limits: { connectionsMax: 2 } })
    const [a, b] = [await RawClient.connect(addressOf(started)), await RawClient.connect(addressOf(started))]
    const third = await socketTo(started)
    third.on('error', () => undefined)
    third.resume()
    await once(third, 'close')
    await a.close()
    await b.close()
  })

  test('a connection that says nothing is closed after the idle time; one that waits for an answer is not idle', async () => {
    const started = await broker({ config: { 'connections.max.idle.ms': '50' } })
    const client = await RawClient.connect(addressOf(started))
    const topics = [{ topic: 'orders', partitions: [{ partition: 1, fetchOffset: 0n, partitionMaxBytes: 1_000 }] }]
    const poll = client.send(fetchApi, 12, { maxWaitMs: 300, minBytes: 1, maxBytes: 1_000, sessionEpoch: -1, topics })
    const silent = await socketTo(started)
    silent.resume()
    await once(silent, 'close')
    assert.equal((await poll).errorCode, errorCodes.NONE)
    await client.close()
  })

  test('bad options are refused before anything starts, with a code and the fix', async () => {
    const refusals: readonly [object, string][] = [
      [{ prot: 1 }, 'OPTION_UNKNOWN'],
      [{ port: -1 }, 'OPTION_INVALID'],
      [{ port: 1.5 }, 'OPTION_INVALID'],
      [{ sync: 'sometimes' }, 'OPTION_INVALID'],
      [{ topics: { orders: 0 } }, 'OPTION_INVALID'],
      [{ host: '0.0.0.0' }, 'BROKER_NEEDS_AUTHENTICATION'],
      [{ host: '0.0.0.0', sasl: { users: {} } }, 'BROKER_NEEDS_AUTHENTICATION'],
      [{ limits: { everything: 1 } }, 'OPTION_UNKNOWN'],
      [{ config: { 'num.partition': '1' } }, 'OPTION_UNKNOWN'],
      [{ config: { 'num.partitions': 'many' } }, 'OPTION_INVALID'],
    ]
    for (const [options, code] of refusals) {
      await assert.rejects(async () => startBroker(options as BrokerOptions), { code }, JSON.stringify(options))
    }
  })

  test('a port in use and a data directory in use are told apart from other errors', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fanlane-server-'))
    const first = await broker({ dataDir: directory })
    await assert.rejects(startBroker({ port: first.port }), { code: 'BROKER_CANNOT_LISTEN' })
    await assert.rejects(startBroker({ dataDir: directory }), { code: 'DATA_DIRECTORY_IN_USE' })
    await first.close()
    const second = await startBroker({ dataDir: directory })
    await second.close()
    await rm(directory, { recursive: true })
  })

  test('an answer under way leaves before the broker is closed, and a second close is no error', async () => {
    const started = await broker()
    const client = await RawClient.connect(addressOf(started))
    const poll = client.send(fetchApi, 12, {
      maxWaitMs: 100,
      minBytes: 1,
      maxBytes: 1_000,
      sessionEpoch: -1,
      topics: [{ topic: 'orders', partitions: [{ partition: 1, fetchOffset: 0n, partitionMaxBytes: 1_000 }] }],
    })
    // Another connection's answer proves that the broker has read what was sent before.
    assert.equal(await isAlive(started), true)
    const closed = started.close()
    assert.equal((await poll).errorCode, errorCodes.NONE)
    await closed
    await started.close()
    await client.close()
  })
})

describe('authentication', () => {
  const sasl = { users: { alice: 'wonderland' } }

  async function plain(
    started: RunningBroker,
    user: string,
    password: string,
  ): Promise<{ client: RawClient; errorCode: number }> {
    const client = await RawClient.connect(addressOf(started))
    await client.send(saslHandshakeApi, 1, { mechanism: 'PLAIN' })
    const { errorCode } = await client.send(saslAuthenticateApi, 2, {
      authBytes: Buffer.from(`\0${user}\0${password}`),
    })
    return { client, errorCode }
  }

  test('a stranger may ask for versions and mechanisms, and nothing else', async () => {
    const started = await broker({ sasl })
    const client = await RawClient.connect(addressOf(started))
    await client.send(apiVersionsApi, 0, {})
    const { errorCode, mechanisms } = await client.send(saslHandshakeApi, 1, { mechanism: 'GSSAPI' })
    assert.equal(errorCode, errorCodes.UNSUPPORTED_SASL_MECHANISM)
    assert.deepEqual(mechanisms, ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])
    await assert.rejects(client.send(metadataApi, 9, { topics: [] }))
  })

  test('PLAIN: the right password opens, a wrong one or a wrong name does not', async () => {
    const started = await broker({ sasl })
    const good = await plain(started, 'alice', 'wonderland')
    assert.equal(good.errorCode, errorCodes.NONE)
    assert.equal((await good.client.send(listOffsetsApi, 7, { replicaId: -1, topics: [] })).throttleTimeMs, 0)
    await good.client.close()
    for (const [user, password] of [
      ['alice', 'looking-glass'],
      ['bob', 'wonderland'],
      ['bob', ''],
      ['', ''],
    ] as const) {
      const bad = await plain(started, user, password)
      assert.equal(bad.errorCode, errorCodes.SASL_AUTHENTICATION_FAILED)
      await assert.rejects(bad.client.send(metadataApi, 9, { topics: [] }))
    }
  })
})
