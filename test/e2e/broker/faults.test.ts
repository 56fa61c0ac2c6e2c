/** `broker.faults`: every fault does what its name says, to what it names, as often as told. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type BrokerOptions, type RequestFault, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { offsetCommitApi } from '../../../src/protocol/generated/08-offset-commit.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { HeartbeatingMember } from '../../support/heartbeating-member.ts'
import { RawClient } from '../../support/raw-client.ts'

async function start(
  t: TestContext,
  options: BrokerOptions = {},
): Promise<{ broker: RunningBroker; client: RawClient }> {
  const broker = await startBroker({ topics: { orders: 1, payments: 1 }, ...options })
  t.after(() => broker.close())
  const client = await RawClient.connect(broker.brokers[0] as string, 'tester')
  t.after(() => client.close())
  return { broker, client }
}

async function write(client: RawClient, topic = 'orders'): Promise<number> {
  const records = encodeBatch({
    records: [{ key: null, value: Buffer.from('x'.repeat(100)), timestampMs: Date.now() }],
  })
  const answer = await client.send(produceApi, 9, {
    acks: -1,
    timeoutMs: 1_000,
    topicData: [{ name: topic, partitionData: [{ index: 0, records }] }],
  })
  return answer.responses[0]?.partitionResponses[0]?.errorCode ?? -99
}

async function endOf(broker: RunningBroker, topic = 'orders'): Promise<number> {
  const client = await RawClient.connect(broker.brokers[0] as string)
  const answer = await client.send(listOffsetsApi, 7, {
    replicaId: -1,
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
  })
  await client.close()
  return Number(answer.topics[0]?.partitions[0]?.offset)
}

function commit(client: RawClient, groupId: string): Promise<number> {
  const topics = [{ name: 'orders', partitions: [{ partitionIndex: 0, committedOffset: 1n }] }]
  return client
    .send(offsetCommitApi, 7, { groupId, generationIdOrMemberEpoch: -1, topics })
    .then((answer) => answer.topics[0]?.partitions[0]?.errorCode ?? -99)
}

for (const isolate of [false, true]) {
  describe(`faults of requests, isolate: ${isolate}`, () => {
    test('an error code, so many times, only for what it names', async (t) => {
      const { broker, client } = await start(t, { isolate })
      const fault = broker.faults.inject({ api: 'Produce', topic: 'orders', error: 'NOT_LEADER_OR_FOLLOWER', times: 2 })
      assert.equal(await write(client, 'payments'), errorCodes.NONE)
      assert.equal(await write(client), errorCodes.NOT_LEADER_OR_FOLLOWER)
      assert.equal(await write(client), errorCodes.NOT_LEADER_OR_FOLLOWER)
      assert.equal(await write(client), errorCodes.NONE)
      assert.equal(fault.hits, 2)
      assert.equal(await endOf(broker), 1, 'what was refused was not applied')
    })

    test('by group and by client', async (t) => {
      const { broker, client } = await start(t, { isolate })
      broker.faults.inject({ api: 'OffsetCommit', group: 'a', error: 'REBALANCE_IN_PROGRESS' })
      assert.equal(await commit(client, 'b'), errorCodes.NONE)
      assert.equal(await commit(client, 'a'), errorCodes.REBALANCE_IN_PROGRESS)
      broker.faults.clear()
      const fault = broker.faults.inject({ clientId: 'somebody', error: 'UNKNOWN_SERVER_ERROR' })
      assert.equal(await commit(client, 'a'), errorCodes.NONE)
      assert.equal(fault.hits, 0)
      fault.remove()
    })

    test('a connection cut before the request is applied, and after', async (t) => {
      const { broker, client } = await start(t, { isolate })
      broker.faults.inject({ api: 'Produce', drop: 'before', times: 1 })
      await assert.rejects(write(client))
      assert.equal(await endOf(broker), 0)
      broker.faults.inject({ api: 'Produce', drop: 'after', times: 1 })
      const again = await RawClient.connect(broker.brokers[0] as string)
      await assert.rejects(write(again))
      assert.equal(await endOf(broker), 1)
    })

    test('a delay holds back the answers behind it too', async (t) => {
      const { broker, client } = await start(t, { isolate })
      broker.faults.inject({ api: 'Produce', delayMs: 50, times: 1 })
      const order: string[] = []
      const slow = client.send(produceApi, 9, { acks: -1, topicData: [] }).then(() => order.push('produce'))
      const quick = client.send(metadataApi, 9, { topics: [] }).then(() => order.push('metadata'))
      await Promise.all([slow, quick])
      assert.deepEqual(order, ['produce', 'metadata'])
    })

    test('a broker that is closed does not wait for the end of a delay', async (t) => {
      const { broker, client } = await start(t, { isolate })
      broker.faults.inject({ api: 'Produce', delayMs: 3_600_000, times: 1 })
      const cut = assert.rejects(write(client))
      await broker.close()
      await cut
    })

    test('a fault that makes no sense is refused', async (t) => {
      const { broker } = await start(t, { isolate })
      const nonsense: readonly [object, string][] = [
        [{ api: 'Prodduce', error: 'NONE' }, 'OPTION_INVALID'],
        [{ api: 'Produce', error: 'NO_SUCH_ERROR' }, 'OPTION_INVALID'],
        [{ api: 'Produce', drop: 'sometimes' }, 'OPTION_INVALID'],
        [{ api: 'Produce' }, 'OPTION_INVALID'],
        [{ api: 'Produce', delayMs: -1 }, 'OPTION_INVALID'],
        [{ api: 'Produce', delayMs: 1, times: 0 }, 'OPTION_INVALID'],
      ]
      for (const [fault, code] of nonsense) {
        assert.throws(() => broker.faults.inject(fault as RequestFault), { code }, JSON.stringify(fault))
      }
    })

    test('a session can be ended and a rebalance begun', async (t) => {
      const { broker } = await start(t, { isolate, config: { 'group.min.session.timeout.ms': '100' } })
      const member = await HeartbeatingMember.join(broker.brokers[0] as string, 'group', 30_000)
      t.after(() => member.leave())
      assert.equal(broker.faults.rebalance('nobody'), false)
      assert.equal(member.refused, 0)
      assert.equal(broker.faults.rebalance('group'), true)
      while (member.refused === 0) await new Promise((resolve) => setImmediate(resolve))
      assert.equal(broker.faults.expireSession('group'), true)
      assert.equal(broker.faults.expireSession('group'), false)
    })
  })
}

describe('faults that only a broker in this thread can have', () => {
  test('a predicate looks at the request; in another thread it is refused', async (t) => {
    const { broker, client } = await start(t)
    broker.faults.inject({
      api: 'OffsetCommit',
      when: (request) => 'groupId' in request && request.groupId === 'odd',
      error: 'ILLEGAL_GENERATION',
    })
    assert.equal(await commit(client, 'even'), errorCodes.NONE)
    assert.equal(await commit(client, 'odd'), errorCodes.ILLEGAL_GENERATION)
    const isolated = await start(t, { isolate: true })
    assert.throws(() => isolated.broker.faults.inject({ when: () => true, error: 'NONE' }), {
      code: 'BROKER_FAULT_NOT_PORTABLE',
    })
  })

  test('a coordinator that moved is found again with its state', async (t) => {
    const { broker, client } = await start(t)
    assert.equal(await commit(client, 'g'), errorCodes.NONE)
    broker.faults.moveCoordinator()
    assert.equal(await commit(client, 'g'), errorCodes.NOT_COORDINATOR)
    await client.send(findCoordinatorApi, 4, { keyType: 0, coordinatorKeys: ['g'] })
    assert.equal(await commit(client, 'g'), errorCodes.NONE)
  })
})

describe('faults of the disk', () => {
  async function withDirectory(t: TestContext): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'fanlane-faults-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    return directory
  }

  for (const operation of ['write', 'sync'] as const) {
    test(`L6 · a failed ${operation}: nothing more is acknowledged, the broker ends, and what was acknowledged is there`, async (t) => {
      const dataDir = await withDirectory(t)
      const { broker, client } = await start(t, { dataDir })
      assert.equal(await write(client), errorCodes.NONE)
      broker.faults.disk({ operation, error: operation === 'write' ? 'ENOSPC' : 'EIO' })
      await assert.rejects(write(client))
      const cause = await broker.failed
      assert.equal(cause.code, 'LOG_FAILED')
      await broker.close()
      const again = await startBroker({ dataDir })
      const end = await endOf(again)
      assert(end >= 1 && end <= 2, `log end ${end}`)
      await again.close()
    })
  }

  test('L1 L5 · a crash in the middle of a write leaves a torn tail, which the next start cuts', async (t) => {
    const dataDir = await withDirectory(t)
    const { broker, client } = await start(t, { dataDir })
    assert.equal(await write(client), errorCodes.NONE)
    broker.faults.disk({ operation: 'write', crashAfterBytes: 90 })
    await assert.rejects(write(client))
    assert.equal((await broker.failed).code, 'BROKER_CRASHED')
    await broker.close()
    const again = await startBroker({ dataDir })
    assert.equal(await endOf(again), 1)
    await again.close()
  })

  test('a slow disk delays acks=all and nothing else', async (t) => {
    const { broker, client } = await start(t, { dataDir: await withDirectory(t) })
    broker.faults.disk({ operation: 'sync', delayMs: 50, times: 1 })
    const waiting = write(client)
    const other = await RawClient.connect(broker.brokers[0] as string)
    await other.send(metadataApi, 9, { topics: [] })
    await other.close()
    assert.equal(await waiting, errorCodes.NONE)
    await broker.close()
  })
})
