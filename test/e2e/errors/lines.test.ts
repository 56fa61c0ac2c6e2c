/**
 * Errors between a client and what answers at the address of a broker, on real sockets and by the real clock: lines that harm
 * bytes, servers that are none, brokers that fall silent.
 */
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { freePorts } from '../../../scripts/kafka/cluster.ts'
import { startBroker } from '../../../src/broker/index.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { type Consumer, consume, createProducer } from '../../../src/index.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { within } from '../../support/wait.ts'
import { clusterFor } from '../../unit/cluster/support.ts'
import { notebook } from '../support.ts'

const codeOf = (error: unknown): string => (error as FanlaneError).code

async function listening(t: TestContext, server: Server, port = 0): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const order = 'an order of ten pens'

/** A consumer of one record behind a line that changes bytes; `harm` gets what comes from the broker. */
async function behindHarm(t: TestContext, harm: (chunk: Buffer) => void): Promise<Consumer> {
  const [port = 0] = await freePorts(1)
  const broker = await startBroker({ advertised: { port }, topics: { orders: 1 } })
  t.after(() => broker.close())
  const line = createServer((client) => {
    const there = connect(broker.port, '127.0.0.1')
    for (const socket of [client, there]) {
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => (socket === client ? there : client).destroy())
    }
    client.on('data', (chunk) => there.write(chunk))
    there.on('data', (chunk: Buffer) => {
      harm(chunk)
      client.write(chunk)
    })
  })
  const brokers = [await listening(t, line, port)]
  await using producer = await createProducer({ brokers })
  await producer.send({ topic: 'orders', value: order })
  return consume({
    brokers,
    group: 'readers',
    topics: ['orders'],
    logger: notebook(),
    handle: () => assert.fail('what is damaged is handed to nobody'),
  })
}

test('BATCH_DAMAGED: records do not match their checksum, however often they are read', async (t) => {
  const consumer = await behindHarm(t, (chunk) => {
    const at = chunk.indexOf(order)
    if (at >= 0) chunk.write('AN ORDER', at)
  })
  const error: unknown = await within(
    'it gives up',
    consumer.closed.catch((reason: unknown) => reason),
  )
  assert.equal(codeOf(error), 'BATCH_DAMAGED')
})

test('FETCH_INCOMPLETE: answers that hold no whole batch, again and again', async (t) => {
  /** The head of a batch, and of a short record in it. */
  const valueAt = 61 + 6
  const lengthAt = 8
  const consumer = await behindHarm(t, (chunk) => {
    const at = chunk.indexOf(order) - valueAt + lengthAt
    if (at > lengthAt) chunk.writeInt32BE(chunk.readInt32BE(at) + 1_000, at)
  })
  const error: unknown = await within(
    'it gives up',
    consumer.closed.catch((reason: unknown) => reason),
  )
  assert.equal(codeOf(error), 'FETCH_INCOMPLETE')
})

test('BROKER_SILENT: somebody listens, and says nothing', async (t) => {
  const address = await listening(t, createServer())
  const { cluster, states } = clusterFor(t, [address], { requestTimeoutMs: 300, connectTimeoutMs: 300 })
  await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 1_000 })
  assert.ok(states[0]?.kind === 'unreachable')
  assert.equal(states[0].error.code, 'BROKER_SILENT')
})

test('BROKER_ANSWER_INVALID: it is the port of a web server', async (t) => {
  const address = await listening(t, createHttpServer())
  const { cluster, states } = clusterFor(t, [address])
  await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 1_000 })
  assert.ok(states[0]?.kind === 'unreachable')
  assert.equal(states[0].error.code, 'BROKER_ANSWER_INVALID')
})

test('PRODUCE_FAILED: the settings of TLS are such that no connection can be made', async (t) => {
  await using broker = await startBroker({ topics: { orders: 1 } })
  const { brokers } = broker
  const producer = await createProducer({ brokers, client: { tls: { ca: 'no certificate', ciphers: 'none at all' } } })
  t.after(() => producer.close({ timeoutMs: 0 }))
  await assert.rejects(producer.send({ topic: 'orders', value: order }), { code: 'PRODUCE_FAILED' })
})
