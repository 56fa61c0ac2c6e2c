/** Errors between a client and its brokers: connections, heartbeats, reading, producing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeSubscription } from '../../../src/clients/native/group/assignors/subscription.ts'
import { portable, unpack } from '../../../src/clients/native/group/heartbeat-thread/messages.ts'
import { SharedThread } from '../../../src/clients/native/group/heartbeat-thread/shared-thread.ts'
import { InlineHeartbeats } from '../../../src/clients/native/group/inline-heartbeats.ts'
import { NativeClient } from '../../../src/clients/native/native-client.ts'
import type { Wire } from '../../../src/cluster/wire.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { asEpoch, asPosition } from '../../../src/kernel/ids.ts'
import { openProducer, type Producer } from '../../../src/producer/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { apiVersionsApi, readApiVersionsResponse } from '../../../src/protocol/generated/18-api-versions.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import { SimWire } from '../../../src/testing/sim/wire/sim-wire.ts'
import { until } from '../../support/wait.ts'
import { optionsOf, simClient } from '../clients/native/sim/client.ts'
import { World } from '../clients/native/sim/world.ts'
import { ManualClock } from '../cluster/manual-clock.ts'
import { ScriptedBroker } from '../cluster/scripted-broker.ts'
import { clusterFor, scripted } from '../cluster/support.ts'
import { FakeCluster } from '../producer/fake-cluster.ts'
import { entry, publication, SimBench } from '../producer/sim-bench.ts'

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

  test('BROKER_SILENT: somebody listens, and says nothing', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t, ({ api }) => api.key === apiVersionsApi.key)
    const { cluster, states } = clusterFor(t, [broker.address], { clock })
    const answer = cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 60_000 })
    await until('the greeting is sent', () => broker.of(apiVersionsApi).length > 0)
    for (let step = 0; step < 700 && states.length === 0; step++) await clock.advance(100)
    assert.equal(states[0]?.kind, 'unreachable')
    assert.equal(states[0].error.code, 'BROKER_SILENT')
    await cluster.close()
    await answer
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
  test('VERSION_INVALID: the subscription of a foreign client', () => {
    assert.throws(
      () => decodeSubscription(Buffer.from([0xff, 0xff]), 'member-1'),
      (error: FanlaneError) => {
        assert.equal(error.code, 'SUBSCRIPTION_UNREADABLE')
        assert.equal((error.cause as FanlaneError).code, 'VERSION_INVALID')
        return true
      },
    )
  })

  test('HEARTBEAT_FAILED: an error of no kind that we know, from the other thread', () => {
    assert.equal(unpack(portable(new TypeError('nobody foresaw this'))).code, 'HEARTBEAT_FAILED')
  })

  test('HEARTBEAT_THREAD_LOST: the thread dies', async () => {
    const { promise, resolve } = Promise.withResolvers<FanlaneError>()
    const client = { heard: () => undefined, lost: resolve }
    const { thread, number } = SharedThread.open(client, { brokers: ['127.0.0.1:1'], clientId: 'c' }, 300_000)
    thread.post({ kind: 'open', client: number, options: null as never, maxPollIntervalMs: 300_000 })
    assert.equal((await promise).code, 'HEARTBEAT_THREAD_LOST')
  })

  test('NOT_STARTED and NO_TRANSACTIONAL_ID: a log client that is used in the wrong way', async () => {
    const world = new World()
    const process = world.clock.process('c')
    const client = simClient('c', process, world.transport(process))
    assert.throws(() => client.poll(), { code: 'NOT_STARTED' })
    await client.start({ assigned: () => {}, revoked: async () => {}, lost: () => {}, failed: () => {} })
    assert.throws(() => client.resetProducer(), { code: 'NO_TRANSACTIONAL_ID' })
  })

  test('FETCH_INCOMPLETE: answers that hold no whole batch, again and again', async () => {
    const world = new World()
    world.cluster.append(0, 'in', 0, [{ key: null, value: 'a', size: 100 }])
    const process = world.clock.process('reader')
    const wire = new SimWire({
      clock: process,
      transport: world.transport(process),
      clientId: 'r',
      requestTimeoutMs: 3_000,
    })
    const ask = wire.ask.bind(wire)
    const cutting: Pick<Wire, 'ask'> = {
      ask: async (node, api, question, options) => {
        const answer = await ask(node, api, question, options)
        if (api.key === fetchApi.key && answer !== null) {
          const body = answer.body as { responses: { partitions: { records: Buffer | null }[] }[] }
          for (const { partitions } of body.responses)
            for (const each of partitions) each.records = each.records?.subarray(0, 30) ?? null
        }
        return answer
      },
    }
    const failed = Promise.withResolvers<FanlaneError>()
    const client = new NativeClient(optionsOf({}), {
      wire: Object.assign(wire, cutting),
      makeHeartbeater: (listener) => new InlineHeartbeats(wire, listener),
    })
    let isAssigned = false
    await client.start({
      assigned: () => {
        isAssigned = true
      },
      revoked: async () => {},
      lost: () => {},
      failed: (error) => failed.resolve(error as FanlaneError),
    })
    await world.until('assigned', () => isAssigned)
    client.fetch([{ topic: 'in', partition: 0, epoch: asEpoch(1), position: asPosition(0) }])
    void client.poll()
    await world.run(60_000)
    assert.equal((await failed.promise).code, 'FETCH_INCOMPLETE')
  })
})

describe('producing', () => {
  function opened(cluster: FakeCluster, transactionalId?: string): Promise<Producer> {
    const wire = Object.assign(cluster, { close: () => Promise.resolve() })
    const id = transactionalId === undefined ? {} : { transactionalId }
    return cluster.during(
      openProducer({ brokers: 'x:1', deliveryTimeoutMs: 20_000, ...id }, { clock: cluster.clock, wire }),
    )
  }

  test('PRODUCER_SPENT: nobody knows what became of the last transaction', async () => {
    const bench = new SimBench()
    const { transactions, wire } = bench.writer('a')
    assert.equal((await bench.during(transactions.transact([], [publication('x')]))).kind, 'committed')
    bench.fate = ({ kind }) => (kind === 'EndTxn' ? 'lose-answer' : 'deliver')
    const unknown = await bench.during(transactions.transact([entry(0, 1)], [publication('y')]))
    assert.equal(unknown.kind, 'unknown')
    const next = await bench.during(transactions.transact([entry(0, 2)], []))
    assert.ok(next.kind === 'unknown')
    assert.equal((next.error as FanlaneError).code, 'PRODUCER_SPENT')
    wire.close()
  })

  test('TRANSACTION_ABORTED: something that is no answer of the cluster went wrong', async () => {
    const cluster = new FakeCluster()
    cluster.features = { 'transaction.version': 1 }
    const producer = await opened(cluster, 'id')
    const ask = cluster.ask.bind(cluster)
    cluster.ask = (...given) =>
      given[1].name === 'AddPartitionsToTxn' ? Promise.reject(new TypeError('no socket')) : ask(...given)
    const sent = producer.transaction(async (tx) => {
      await tx.send({ topic: 'orders', value: 'a', partition: 0 })
    })
    await assert.rejects(cluster.during(sent), { code: 'TRANSACTION_ABORTED' })
  })

  test('PRODUCE_FAILED: a wire that breaks with an error of its own', async () => {
    const cluster = new FakeCluster()
    const producer = await opened(cluster)
    const ask = cluster.ask.bind(cluster)
    cluster.ask = (...given) =>
      given[1].name === 'Produce' ? Promise.reject(new TypeError('no socket')) : ask(...given)
    await assert.rejects(cluster.during(producer.send({ topic: 'orders', value: 'a' })), { code: 'PRODUCE_FAILED' })
  })

  test('PRODUCER_BROKEN: a defect inside the producer is told to everybody who waits', async () => {
    const cluster = new FakeCluster()
    const producer = await opened(cluster)
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
