/**
 * Errors between a client and its brokers whose cause no broker, socket or file has: bytes that are no protocol, and defects of our
 * own, which only a stand-in can have. Those with a real cause are provoked in test/e2e/errors.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { portable, unpack } from '../../../src/clients/native/group/heartbeat-thread/messages.ts'
import { SharedThread } from '../../../src/clients/native/group/heartbeat-thread/shared-thread.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { openProducer } from '../../../src/producer/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { readApiVersionsResponse } from '../../../src/protocol/generated/18-api-versions.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import { ScriptedBroker } from '../cluster/scripted-broker.ts'
import { clusterFor, scripted } from '../cluster/support.ts'
import { FakeCluster } from '../producer/fake-cluster.ts'

describe('connections', () => {
  test('BROKER_UNREACHABLE: nobody listens at that address', async (t) => {
    const broker = await ScriptedBroker.start()
    const { address } = broker
    await broker.close()
    const { cluster, states } = clusterFor(t, [address])
    await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 100 })
    const [told] = states
    assert.ok(told?.kind === 'unreachable')
    assert.equal(told.error.code, 'BROKER_UNREACHABLE')
  })

  test('CONNECTION_LOST: somebody listens, and hangs up', async (t) => {
    const broker = await scripted(t, ({ socket }) => {
      socket.destroy()
      return true
    })
    const { cluster, states } = clusterFor(t, [broker.address])
    await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 100 })
    const [told] = states
    assert.ok(told?.kind === 'unreachable')
    assert.equal(told.error.code, 'CONNECTION_LOST')
  })

  test('what is no protocol: FRAME_TRUNCATED, LENGTH_INVALID, TAG_SIZE_WRONG', () => {
    assert.throws(() => new Reader(Buffer.from([0, 1])).int32(), { code: 'FRAME_TRUNCATED' })
    assert.throws(() => new Reader(Buffer.from([0xff, 0xfe, 0, 0])).string(false), { code: 'LENGTH_INVALID' })
    // No error, no APIs, no throttling, and one tagged field, the epoch of the features: eight bytes that say they are nine.
    const epoch = Buffer.from([0, 0, 1, 0, 0, 0, 0, 1, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    assert.throws(() => readApiVersionsResponse(new Reader(epoch), 3), { code: 'TAG_SIZE_WRONG' })
  })
})

describe('groups', () => {
  test('HEARTBEAT_FAILED: an error of no kind that we know, from the other thread', () => {
    // Everything that the thread does is foreseen, as far as we know: this is what would become of a defect in it.
    assert.equal(unpack(portable(new TypeError('nobody foresaw this'))).code, 'HEARTBEAT_FAILED')
  })

  test('HEARTBEAT_THREAD_LOST: the thread dies', async () => {
    const { promise, resolve } = Promise.withResolvers<FanlaneError>()
    const client = { heard: () => undefined, lost: resolve }
    const { thread, number } = SharedThread.open(client, { brokers: ['127.0.0.1:1'], clientId: 'c' }, 300_000)
    // The real thread, and a message that only a defect could send: nothing outside of the process can end a thread.
    thread.post({ kind: 'open', client: number, options: null as never, maxPollIntervalMs: 300_000 })
    assert.equal((await promise).code, 'HEARTBEAT_THREAD_LOST')
  })
})

describe('producing', () => {
  test('PRODUCER_BROKEN: a defect inside the producer is told to everybody who waits', async () => {
    const cluster = new FakeCluster()
    const wire = Object.assign(cluster, { close: () => Promise.resolve() })
    const options = { brokers: 'x:1', deliveryTimeoutMs: 20_000 }
    const producer = await cluster.during(openProducer(options, { clock: cluster.clock, wire }))
    const ask = cluster.ask.bind(cluster)
    cluster.ask = async (...given) => {
      const answer = await ask(...given)
      if (given[1].name !== 'Produce') return answer
      // No decoder lets this through: an answer that says which records are bad, without the list of them.
      const { responses } = (answer?.body ?? { responses: [] }) as { responses: { partitionResponses: object[] }[] }
      const [first] = responses[0]?.partitionResponses ?? []
      Object.assign(first ?? {}, { errorCode: errorCodes.INVALID_RECORD, recordErrors: null })
      return answer
    }
    await assert.rejects(cluster.during(producer.send({ topic: 'orders', value: 'a' })), { code: 'PRODUCER_BROKEN' })
  })
})
