/** What a client can make the broker hold in memory is bounded, and a busy connection keeps its order. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type BrokerOptions, ManualClock } from '../../../src/broker/index.ts'
import { type StartedParts, startWithParts } from '../../../src/broker/start.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { FrameReader } from '../../../src/protocol/frames.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const endings: (() => Promise<void>)[] = []

after(async () => {
  for (const end of endings.reverse()) await end()
})

async function start(options: BrokerOptions = {}): Promise<StartedParts> {
  const started = await startWithParts({ topics: { orders: 1 }, ...options })
  endings.push(() => started.running.close())
  return started
}

async function clientOf({ running }: StartedParts): Promise<RawClient> {
  const client = await RawClient.connect(running.brokers[0] as string)
  endings.push(() => client.close())
  return client
}

async function socketTo({ running }: StartedParts): Promise<Socket> {
  const socket = connect(running.port, running.host)
  socket.on('error', () => undefined)
  endings.push(async () => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const produce = (bytes: number, acks: number): Parameters<typeof produceApi.writeRequest>[1] => {
  const records = encodeBatch({ records: [{ key: null, value: Buffer.alloc(bytes), timestampMs: Date.now() }] })
  return { acks, timeoutMs: 1_000, topicData: [{ name: 'orders', partitionData: [{ index: 0, records }] }] }
}

/** Lets everything run that is under way on this machine. */
async function settled(requests: () => number): Promise<number> {
  for (let quietTurns = 0, last = requests(); quietTurns < 50; last = requests()) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    quietTurns = requests() === last ? quietTurns + 1 : 0
  }
  return requests()
}

test('a disk that falls behind makes producers wait, also those that want no answer', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanlane-bounds-'))
  endings.push(() => rm(dataDir, { recursive: true, force: true }))
  const clock = new ManualClock()
  const started = await start({ dataDir, clock })
  const { faults } = started.running
  faults.disk({ operation: 'write', delayMs: 600_000 })
  const client = await clientOf(started)
  // 200 MB; 64 may wait for the disk.
  for (let n = 0; n < 200; n++) client.post(produceApi, 9, produce(1_000_000, 0))
  const taken = await settled(started.requests)
  assert(taken > 60 && taken < 80, `${taken} requests were taken`)
  faults.clear()
  clock.advance(600_000)
  await client.close()
})

test('answers that wait for their turn count as unsent: large fetches in a row are not all read at once', async () => {
  const clock = new ManualClock()
  const started = await start({ clock })
  const client = await clientOf(started)
  await client.send(produceApi, 9, produce(500_000, -1))
  const before = started.requests()
  const fetch = (offset: bigint, maxWaitMs: number): Promise<unknown> =>
    client.send(fetchApi, 12, {
      maxWaitMs,
      minBytes: 1,
      maxBytes: 50_000_000,
      sessionEpoch: -1,
      topics: [{ topic: 'orders', partitions: [{ partition: 0, fetchOffset: offset, partitionMaxBytes: 50_000_000 }] }],
    })
  const polls = [fetch(1n, 600_000), ...Array.from({ length: 200 }, () => fetch(0n, 0))]
  const taken = (await settled(started.requests)) - before
  clock.advance(600_000)
  await Promise.all(polls)
  assert(taken < 200, `${taken} fetches were under way behind one that waited`)
})

test('a stranger may send no more than it takes to say who it is', async () => {
  const started = await start({ sasl: { users: { anna: 'secret' } } })
  const socket = await socketTo(started)
  const length = Buffer.alloc(4)
  length.writeInt32BE(600_000)
  socket.resume().write(length)
  await once(socket, 'close')
})

test('a failed authentication is answered and ends the connection', async () => {
  const client = await clientOf(await start({ sasl: { users: { anna: 'secret' } } }))
  await client.send(saslHandshakeApi, 1, { mechanism: 'PLAIN' })
  const { errorCode } = await client.send(saslAuthenticateApi, 1, { authBytes: Buffer.from('\0anna\0guess') })
  assert.equal(errorCode, errorCodes.SASL_AUTHENTICATION_FAILED)
  await assert.rejects(client.send(saslHandshakeApi, 1, { mechanism: 'PLAIN' }))
})

test('millions of empty names in one request are refused before they fill the memory', async () => {
  const started = await start()
  const socket = await socketTo(started)
  const names = 2_000_000
  const frame = Buffer.alloc(18 + 2 * names)
  frame.writeInt32BE(frame.length - 4, 0)
  frame.writeInt16BE(metadataApi.key, 4)
  frame.writeInt16BE(1, 6)
  frame.writeInt16BE(-1, 12)
  frame.writeInt32BE(names, 14)
  const closed = once(socket, 'close')
  socket.resume().write(frame)
  await closed
  assert.equal(started.requests(), 0)
})

test('partitionsMax counts topics that are still being made', async () => {
  const client = await clientOf(await start({ limits: { partitionsMax: 20 } }))
  const names = Array.from({ length: 50 }, (_, n) => `topic-${n}`)
  await client.send(metadataApi, 9, { allowAutoTopicCreation: true, topics: names.map((name) => ({ name })) })
  const { topics } = await client.send(metadataApi, 9, { topics: null })
  assert.equal(topics.flatMap(({ partitions }) => partitions).length, 20)
  const again = await client.send(createTopicsApi, 5, {
    timeoutMs: 1_000,
    topics: [{ name: 'one-more', numPartitions: 1, replicationFactor: 1 }],
  })
  assert.equal(again.topics[0]?.errorCode, errorCodes.POLICY_VIOLATION)
})

test('a client that closes its side still gets every answer, also to what was not begun yet', async () => {
  const started = await start({ limits: { requestsInFlightMax: 2 } })
  started.running.faults.inject({ api: 'Metadata', delayMs: 30, times: 1 })
  const socket = await socketTo(started)
  const request = Buffer.alloc(18)
  request.writeInt32BE(14, 0)
  request.writeInt16BE(metadataApi.key, 4)
  request.writeInt16BE(1, 6)
  request.writeInt16BE(-1, 12)
  socket.end(Buffer.concat(Array.from({ length: 10 }, () => request)))
  const frames = new FrameReader(2 ** 20)
  let answers = 0
  for await (const chunk of socket) {
    frames.push(chunk as Buffer)
    while (frames.next() !== undefined) answers++
  }
  assert.equal(answers, 10)
})

test('a delayed request holds up those behind it: pipelined writes stay in order', async () => {
  const started = await start()
  const client = await clientOf(started)
  started.running.faults.inject({ api: 'Produce', delayMs: 30, times: 1 })
  const answers = await Promise.all([1, 2].map((bytes) => client.send(produceApi, 9, produce(bytes, 1))))
  const offsets = answers.map(({ responses }) => responses[0]?.partitionResponses[0]?.baseOffset)
  assert.deepEqual(offsets, [0n, 1n])
})
